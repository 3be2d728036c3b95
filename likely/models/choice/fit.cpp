#include "likely/models/choice/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/choice/engine/candidates.hpp"
#include "likely/models/choice/engine/likelihood_state.hpp"
#include "likely/models/choice/engine/subject_fit.hpp"

namespace likely::choice {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// With the numbers that were left open. A choice of the best option makes the likelihood a staircase: only
// looking at many points helps.
FitOptions checked(FitOptions options, const Model& model) {
  const auto check = [](bool good, const std::string& what) {
    if (!good) refuse("choice::fit", what);
  };
  check(options.starts >= 0, fmt::format("starts must not be negative, got {}", options.starts));
  check(options.candidates >= 0, fmt::format("candidates must not be negative, got {}", options.candidates));
  const bool few = model.size() <= 2;
  if (options.starts == 0) options.starts = few ? 16 : 64;
  if (options.candidates == 0) {
    options.candidates = model.parts.choosing == Choosing::greedy ? 1024 : few ? 64 : 512;
    options.candidates = std::max(options.candidates, options.starts);
  }
  check(options.candidates >= options.starts,
        fmt::format("there are {} starts, but only {} candidates", options.starts, options.candidates));
  check(options.iterations >= 1, fmt::format("iterations must be at least 1, got {}", options.iterations));
  check(options.confidence > 0.0 && options.confidence < 1.0,
        fmt::format("confidence must lie between 0 and 1, got {}", options.confidence));
  return options;
}

Fit run(const Likelihood& likelihood, const ClimbTarget& target, const FitOptions& options) {
  const Likelihood::State& state = likelihood.state();
  Fit fit;
  fit.model = likelihood.model();
  fit.is_posterior = target.is_posterior;
  fit.subjects.resize(index(static_cast<int>(likelihood.subjects())));
  double work = 0.0;
  for (const Group& group : state.groups) work += 40.0 * nanoseconds_of(fit.model, group, 2);
  std::mutex guard;
  std::int64_t done = 0;
  const double z = normal_quantile(0.5 + 0.5 * options.confidence);
  parallel_tiles(static_cast<std::int64_t>(state.groups.size()), work, [&](std::int64_t g) {
    const Group& group = state.groups[static_cast<std::size_t>(g)];
    const std::vector<Summit> summits = climb_group(target, group, g * kLanes, options);
    for (int lane = 0; lane < group.subjects; ++lane) {
      const auto s = static_cast<std::size_t>(g * kLanes + lane);
      SubjectFit subject = describe_subject(target, summits[index(lane)], z);
      subject.id = state.ids[s];
      subject.trials = group.lengths[index(lane)];
      subject.chance = likelihood.chance(static_cast<std::int64_t>(s));
      subject.pseudo_r2 = 1.0 - subject.log_likelihood / subject.chance;
      subject.aic = 2.0 * fit.model.size() - 2.0 * subject.log_likelihood;
      subject.bic =
          fit.model.size() * std::log(static_cast<double>(subject.trials)) - 2.0 * subject.log_likelihood;
      fit.subjects[s] = std::move(subject);
    }
    if (!options.progress) return;
    const std::scoped_lock lock(guard);
    options.progress(done += group.subjects);
  });
  return fit;
}

// ln of the normalizer of a normal density with this precision. Refuses one that is not positive definite.
double log_normalizer(const NormalPrior& prior, int n) {
  std::vector<double> matrix = prior.precision;
  std::vector<double> values;
  std::vector<double> vectors;
  symmetric_eigen(matrix, n, values, vectors);
  double sum = -0.5 * n * std::log(2.0 * std::numbers::pi);
  for (const double value : values) {
    if (!(value > 0.0))
      refuse("choice::fit_posterior", "the precision of the prior must be positive definite");
    sum += 0.5 * std::log(value);
  }
  return sum;
}

void check_prior(const Likelihood& likelihood, const NormalPrior& prior, const std::vector<double>& start) {
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  const auto s = static_cast<std::size_t>(likelihood.subjects());
  if (prior.mean.size() != n && prior.mean.size() != s * n) {
    refuse("choice::fit_posterior",
           fmt::format("the prior has {} means for {} parameters and {} subjects", prior.mean.size(), n, s));
  }
  if (prior.precision.size() != n * n) {
    refuse("choice::fit_posterior", fmt::format("the precision of the prior has {} numbers, {} are needed",
                                                prior.precision.size(), n * n));
  }
  if (!start.empty() && start.size() != s * n) {
    refuse("choice::fit_posterior", fmt::format("start has {} numbers, {} are needed", start.size(), s * n));
  }
}

double sum_of(const Fit& fit, double SubjectFit::*what) {
  double total = 0.0;
  for (const SubjectFit& subject : fit.subjects) total += subject.*what;
  return total;
}

}  // namespace

