// Hot: Newton steps for every subject.
#include "likely/models/choice/engine/em_climb.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "likely/core/error.hpp"

namespace likely::choice::detail {

namespace {

using Numbers = std::vector<double>;

bool all_finite(const Numbers& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

double law_change(const Population& from, const Population& to) {
  double change = 0.0;
  for (std::size_t k = 0; k < to.parameters; ++k) change = std::max(change, detail::law_change(from, to, k));
  return change;
}

// Everybody's posterior covariance; without a width of its own a posterior has the population's, in the
// evidence too.
Numbers posterior_covariances(const Population& population, Fit& fit) {
  Numbers all;
  const std::size_t n = population.parameters;
  const Numbers factor = cholesky_factor(population.covariance, n);
  for (SubjectFit& subject : fit.subjects) {
    const Numbers& own = has_width(subject) ? subject.covariance : population.covariance;
    all.insert(all.end(), own.begin(), own.end());
    if (has_width(subject)) continue;
    subject.log_evidence = subject.log_joint;
    for (std::size_t k = 0; k < n; ++k) {
      subject.log_evidence += 0.5 * std::log(2.0 * std::numbers::pi) + std::log(factor[k * n + k]);
    }
  }
  return all;
}

Numbers modes_of(const Fit& fit) {
  Numbers all;
  for (const SubjectFit& subject : fit.subjects) {
    all.insert(all.end(), subject.unconstrained.begin(), subject.unconstrained.end());
  }
  return all;
}

// Where two steps lead if each is the same fraction of the one before; false where that is nowhere.
bool extrapolate(const EmRound& first, const EmRound& second, Population& ahead) {
  const Numbers x0 = first.law.numbers(), x1 = second.law.numbers(), x2 = second.next.numbers();
  double step = 0.0, bend = 0.0;
  for (std::size_t i = 0; i < x0.size(); ++i) {
    const double r = x1[i] - x0[i], v = x2[i] - x1[i] - r;
    step += r * r;
    bend += v * v;
  }
  constexpr double kFarthest = 100.0;
  const double a = std::min(std::sqrt(step / bend), kFarthest);
  if (!(a > 1.0)) return false;
  Numbers x(x0.size());
  for (std::size_t i = 0; i < x0.size(); ++i) {
    const double r = x1[i] - x0[i], v = x2[i] - x1[i] - r;
    x[i] = x0[i] + 2.0 * a * r + a * a * v;
  }
  ahead.set_numbers(x);
  return true;
}

}  // namespace

bool has_width(const SubjectFit& subject) {
  return all_finite(subject.covariance) && std::isfinite(subject.log_det_hessian);
}

double law_change(const Population& from, const Population& to, std::size_t parameter) {
  const double sd = to.sd(parameter);
  double change = std::abs(std::log(sd / from.sd(parameter)));
  for (std::size_t c = 0; c < to.terms(); ++c) {
    const std::size_t at = parameter * to.terms() + c;
    change = std::max(change, std::abs(to.coefficients[at] - from.coefficients[at]) / sd);
  }
  return change;
}

EmRound EmClimb::run(const Population& law, int most_rounds, int rounds_before) {
  most_rounds_ = most_rounds;
  rounds_before_ = rounds_before;
  EmRound first = round(law);
  while (going(first)) {
    EmRound second = round(first.next);
    if (!going(second)) return second;
    Population ahead = second.next;
    if (!extrapolate(first, second, ahead)) {
      first = round(second.next);
      continue;
    }
    first = round(ahead);
    // Laplace's evidence need not rise in every round, but it must not fall far.
    constexpr double kMostFall = 1.0;
    if (!(first.log_evidence > second.log_evidence - kMostFall)) {
      modes_ = second.modes;
      first = round(second.next);
    }
  }
  return first;
}

EmRound EmClimb::round(const Population& law) {
  EmRound result{law, posterior(law, modes_), {}, {}, 0.0, law};
  finish(result);
  history.push_back(result.log_evidence);
  const int rounds = rounds_before_ + static_cast<int>(history.size());
  if (options_.progress && !options_.progress({rounds, result.log_evidence, law_change(law, result.next)})) {
    stopped = true;
  }
  return result;
}

Fit EmClimb::posterior(const Population& law, const Numbers& start) const {
  return fit_posterior(likelihood_, {law.means(), law.precision()}, options_.fit, start);
}

// All that follows from everybody's posterior.
void EmClimb::finish(EmRound& result) {
  result.modes = modes_of(result.subjects);
  if (!all_finite(result.modes)) {
    refuse("choice::fit_hierarchical", "the posterior of a subject has no mode");
  }
  result.variances = posterior_covariances(result.law, result.subjects);
  result.log_evidence = result.subjects.log_evidence();
  result.next = result.law;
  result.next.estimate(result.modes, result.variances);
  modes_ = result.modes;
}

// Whether there is more to do after a round, which may find better modes on the way.
bool EmClimb::going(EmRound& result) {
  converged = law_change(result.law, result.next) <= options_.tolerance || is_level();
  if (converged && !stopped && look_again(result)) {
    converged = law_change(result.law, result.next) <= options_.tolerance;
  }
  return !converged && !stopped && static_cast<int>(history.size()) < most_rounds_;
}

// The evidence has long stopped rising: what still moves makes no difference.
bool EmClimb::is_level() const {
  constexpr std::ptrdiff_t kLong = 30;
  constexpr double kLittle = 5e-3;
  if (static_cast<std::ptrdiff_t>(history.size()) <= kLong) return false;
  const double before = *std::max_element(history.begin(), history.end() - kLong);
  return *std::max_element(history.end() - kLong, history.end()) < before + kLittle;
}

// Modes that are followed from round to round may be left behind by higher ones.
bool EmClimb::look_again(EmRound& result) {
  constexpr double kHigher = 1e-4;
  Fit anew = posterior(result.law, {});
  bool found = false;
  for (std::size_t i = 0; i < anew.subjects.size(); ++i) {
    if (!(anew.subjects[i].log_joint > result.subjects.subjects[i].log_joint + kHigher)) continue;
    result.subjects.subjects[i] = std::move(anew.subjects[i]);
    found = true;
  }
  if (found) finish(result);
  return found;
}

}  // namespace likely::choice::detail
