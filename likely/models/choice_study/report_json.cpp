// The study as one object.
#include <fmt/format.h>

#include <cmath>

#include "likely/io/json.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/models/choice_study/report_json.hpp"

namespace likely::choice {

namespace {

const char* standing_name(Standing standing) {
  switch (standing) {
    case Standing::inside: return "inside";
    case Standing::at_lower: return "at_lower";
    case Standing::at_upper: return "at_upper";
    case Standing::flat: break;
  }
  return "flat";
}

// {"alpha": ..., "beta": ...}
Json by_parameter(const Model& model, const std::vector<double>& numbers) {
  Json json = Json::object();
  for (std::size_t k = 0; k < model.parameters.size() && k < numbers.size(); ++k)
    json[model.parameters[k].name] = number_json(numbers[k]);
  return json;
}

Json subject_json(const Model& model, const SubjectFit& subject) {
  Json json = Json::object();
  json["id"] = subject.id;
  json["trials"] = subject.trials;
  json["estimate"] = by_parameter(model, subject.estimate);
  json["unconstrained"] = by_parameter(model, subject.unconstrained);
  json["standard_error"] = by_parameter(model, subject.standard_error);
  json["interval_lower"] = by_parameter(model, subject.interval_lower);
  json["interval_upper"] = by_parameter(model, subject.interval_upper);
  Json standing = Json::object();
  for (std::size_t k = 0; k < model.parameters.size(); ++k)
    standing[model.parameters[k].name] = standing_name(subject.standing[k]);
  json["standing"] = std::move(standing);
  json["log_likelihood"] = number_json(subject.log_likelihood);
  json["log_joint"] = number_json(subject.log_joint);
  json["log_det_hessian"] = number_json(subject.log_det_hessian);
  json["log_evidence"] = number_json(subject.log_evidence);
  json["aic"] = number_json(subject.aic);
  json["bic"] = number_json(subject.bic);
  json["pseudo_r2"] = number_json(subject.pseudo_r2);
  json["converged"] = subject.converged;
  json["warnings"] = subject.warnings;
  return json;
}

Json em_json(const HierarchicalFit& em) {
  Json json = Json::object();
  for (int k = 0; k < em.model.size(); ++k) {
    const Parameter& p = em.model.parameters[static_cast<std::size_t>(k)];
    Json one = Json::object();
    const double mean = em.means[static_cast<std::size_t>(k)];
    one["middle"] = number_json(p.natural(mean));
    one["mean"] = number_json(mean);
    one["standard_error"] = number_json(em.mean_errors[static_cast<std::size_t>(k)]);
    one["sd"] = number_json(em.sd(k));
    if (!em.covariates.empty())
      one["intercept"] = {{"coefficient", number_json(em.coefficient(k, 0))},
                          {"standard_error", number_json(em.standard_error(k, 0))}};
    if (!em.covariates.empty()) one["covariates"] = Json::object();
    for (std::size_t c = 0; c < em.covariates.size(); ++c) {
      const int at = static_cast<int>(c) + 1;
      one["covariates"][em.covariates[c]] = {{"coefficient", number_json(em.coefficient(k, at))},
                                             {"standard_error", number_json(em.standard_error(k, at))},
                                             {"p", number_json(em.p_value(k, at))},
                                             {"mean", number_json(em.covariate_means[c])}};
    }
    json[p.name] = std::move(one);
  }
  return json;
}

Json summary_json(const Summary& s) {
  return {{"mean", number_json(s.mean)},
          {"sd", number_json(s.sd)},
          {"median", number_json(s.median)},
          {"low", number_json(s.low)},
          {"high", number_json(s.high)},
          {"hdi_low", number_json(s.densest.low)},
          {"hdi_high", number_json(s.densest.high)},
          {"mcse", number_json(s.mcse_mean)},
          {"r_hat", number_json(s.r_hat)},
          {"ess_bulk", number_json(s.ess_bulk)},
          {"ess_tail", number_json(s.ess_tail)}};
}

Json density_json(const PredictiveDensity& density) {
  return {{"elpd", number_json(density.elpd)},
          {"standard_error", number_json(density.standard_error)},
          {"parameters", number_json(density.parameters)},
          {"unreliable", density.unreliable}};
}

}  // namespace

std::string text_of(const Json& json) { return io::json_text(json, 2); }

Json model_json(const ModelStudy& study) {
  const Fit& fit = study.fit;
  Json json = Json::object();
  json["name"] = fit.model.name;
  json["parameters"] = Json::array();
  json["parameters"] = Json::array();
  for (const Parameter& p : fit.model.parameters) json["parameters"].push_back(p.name);
  json["log_likelihood"] = number_json(fit.log_likelihood());
  json["log_joint"] = number_json(study.log_joint());
  json["log_evidence"] = number_json(fit.log_evidence());
  json["aic"] = number_json(fit.aic());
  json["bic"] = number_json(fit.bic());
  if (study.em) {
    json["population"] = em_json(*study.em);
    json["integrated_bic"] = number_json(study.em->integrated_bic);
    json["iterations"] = study.em->iterations;
    json["converged"] = study.em->converged;
  }
  if (study.sampled) {
    json["population"] = Json::object();
    for (const Summary& s : study.sampled->group) json["population"][s.name] = summary_json(s);
    json["loo"] = density_json(study.sampled->loo);
    json["waic"] = density_json(study.sampled->waic);
    json["divergences"] = study.sampled->posterior.draws.divergences();
    json["chains"] = study.sampled->posterior.draws.chains.size();
  }
  json["subjects"] = Json::array();
  json["subjects"] = Json::array();
  for (const SubjectFit& subject : fit.subjects) json["subjects"].push_back(subject_json(fit.model, subject));
  if (study.sampled) {
    for (std::size_t i = 0; i < fit.subjects.size(); ++i)
      json["subjects"][i]["loo"] = number_json(study.sampled->subject_loo[i]);
  }
  json["warnings"] = study.warnings();
  return json;
}

Json study_object(const Study& study) {
  Json json = Json::object();
  json["file"] = study.file;
  json["method"] = name_of(study.method);
  json["subjects"] = study.subjects;
  json["trials"] = study.trials;
  json["options"] = study.options;
  json["option_names"] = study.option_names;
  json["seed"] = study.seed;
  json["notes"] = study.notes;
  json["warnings"] = study.warnings;
  json["models"] = Json::array();
  json["models"] = Json::array();
  for (const ModelStudy& model : study.models) json["models"].push_back(model_json(model));
  return json;
}

std::string study_json(const Study& study) { return text_of(study_object(study)); }

}  // namespace likely::choice
