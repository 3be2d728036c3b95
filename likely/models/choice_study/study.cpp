#include "likely/models/choice_study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/models/choice_study/reporter.hpp"
#include "likely/models/choice_study/subject_parameters.hpp"

namespace likely::choice {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Subjects one by one: mle and map.
void fit_alone(const Likelihood& likelihood, const StudyOptions& options, const Reporter& report,
               ModelStudy& result) {
  const auto count = static_cast<double>(likelihood.subjects());
  const auto tell = [&](double done) { report({likelihood.model().name, "fitting", done}); };
  tell(0.0);
  FitOptions fit = options.fit;
  fit.cancelled = report.cancelled();
  fit.progress = [&](std::int64_t done) { tell(static_cast<double>(done) / count); };
  result.fit =
      options.method == Method::map ? fit_posterior(likelihood, fit) : fit_likelihood(likelihood, fit);
}

void fit_by_em(const Likelihood& likelihood, const StudyOptions& options, const Reporter& report,
               ModelStudy& result) {
  EmOptions em = options.em;
  em.fit = options.fit;
  em.fit.cancelled = report.cancelled();
  // The first round is the longest, and there is nothing else to tell yet.
  train::event::Stage at{likelihood.model().name, "round 1", 0.0};
  em.fit.progress = [&](std::int64_t done) {
    if (!std::isnan(at.done))
      at.done = static_cast<double>(done) / static_cast<double>(likelihood.subjects());
    report(at);
  };
  em.progress = [&](const EmProgress& now) {
    at.doing = fmt::format("round {}, ln evidence {:.2f}", now.iteration, now.log_evidence);
    at.done = kNaN;
    report(at);
    return true;
  };
  result.em = fit_hierarchical(likelihood, em, Rng(options.seed));
  result.fit = result.em->subjects;
  report({likelihood.model().name, "fitting", 1.0});
}

// How far all chains together are.
class ChainProgress {
 public:
  ChainProgress(const Reporter& report, std::string model, std::int64_t chains)
      : report_(report), model_(std::move(model)), at_(static_cast<std::size_t>(chains)) {}
  void operator()(const NutsProgress& now) {
    at_[static_cast<std::size_t>(now.chain)] = now.iteration;
    double sum = 0.0;
    for (const std::int64_t iteration : at_) sum += static_cast<double>(iteration);
    report_({model_, now.warming ? "warming up" : "sampling",
             sum / static_cast<double>(now.iterations) / static_cast<double>(at_.size())});
  }

 private:
  const Reporter& report_;
  std::string model_;
  std::vector<std::int64_t> at_;
};

// A subject as the posterior sees it.
SubjectFit posterior_fit(const SampledStudy& sampled, const Likelihood& likelihood, std::int64_t subject) {
  const Model& model = likelihood.model();
  const auto n = static_cast<std::size_t>(model.size());
  SubjectFit fit;
  fit.id = likelihood.id(subject);
  fit.trials = likelihood.trials(subject);
  fit.converged = true;
  for (std::size_t k = 0; k < n; ++k) {
    const Summary& s = sampled.subjects[static_cast<std::size_t>(subject) * n + k];
    fit.estimate.push_back(s.mean);
    fit.unconstrained.push_back(model.parameters[k].unconstrained(s.mean));
    fit.standard_error.push_back(s.sd);
    fit.interval_lower.push_back(s.low);
    fit.interval_upper.push_back(s.high);
    fit.standing.push_back(Standing::inside);
  }
  fit.covariance.assign(n * n, kNaN);
  fit.log_likelihood = likelihood.evaluate_subject(subject, fit.estimate, {}, {}, Scale::natural);
  fit.chance = likelihood.chance(subject);
  fit.pseudo_r2 = 1.0 - fit.log_likelihood / fit.chance;
  fit.aic = fit.bic = fit.log_joint = fit.log_det_hessian = fit.log_evidence = kNaN;
  return fit;
}

void fit_by_nuts(const Trials& trials, const Likelihood& likelihood, const StudyOptions& options,
                 const Reporter& report, ModelStudy& result) {
  const CancelTest cancelled = report.cancelled();
  HierarchicalOptions hierarchical = options.hierarchical;
  hierarchical.cancelled = cancelled;
  ChainProgress progress(report, likelihood.model().name, hierarchical.sampler.chains);
  hierarchical.sampler.progress = [&](const NutsProgress& now) {
    progress(now);
    return true;
  };
  Rng rng(options.seed);
  SampledStudy sampled{sample_hierarchical(likelihood, rng.split(), hierarchical), {}, {}, {}, {}, {}};
  const SummaryOptions summary{.interval = options.fit.confidence};
  std::vector<std::string> ids;
  for (const Subject& subject : trials.subjects) ids.push_back(subject.id);
  report({likelihood.model().name, "summaries", kNaN});
  sampled.group = sampled.posterior.group_summaries(summary);
  sampled.subjects = sampled.posterior.subject_summaries(ids, summary, cancelled);
  constexpr std::int64_t kMostDraws = 1000;
  const PointwiseLogLikelihood pointwise =
      trial_log_likelihood(sampled.posterior, likelihood, kMostDraws, cancelled);
  sampled.loo = leave_one_out(pointwise, 1.0, cancelled);
  sampled.waic = waic(pointwise, cancelled);
  sampled.subject_loo = by_subject(sampled.loo, likelihood);
  result.fit.model = likelihood.model();
  result.fit.is_posterior = true;
  for (std::int64_t i = 0; i < likelihood.subjects(); ++i)
    result.fit.subjects.push_back(posterior_fit(sampled, likelihood, i));
  result.sampled = std::move(sampled);
  report({likelihood.model().name, "summaries", 1.0});
}

ModelStudy fit_model(const Trials& trials, const Model& model, const StudyOptions& options) {
  ModelStudy result;
  const Reporter report(options.events, options.cancelled);
  const Likelihood likelihood(model, trials);
  switch (options.method) {
    case Method::mle:
    case Method::map: fit_alone(likelihood, options, report, result); break;
    case Method::em: fit_by_em(likelihood, options, report, result); break;
    case Method::nuts: fit_by_nuts(trials, likelihood, options, report, result); break;
  }
  return result;
}

// Priors, bounds and first guesses suit values of about 1.
void warn_of_scale(const Trials& trials, std::vector<std::string>& warnings) {
  constexpr double kLarge = 1e3;
  constexpr double kSmall = 1e-3;
  double largest = 0.0;
  for (const Subject& subject : trials.subjects) {
    for (const double outcome : subject.outcome) largest = std::max(largest, std::fabs(outcome));
  }
  if (largest == 0.0 || (largest >= kSmall && largest <= kLarge)) return;
  warnings.push_back(fmt::format(
      "the largest outcome is {:.4g}: priors and bounds suit outcomes of about 1, so the estimates may "
      "say more about them than about the trials; {} all outcomes by {:.7g}",
      largest, largest > 1.0 ? "divide" : "multiply",
      std::pow(10.0, std::round(std::fabs(std::log10(largest))))));
}

}  // namespace

