#include "likely/models/choice/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"

namespace likely::choice {

namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& p : parameters) names.push_back(p.name);
  return names;
}

void check_count(const Model& model, std::size_t count) {
  if (count != model.parameters.size()) {
    refuse("choice", fmt::format("{} has {} parameters, got {} numbers", model.name, model.size(), count));
  }
}

}  // namespace

int Model::place(const std::string& wanted) const {
  for (int i = 0; i < size(); ++i) {
    if (parameters[static_cast<std::size_t>(i)].name == wanted) return i;
  }
  const std::vector<std::string> names = names_of(parameters);
  refuse("choice", fmt::format("{} has no parameter \"{}\", only {}{}", name, wanted, fmt::join(names, ", "),
                               did_you_mean(wanted, names)));
}

Parameter& Model::parameter(const std::string& wanted) {
  return parameters[static_cast<std::size_t>(place(wanted))];
}

const Parameter& Model::parameter(const std::string& wanted) const {
  return parameters[static_cast<std::size_t>(place(wanted))];
}

std::vector<double> Model::natural(const std::vector<double>& unconstrained) const {
  check_count(*this, unconstrained.size());
  std::vector<double> result;
  for (std::size_t i = 0; i < unconstrained.size(); ++i) {
    result.push_back(parameters[i].natural(unconstrained[i]));
  }
  return result;
}

std::vector<double> Model::unconstrained(const std::vector<double>& natural) const {
  check_count(*this, natural.size());
  std::vector<double> result;
  for (std::size_t i = 0; i < natural.size(); ++i) result.push_back(parameters[i].unconstrained(natural[i]));
  return result;
}

}  // namespace likely::choice
