#include "likely/models/choice_study/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/models/choice_study/option_text.hpp"

namespace likely::choice {

namespace {

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"mle", "map", "em", "nuts"};
  return names;
}

struct Assignment {
  std::string name;  // empty: all
  std::vector<double> numbers;
};

std::string setting_text(const char* setting, const std::string& text) {
  return fmt::format("`{} = {}`", setting, text);
}

Assignment parse_pair(const char* setting, const std::string& text, const char* form) {
  const std::string whole = setting_text(setting, text);
  const std::size_t equal = text.find('=');
  Assignment result;
  if (equal != std::string::npos) result.name = text.substr(0, equal);
  const std::string rest = equal == std::string::npos ? text : text.substr(equal + 1);
  result.numbers = numbers_of(rest, whole);
  if (result.numbers.size() != 2) throw Error(fmt::format("{}: two numbers are needed, {}", whole, form));
  return result;
}

std::vector<std::string> parameter_names(const std::vector<Model>& models) {
  std::vector<std::string> names;
  for (const Model& model : models) {
    for (const Parameter& p : model.parameters) {
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
    }
  }
  return names;
}

[[noreturn]] void refuse_name(const std::string& whole, const std::string& name,
                              const std::vector<std::string>& names) {
  throw Error(fmt::format("{}: there is no parameter \"{}\"{}; there {} {}", whole, name,
                          did_you_mean(name, names), names.size() == 1 ? "is" : "are",
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

// change(parameter) for the named parameter of all models, or for all parameters.
void change(std::vector<Model>& models, const std::string& whole, const std::string& name,
            const std::function<void(Parameter&)>& how) {
  bool found = name.empty();
  for (Model& model : models) {
    for (Parameter& p : model.parameters) {
      if (!name.empty() && p.name != name) continue;
      how(p);
      found = true;
    }
  }
  if (!found) refuse_name(whole, name, parameter_names(models));
}

void set_prior(std::vector<Model>& models, const std::string& text) {
  const Assignment prior = parse_pair("prior", text, "a mean and a variance: `prior = 0,6.25`");
  const std::string whole = setting_text("prior", text);
  if (!(prior.numbers[1] > 0.0)) throw Error(fmt::format("{}: the variance must be above 0", whole));
  change(models, whole, prior.name, [&](Parameter& p) {
    p.prior_mean = prior.numbers[0];
    p.prior_sd = std::sqrt(prior.numbers[1]);
  });
}

void set_bound(std::vector<Model>& models, const std::string& text, Method method) {
  const std::string whole = setting_text("bound", text);
  const Assignment bound = parse_pair("bound", text, "`bound = beta=0,20`");
  if (bound.name.empty()) throw Error(fmt::format("{}: which parameter? `bound = beta=0,20`", whole));
  const double low = bound.numbers[0], high = bound.numbers[1];
  if (!(low < high)) throw Error(fmt::format("{}: the lower bound must be below the upper one", whole));
  change(models, whole, bound.name, [&](Parameter& p) {
    if (low < p.lower || high > p.upper)
      throw Error(fmt::format("{}: {} lies between {} and {}", whole, p.name, p.lower, p.upper));
    p.box_lower = low;
    p.box_upper = high;
    if (method == Method::mle) return;
    p.transform = Transform::logit;
    p.lower = low;
    p.upper = high;
  });
}

}  // namespace

Method method_named(const std::string& name) {
  const auto& names = method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("`method`: there is no method \"{}\"{}; there are {}", name,
                            did_you_mean(name, names), fmt::join(names, ", ")));
  return static_cast<Method>(found - names.begin());
}

std::string name_of(Method method) { return method_names()[static_cast<std::size_t>(method)]; }

std::vector<Model> make_models(const ModelRequest& request, Method method, int options, int cues) {
  const ModelOptions shape{.options = options, .cues = cues, .initial_value = request.initial_value};
  std::vector<Model> models;
  for (const std::string& name : request.names) {
    const bool twice =
        std::any_of(models.begin(), models.end(), [&](const Model& m) { return m.name == name; });
    if (twice) throw Error(fmt::format("`model`: {} is named twice", name));
    models.push_back(named_model(name, shape));
  }
  if (request.learn.empty() != request.choose.empty())
    throw Error(fmt::format("`{}` needs `{}`: a model learns and chooses",
                            request.learn.empty() ? "choose" : "learn",
                            request.learn.empty() ? "learn" : "choose"));
  if (!request.learn.empty())
    models.push_back(compose_model(split_parts(request.learn), split_parts(request.choose), shape));
  if (models.empty()) throw Error("no model is named");
  for (const std::string& text : request.priors) set_prior(models, text);
  for (const std::string& text : request.bounds) set_bound(models, text, method);
  for (const Model& model : models) check_parameters(model.parameters);
  return models;
}

}  // namespace likely::choice
