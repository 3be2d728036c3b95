#include "likely/models/choice/parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "likely/core/error.hpp"

namespace likely::choice {

TransformSlopes Parameter::slopes(double u) const {
  switch (transform) {
    case Transform::log: {
      const double e = std::exp(u);
      return {lower + e, e, e};
    }
    case Transform::logit: {
      // From e^-|u|, which never overflows; p (1 - p) keeps its digits on both sides.
      const double e = std::exp(-std::fabs(u));
      const double large = 1.0 / (1.0 + e);
      const double small = e * large;
      const double p = u < 0 ? small : large;
      const double first = (upper - lower) * large * small;
      return {lower + (upper - lower) * p, first, first * (u < 0 ? large - small : small - large)};
    }
    default: return {u, 1.0, 0.0};
  }
}

double Parameter::unconstrained(double x) const {
  if (!(x > lower && x < upper)) {
    refuse("choice", fmt::format("{} must lie between {} and {}, got {}", name, lower, upper, x));
  }
  switch (transform) {
    case Transform::log: return std::log(x - lower);
    case Transform::logit: return std::log((x - lower) / (upper - x));
    default: return x;
  }
}

Parameter rate_parameter(std::string name, std::string meaning) {
  return bounded_parameter(std::move(name), std::move(meaning), 0.0, 1.0);
}

Parameter positive_parameter(std::string name, std::string meaning, double box_upper) {
  return {.name = std::move(name),
          .transform = Transform::log,
          .lower = 0.0,
          .box_lower = 0.0,
          .box_upper = box_upper,
          .meaning = std::move(meaning)};
}

Parameter bounded_parameter(std::string name, std::string meaning, double lower, double upper) {
  return {.name = std::move(name),
          .transform = Transform::logit,
          .lower = lower,
          .upper = upper,
          .box_lower = lower,
          .box_upper = upper,
          .meaning = std::move(meaning)};
}

Parameter real_parameter(std::string name, std::string meaning, double box) {
  return {.name = std::move(name), .box_lower = -box, .box_upper = box, .meaning = std::move(meaning)};
}

void check_parameters(const std::vector<Parameter>& parameters) {
  std::set<std::string> names;
  for (const Parameter& p : parameters) {
    if (p.name.empty()) refuse("choice", "a parameter has no name");
    if (!names.insert(p.name).second) refuse("choice", fmt::format("two parameters are called {}", p.name));
    const bool finite_ends = std::isfinite(p.lower) && std::isfinite(p.upper);
    if ((p.transform == Transform::logit && !finite_ends) ||
        (p.transform == Transform::log && !std::isfinite(p.lower)) || !(p.lower < p.upper)) {
      refuse("choice", fmt::format("{} has the range {} to {}, which its transform does not lead to", p.name,
                                   p.lower, p.upper));
    }
    if (!(std::isfinite(p.box_lower) && std::isfinite(p.box_upper) && p.box_lower < p.box_upper &&
          p.box_lower >= p.lower && p.box_upper <= p.upper)) {
      refuse("choice", fmt::format("{} is looked for from {} to {}: that must be finite and within {} to {}",
                                   p.name, p.box_lower, p.box_upper, p.lower, p.upper));
    }
    if (!(p.prior_sd > 0.0 && std::isfinite(p.prior_sd) && std::isfinite(p.prior_mean))) {
      refuse("choice", fmt::format("the prior of {} is normal({}, {}): the second must be above 0", p.name,
                                   p.prior_mean, p.prior_sd));
    }
  }
}

}  // namespace likely::choice
