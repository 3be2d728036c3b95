// The study as tables to read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "likely/core/printable.hpp"
#include "likely/models/choice_study/option_text.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/models/choice_study/report_text.hpp"
#include "likely/prob/sample_moments.hpp"

namespace likely::choice {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWarningsShown = 5;

std::string fixed(double x, int digits = 2) {
  return std::isfinite(x) ? fmt::format("{:.{}f}", x, digits) : std::string("-");
}
std::string short_number(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : std::string("-"); }

double mean_r2(const Fit& fit) {
  double sum = 0.0;
  for (const SubjectFit& subject : fit.subjects) sum += subject.pseudo_r2;
  return sum / static_cast<double>(fit.subjects.size());
}

const char* describe(Method method) {
  switch (method) {
    case Method::mle: return "maximum likelihood, each subject alone";
    case Method::map: return "posterior mode of each subject, with Laplace's evidence";
    case Method::em: return "a population and its members, by expectation-maximization";
    case Method::nuts: break;
  }
  return "a population and its members, sampled by NUTS";
}

Rows model_rows(const Study& study) {
  Rows rows{{"model", "parameters", "log-likelihood", "R2"}};
  const Method method = study.method;
  const auto add = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) rows[0].emplace_back(name);
  };
  if (method == Method::nuts) {
    add({"LOO", "+-", "WAIC"});
  } else {
    add({"AIC", "BIC"});
    if (method != Method::mle) add({"ln evidence"});
    if (method == Method::em) add({"iBIC", "rounds"});
  }
  for (const ModelStudy& model : study.models) {
    const Fit& fit = model.fit;
    std::vector<std::string> row{fit.model.name, std::to_string(fit.model.size()),
                                 fixed(fit.log_likelihood()), fixed(mean_r2(fit), 3)};
    if (model.sampled) {
      row.push_back(fixed(model.sampled->loo.elpd));
      row.push_back(fixed(model.sampled->loo.standard_error));
      row.push_back(fixed(model.sampled->waic.elpd));
    } else {
      row.push_back(fixed(fit.aic()));
      row.push_back(fixed(fit.bic()));
      if (method != Method::mle) row.push_back(fixed(fit.log_evidence()));
    }
    if (model.em) {
      row.push_back(fixed(model.em->integrated_bic));
      row.push_back(fmt::format("{}", model.em->iterations));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The estimates over subjects.
Rows parameter_rows(const Fit& fit) {
  Rows rows{{"parameter", "mean", "sd", "min", "median", "max"}};
  // With a prior every parameter has a place, whatever the trials say.
  if (!fit.is_posterior) rows[0].insert(rows[0].end(), {"at a bound", "not determined"});
  for (std::size_t k = 0; k < fit.model.parameters.size(); ++k) {
    std::vector<double> x;
    std::int64_t at_bound = 0, flat = 0;
    for (const SubjectFit& subject : fit.subjects) {
      x.push_back(subject.estimate[k]);
      flat += subject.standing[k] == Standing::flat ? 1 : 0;
      at_bound +=
          subject.standing[k] == Standing::at_lower || subject.standing[k] == Standing::at_upper ? 1 : 0;
    }
    const double sd = x.size() > 1 ? std::sqrt(likely::detail::variance_of(x)) : std::nan("");
    rows.push_back({fit.model.parameters[k].name, short_number(likely::detail::mean_of(x)), short_number(sd),
                    short_number(quantile(x, 0.0)), short_number(quantile(x, 0.5)),
                    short_number(quantile(x, 1.0))});
    if (!fit.is_posterior)
      rows.back().insert(rows.back().end(), {std::to_string(at_bound), std::to_string(flat)});
  }
  return rows;
}

Rows em_rows(const HierarchicalFit& em) {
  Rows rows{{"population", "middle", "mean", "+-", "sd"}};
  for (const std::string& covariate : em.covariates) {
    rows[0].push_back("by " + covariate);
    rows[0].emplace_back("+-");
    rows[0].emplace_back("p");
  }
  for (int k = 0; k < em.model.size(); ++k) {
    const Parameter& p = em.model.parameters[static_cast<std::size_t>(k)];
    const double mean = em.means[static_cast<std::size_t>(k)];
    std::vector<std::string> row{p.name, short_number(p.natural(mean)), short_number(mean),
                                 short_number(em.mean_errors[static_cast<std::size_t>(k)]),
                                 short_number(em.sd(k))};
    for (int c = 1; c <= static_cast<int>(em.covariates.size()); ++c) {
      row.push_back(short_number(em.coefficient(k, c)));
      row.push_back(short_number(em.standard_error(k, c)));
      row.push_back(short_number(em.p_value(k, c)));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Whose mean and middle these are.
std::string average_text(const HierarchicalFit& em) {
  if (em.covariates.empty()) return "";
  std::vector<std::string> means;
  for (std::size_t c = 0; c < em.covariates.size(); ++c)
    means.push_back(fmt::format("{} {:.4g}", printable_line(em.covariates[c]), em.covariate_means[c]));
  return fmt::format("mean and middle are those of somebody with the mean of the covariates: {}\n",
                     fmt::join(means, ", "));
}

// A warning without the subject and the numbers in it.
std::string kind_of(const std::string& warning) {
  constexpr std::string_view kSubject = "subject ";
  std::string kind;
  for (std::size_t i = 0; i < warning.size(); ++i) {
    if (std::string_view(warning).substr(i).starts_with(kSubject)) {
      kind += kSubject;
      i = std::min(warning.find_first_of(" :", i + kSubject.size()), warning.size()) - 1;
    } else if (std::isdigit(static_cast<unsigned char>(warning[i])) == 0) {
      kind += warning[i];
    }
  }
  return kind;
}

void add_warnings(std::string& text, const std::string& of, const std::vector<std::string>& warnings) {
  const std::size_t shown = std::min(kWarningsShown, warnings.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("warning: {}{}\n", of, printable_line(warnings[i]));
  if (warnings.size() == shown) return;
  // Of each kind the first that was not shown.
  std::vector<std::pair<std::string, std::size_t>> kinds;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = shown; i < warnings.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(kind_of(warnings[i]), kinds.size());
    if (is_new) kinds.emplace_back(warnings[i], 0);
    ++kinds[place->second].second;
  }
  text += fmt::format("warning: {}and {} more:\n", of, warnings.size() - shown);
  for (const auto& [example, count] : kinds) {
    text += count == 1 ? fmt::format("  {}\n", printable_line(example))
                       : fmt::format("  {} such as: {}\n", count, printable_line(example));
  }
}

}  // namespace

std::string heading_text(const Study& study) {
  std::string text =
      fmt::format("{}{} subject{}, {} trial{}, {} options",
                  study.file.empty() ? "" : printable_line(study.file) + ": ", study.subjects,
                  study.subjects == 1 ? "" : "s", study.trials, study.trials == 1 ? "" : "s", study.options);
  if (!study.option_names.empty())
    text += ": " + printable_line(fmt::format("{}", fmt::join(study.option_names, ", ")));
  text += '\n';
  for (const std::string& note : study.notes) text += printable_line(note) + '\n';
  return text + fmt::format("{}: {}\n\n", name_of(study.method), describe(study.method));
}

std::string models_text(const Study& study) { return aligned(model_rows(study)); }

std::string warnings_text(const Study& study) {
  std::string text;
  add_warnings(text, "", study.warnings);
  for (const ModelStudy& model : study.models)
    add_warnings(text, model.fit.model.name + ", ", model.warnings());
  return text.empty() ? text : '\n' + text;
}

std::string study_text(const Study& study) {
  std::string text = heading_text(study) + models_text(study);
  for (const ModelStudy& model : study.models) {
    if (model.fit.model.size() == 0) continue;
    text += fmt::format("\n{}, {}:\n{}", model.fit.model.name,
                        study.method == Method::nuts ? "posterior means of the subjects" : "subjects",
                        aligned(parameter_rows(model.fit)));
    if (study.method == Method::map || study.method == Method::em)
      text +=
          "the prior settles what the trials leave open; `method = mle` counts the subjects whose parameters "
          "they do not determine\n";
    if (model.em)
      text += fmt::format("mean and sd are unconstrained; the middle is the parameter there\n{}{}",
                          average_text(*model.em), aligned(em_rows(*model.em)));
    if (model.sampled) text += summary_table(model.sampled->group);
  }
  return text + warnings_text(study);
}

}  // namespace likely::choice
