// Hot: every trial of every subject.
#include "likely/models/choice/engine/subject_groups.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/error.hpp"

namespace likely::choice {

namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void check_parameters_of(const Model& model, const std::vector<std::vector<double>>& parameters) {
  for (std::size_t s = 0; s < parameters.size(); ++s) {
    if (parameters[s].size() != model.parameters.size()) {
      refuse("choice::simulate", fmt::format("subject {} has {} parameters, {} needs {}", s + 1,
                                             parameters[s].size(), model.name, model.size()));
    }
    for (std::size_t i = 0; i < parameters[s].size(); ++i) {
      const Parameter& p = model.parameters[i];
      const double x = parameters[s][i];
      if (!(std::isfinite(x) && x >= p.lower && x <= p.upper)) {
        refuse("choice::simulate",
               fmt::format("{} of subject {} is {}, outside {} to {}", p.name, s + 1, x, p.lower, p.upper));
      }
    }
  }
}

std::vector<double> lanes_of_parameters(const Model& model,
                                        const std::vector<std::vector<double>>& parameters, std::size_t first,
                                        int count) {
  std::vector<double> theta(index(model.size()) * kLanes);
  for (std::size_t i = 0; i < index(model.size()); ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      theta[i * kLanes + index(lane)] = parameters[first + index(lane < count ? lane : 0)][i];
    }
  }
  return theta;
}

}  // namespace likely::choice
