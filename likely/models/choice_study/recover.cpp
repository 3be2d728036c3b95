#include "likely/models/choice_study/recover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/models/choice_study/option_text.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/models/choice_study/report_figures.hpp"
#include "likely/models/choice_study/report_json.hpp"
#include "likely/models/choice_study/reporter.hpp"

namespace likely::choice {

namespace {

Estimator estimator_of(Method method) {
  if (method == Method::nuts) throw Error("`method`: recover fits by mle, map or em, not by nuts");
  return method == Method::mle   ? Estimator::likelihood
         : method == Method::map ? Estimator::posterior
                                 : Estimator::hierarchical;
}

Criterion criterion_of(const RecoverOptions& options) {
  if (options.criterion) {
    if (*options.criterion == Criterion::evidence && options.method == Method::mle)
      throw Error("`criterion = evidence` needs priors: `method = map`");
    return *options.criterion;
  }
  return options.method == Method::mle ? Criterion::bic : Criterion::evidence;
}

const char* name_of(Criterion criterion) {
  return criterion == Criterion::aic ? "AIC" : criterion == Criterion::bic ? "BIC" : "evidence";
}

// Each law is about a parameter of some model.
void check_laws(const std::vector<Model>& models, const std::vector<std::string>& laws) {
  std::vector<std::string> names;
  for (const Model& model : models) {
    for (const Parameter& p : model.parameters) names.push_back(p.name);
  }
  for (const std::string& law : laws) {
    const std::string name = law.substr(0, law.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw Error(fmt::format("`param = {}`: no model has a parameter \"{}\"{}", law, name,
                              did_you_mean(name, names)));
  }
}

// "alpha does not vary", of parameters that are the same for all.
std::string constant_text(const Recovery& recovery) {
  std::string text;
  for (std::size_t k = 0; k < recovery.parameters.size(); ++k) {
    const auto same = [&](const std::vector<std::vector<double>>& people) {
      return std::all_of(people.begin(), people.end(),
                         [&](const std::vector<double>& one) { return one[k] == people.front()[k]; });
    };
    const std::string& name = recovery.parameters[k].name;
    if (same(recovery.truth)) {
      text += fmt::format("{} does not vary: nothing can be correlated with it\n", name);
    } else if (same(recovery.fitted)) {
      text += fmt::format("the fitted {} does not vary: nothing can be correlated with it\n", name);
    }
  }
  return text;
}

void recover_all(const std::vector<Model>& models, Estimator estimator, Criterion criterion,
                 RecoverStudy& study) {
  const RecoverOptions& options = study.options;
  const Reporter report(options.events, options.cancelled);
  FitOptions fit = options.fit;
  fit.cancelled = report.cancelled();
  Redrawn redrawn;
  Rng rng(options.seed);
  for (std::size_t k = 0; k < models.size(); ++k) {
    Rng own = rng.fold_in(k);
    const auto truth =
        draw_population(models[k], options.laws, options.subjects, own.split(), true, &redrawn);
    study.warnings = redrawn.warnings();
    // Nobody knows how many rounds a population will take.
    const double all =
        estimator == Estimator::hierarchical ? std::nan("") : static_cast<double>(options.subjects);
    const auto tell = [&](std::int64_t done) {
      report({models[k].name, "recovering", static_cast<double>(done) / all});
    };
    tell(0);
    if (models[k].size() == 0) continue;
    fit.progress = tell;
    study.recoveries.push_back(recover_parameters(models[k], truth, study.task, own.split(), estimator, fit));
  }
  if (models.size() < 2) return;
  const double all =
      static_cast<double>(models.size() * models.size()) * static_cast<double>(options.subjects);
  fit.progress = [&](std::int64_t done) {
    report({"all models", "confusing", static_cast<double>(done) / all});
  };
  fit.progress(0);
  ConfusionOptions confusion{.datasets = options.subjects, .criterion = criterion, .fit = fit};
  confusion.people = [&](const Model& model, const Rng& own) {
    return draw_population(model, options.laws, options.subjects, own, true, &redrawn);
  };
  study.confusion = confuse_models(models, study.task, rng.split(), confusion);
  study.warnings = redrawn.warnings();
}

std::string three_digits(double x) { return std::isfinite(x) ? fmt::format("{:.3f}", x) : std::string("-"); }

std::string share(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : std::string("-"); }

}  // namespace

RecoverStudy recover_study(const std::vector<Model>& models, const Bandit& task,
                           const RecoverOptions& options) {
  const Estimator estimator = estimator_of(options.method);
  const Criterion criterion = criterion_of(options);
  check_laws(models, options.laws);
  RecoverStudy study{task, options, {}, std::nullopt, false};
  try {
    recover_all(models, estimator, criterion, study);
  } catch (const Cancelled&) {
    study.interrupted = true;
  }
  return study;
}

std::string recover_text(const RecoverStudy& study) {
  std::string text =
      fmt::format("{} simulated subjects of each model, {} trial{}, rewards with {}; fitted by {}\n",
                  study.options.subjects, study.task.trials * study.task.blocks,
                  study.task.trials * study.task.blocks == 1 ? "" : "s",
                  fmt::join(study.task.probabilities, ", "), name_of(study.options.method));
  for (const Recovery& recovery : study.recoveries) {
    std::vector<std::vector<std::string>> rows{
        {recovery.model.name, "correlation", "of ranks", "bias", "RMSE", "at a bound"}};
    for (const RecoveredParameter& p : recovery.parameters)
      rows.push_back({p.name, three_digits(p.correlation), three_digits(p.rank_correlation),
                      fmt::format("{:.3g}", p.bias), fmt::format("{:.3g}", p.rmse),
                      std::to_string(p.at_bounds)});
    text += '\n';
    text += aligned(rows);
    text += constant_text(recovery);
  }
  std::string warnings;
  for (const std::string& warning : study.warnings) warnings += fmt::format("warning: {}\n", warning);
  if (!warnings.empty()) warnings = '\n' + warnings;
  if (!study.confusion) return text + warnings;
  const ModelConfusion& confusion = *study.confusion;
  const std::size_t m = confusion.models.size();
  text += fmt::format("\nsimulated by (down), best by {} (across):\n", name_of(criterion_of(study.options)));
  std::vector<std::vector<std::string>> rows{{""}};
  rows[0].insert(rows[0].end(), confusion.models.begin(), confusion.models.end());
  for (std::size_t i = 0; i < m; ++i) {
    rows.push_back({confusion.models[i]});
    for (std::size_t j = 0; j < m; ++j) rows.back().push_back(share(confusion.confusion[i * m + j]));
  }
  return text + aligned(rows) + warnings;
}

std::string recover_json(const RecoverStudy& study) {
  Json json = Json::object();
  json["method"] = name_of(study.options.method);
  json["subjects"] = study.options.subjects;
  json["trials"] = study.task.trials * study.task.blocks;
  json["probabilities"] = study.task.probabilities;
  json["seed"] = study.options.seed;
  json["warnings"] = study.warnings;
  json["models"] = Json::array();
  for (const Recovery& recovery : study.recoveries) {
    Json model = Json::object();
    model["name"] = recovery.model.name;
    model["parameters"] = Json::object();
    for (const RecoveredParameter& p : recovery.parameters)
      model["parameters"][p.name] = {{"correlation", number_json(p.correlation)},
                                     {"rank_correlation", number_json(p.rank_correlation)},
                                     {"bias", number_json(p.bias)},
                                     {"rmse", number_json(p.rmse)},
                                     {"at_bounds", p.at_bounds}};
    json["models"].push_back(std::move(model));
  }
  if (study.confusion) {
    const ModelConfusion& confusion = *study.confusion;
    Json matrix = Json::object();
    matrix["criterion"] = name_of(criterion_of(study.options));
    matrix["models"] = confusion.models;
    matrix["confusion"] = Json::array();
    matrix["inversion"] = Json::array();
    const std::size_t m = confusion.models.size();
    for (std::size_t i = 0; i < m; ++i) {
      Json row = Json::array(), inverse = Json::array();
      for (std::size_t j = 0; j < m; ++j) {
        row.push_back(number_json(confusion.confusion[i * m + j]));
        inverse.push_back(number_json(confusion.inversion[i * m + j]));
      }
      matrix["confusion"].push_back(std::move(row));
      matrix["inversion"].push_back(std::move(inverse));
    }
    json["confusion"] = std::move(matrix);
  }
  return text_of(json);
}

runs::Drawn write_recovery(const RecoverStudy& study, const std::filesystem::path& folder, bool figures) {
  StudyPictures pictures(folder, figures);
  for (const Recovery& recovery : study.recoveries) {
    std::vector<std::string> names{"subject"};
    for (const Parameter& p : recovery.model.parameters) {
      names.push_back("true_" + p.name);
      names.push_back("fitted_" + p.name);
    }
    io::CsvWriter table(folder / fmt::format("recovery-{}.csv", file_name(recovery.model.name)), names);
    for (std::size_t i = 0; i < recovery.truth.size(); ++i) {
      table.whole(static_cast<std::int64_t>(i) + 1);
      for (std::size_t k = 0; k < recovery.truth[i].size(); ++k)
        table.number(recovery.truth[i][k]).number(recovery.fitted[i][k]);
      table.end_row();
    }
    table.commit();
    pictures.recovery(recovery);
  }
  if (study.confusion) {
    const ModelConfusion& confusion = *study.confusion;
    const std::size_t m = confusion.models.size();
    io::CsvWriter table(folder / "confusion.csv", {"simulated", "best_fitted", "count",
                                                   "p_best_given_simulated", "p_simulated_given_best"});
    for (std::size_t i = 0; i < m * m; ++i) {
      table.text(confusion.models[i / m]).text(confusion.models[i % m]).number(confusion.counts[i]);
      table.number(confusion.confusion[i]).number(confusion.inversion[i]);
      table.end_row();
    }
    table.commit();
    pictures.confusion(confusion);
  }
  return pictures.drawn();
}

}  // namespace likely::choice