Fit fit_likelihood(const Likelihood& likelihood, const FitOptions& wanted) {
  const Model& model = likelihood.model();
  const FitOptions options = checked(wanted, model);
  const std::vector<double> start;
  Candidates candidates = box_candidates(model, options.candidates);
  ClimbTarget target{
      &model, false, {}, nullptr, 0.0, std::move(candidates.points), std::move(candidates.places), &start};
  for (const Parameter& p : model.parameters) {
    target.bounds.lower.push_back(p.box_lower);
    target.bounds.upper.push_back(p.box_upper);
    target.bounds.scale.push_back(0.1 * (p.box_upper - p.box_lower));
  }
  return run(likelihood, target, options);
}

NormalPrior default_prior(const Model& model) {
  NormalPrior prior;
  const auto n = static_cast<std::size_t>(model.size());
  prior.precision.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    prior.mean.push_back(model.parameters[i].prior_mean);
    prior.precision[i * n + i] = 1.0 / (model.parameters[i].prior_sd * model.parameters[i].prior_sd);
  }
  return prior;
}

Fit fit_posterior(const Likelihood& likelihood, const FitOptions& options) {
  return fit_posterior(likelihood, default_prior(likelihood.model()), options);
}

Fit fit_posterior(const Likelihood& likelihood, const NormalPrior& prior, const FitOptions& wanted,
                  const std::vector<double>& start) {
  check_prior(likelihood, prior, start);
  const Model& model = likelihood.model();
  const FitOptions options = checked(wanted, model);
  const auto n = static_cast<std::size_t>(model.size());
  Candidates candidates = prior_candidates(prior, model.size(), options.candidates);
  ClimbTarget target{&model,
                     true,
                     {},
                     &prior,
                     log_normalizer(prior, model.size()),
                     std::move(candidates.points),
                     std::move(candidates.places),
                     &start};
  target.bounds.lower.assign(n, -std::numeric_limits<double>::infinity());
  target.bounds.upper.assign(n, std::numeric_limits<double>::infinity());
  target.bounds.scale.assign(n, 1.0);
  return run(likelihood, target, options);
}

double Fit::log_likelihood() const { return sum_of(*this, &SubjectFit::log_likelihood); }
double Fit::aic() const { return sum_of(*this, &SubjectFit::aic); }
double Fit::bic() const { return sum_of(*this, &SubjectFit::bic); }
double Fit::log_evidence() const { return sum_of(*this, &SubjectFit::log_evidence); }

double Fit::joint_bic() const {
  double trials = 0.0;
  for (const SubjectFit& subject : subjects) trials += static_cast<double>(subject.trials);
  return static_cast<double>(subjects.size()) * model.size() * std::log(trials) - 2.0 * log_likelihood();
}

std::vector<std::string> Fit::warnings() const {
  std::vector<std::string> all;
  for (const SubjectFit& subject : subjects) {
    for (const std::string& warning : subject.warnings)
      all.push_back(fmt::format("subject {}: {}", subject.id, warning));
  }
  return all;
}

}  // namespace likely::choice