Study fit_study(const Trials& trials, const std::vector<Model>& models, const StudyOptions& options) {
  if (trials.subjects.empty()) throw Error("there are no subjects");
  Study study;
  study.subjects = static_cast<std::int64_t>(trials.subjects.size());
  study.trials = trials.size();
  study.options = trials.options;
  study.option_names = trials.option_names;
  study.method = options.method;
  study.seed = options.seed;
  study.warnings = trials.warnings;
  study.notes = trials.notes;
  study.warnings.insert(study.warnings.end(), options.notes.begin(), options.notes.end());
  warn_of_scale(trials, study.warnings);
  for (const Model& model : models) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      study.models.push_back(fit_model(trials, model, options));
    } catch (const Cancelled&) {
      study.interrupted = true;
      return study;
    }
    study.models.back().seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return study;
}

std::vector<double> ModelStudy::scores() const {
  if (sampled) return sampled->subject_loo;
  if (em && !em->integrated_log_likelihood.empty()) return em->integrated_log_likelihood;
  std::vector<double> scores;
  for (const SubjectFit& subject : fit.subjects)
    scores.push_back(fit.is_posterior ? subject.log_evidence : -0.5 * subject.bic);
  return scores;
}

double ModelStudy::log_joint() const {
  double sum = 0.0;
  for (const SubjectFit& subject : fit.subjects) sum += subject.log_joint;
  return sum;
}

std::vector<std::string> ModelStudy::warnings() const {
  std::vector<std::string> all = fit.warnings();
  if (em) all.insert(all.begin(), em->warnings.begin(), em->warnings.end());
  if (!sampled) return all;
  std::vector<Summary> summaries = sampled->group;
  summaries.insert(summaries.end(), sampled->subjects.begin(), sampled->subjects.end());
  for (const std::string& warning : sampling_warnings(sampled->posterior.draws, summaries))
    all.push_back(warning);
  return all;
}

std::vector<std::string> read_covariates(const std::string& path, const Trials& trials, EmOptions& em) {
  const SubjectTable table = read_subject_table(path);
  if (table.columns.empty()) throw Error(fmt::format("{}: there is no column besides the ids", path));
  std::map<std::string, std::size_t> row_of;
  for (std::size_t r = 0; r < table.ids.size(); ++r) row_of.emplace(table.ids[r], r);
  em.covariates = table.columns;
  em.values.clear();
  for (const Subject& subject : trials.subjects) {
    const auto found = row_of.find(subject.id);
    if (found == row_of.end()) throw Error(fmt::format("{}: subject {} has no row", path, subject.id));
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const double x = table.numbers[found->second * table.columns.size() + c];
      if (!std::isfinite(x))
        throw Error(fmt::format("{}: {} of subject {} is missing", path, table.columns[c], subject.id));
      em.values.push_back(x);
    }
  }
  std::vector<std::string> notes;
  for (const std::string& note : table.notes) notes.push_back(fmt::format("{}: {}", path, note));
  return notes;
}

}  // namespace likely::choice
