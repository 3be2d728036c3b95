// Hot: sums over subjects in every round.
#include "likely/models/choice/hierarchical_em.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/models/choice/engine/em_climb.hpp"
#include "likely/models/choice/engine/population.hpp"
#include "likely/prob/log_sum.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;
using detail::EmClimb;
using detail::EmRound;
using detail::Population;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse_fit(const std::string& message) { refuse("choice::fit_hierarchical", message); }

void check(const Likelihood& likelihood, const EmOptions& o) {
  if (likelihood.parameters() == 0) {
    refuse_fit(fmt::format("the model {} has no parameters", likelihood.model().name));
  }
  if (o.max_iterations < 1) {
    refuse_fit(fmt::format("max_iterations must be at least 1, got {}", o.max_iterations));
  }
  if (o.starts < 1) refuse_fit(fmt::format("starts must be at least 1, got {}", o.starts));
  if (!(o.tolerance > 0.0)) refuse_fit(fmt::format("tolerance must be above 0, got {}", o.tolerance));
  if (!(o.least_sd > 0.0)) refuse_fit(fmt::format("least_sd must be above 0, got {}", o.least_sd));
  if (o.integration_samples < 0) {
    refuse_fit(fmt::format("integration_samples must be at least 0, got {}", o.integration_samples));
  }
  const auto subjects = static_cast<std::size_t>(likelihood.subjects());
  if (o.values.size() != subjects * o.covariates.size()) {
    refuse_fit(fmt::format("{} covariates of {} subjects need {} values, got {}", o.covariates.size(),
                           subjects, subjects * o.covariates.size(), o.values.size()));
  }
  for (std::size_t i = 0; i < o.values.size(); ++i) {
    if (!std::isfinite(o.values[i])) {
      refuse_fit(fmt::format("{} of subject {} is {}", o.covariates[i % o.covariates.size()],
                             i / o.covariates.size() + 1, o.values[i]));
    }
  }
  for (std::size_t c = 0; c < o.covariates.size(); ++c) {
    constexpr double kLargest = 1e100;  // squares are made of them
    double largest = 0.0;
    for (std::size_t i = 0; i < subjects; ++i)
      largest = std::max(largest, std::fabs(o.values[i * o.covariates.size() + c]));
    if (largest <= kLargest && (largest == 0.0 || largest >= 1.0 / kLargest)) continue;
    refuse_fit(
        fmt::format("the largest number of the covariate {} is {}: it must lie between {} and {}, in "
                    "other units",
                    o.covariates[c], largest, 1.0 / kLargest, kLargest));
  }
  if (subjects < o.covariates.size() + 2) {
    refuse_fit(fmt::format("{} covariates need at least {} subjects, got {}", o.covariates.size(),
                           o.covariates.size() + 2, subjects));
  }
}

// ln of the mean likelihood of each subject over draws from the population.
Numbers integrate(const Likelihood& likelihood, const Population& population, const EmOptions& options,
                  Rng rng) {
  const auto subjects = static_cast<std::size_t>(likelihood.subjects());
  const std::size_t n = population.parameters;
  const Numbers factor = detail::cholesky_factor(population.covariance, n);
  const Numbers means = population.means();
  Numbers at(subjects * n), values(subjects), total(subjects, -std::numeric_limits<double>::infinity());
  for (int s = 0; s < options.integration_samples; ++s) {
    give_up_if(options.fit.cancelled);
    const Numbers z =
        rng.normal({static_cast<std::int64_t>(subjects * n)}, 0.0, 1.0, DType::f64).to_vector<double>();
    for (std::size_t i = 0; i < subjects; ++i) {
      const double* own = &z[i * n];
      for (std::size_t k = 0; k < n; ++k) {
        at[i * n + k] = means[i * n + k];
        for (std::size_t j = 0; j <= k; ++j) at[i * n + k] += factor[k * n + j] * own[j];
      }
    }
    likelihood.evaluate(at, values);
    for (std::size_t i = 0; i < subjects; ++i) {
      if (!std::isnan(values[i])) total[i] = likely::detail::log_sum(total[i], values[i]);
    }
  }
  for (double& v : total) v -= std::log(static_cast<double>(options.integration_samples));
  return total;
}

// The laws to begin with: the first is the parameters' own priors, the others lie around it.
std::vector<Population> first_laws(const Likelihood& likelihood, const EmOptions& options, Rng rng) {
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  Population law(n, static_cast<std::size_t>(likelihood.subjects()), options.values, options.full_covariance,
                 options.least_sd);
  std::vector<Population> laws;
  for (int s = 0; s < options.starts; ++s) {
    constexpr double kShift = 1.5, kSd = 1.0;
    const Numbers shift = rng.normal({likelihood.parameters()}, 0.0, kShift, DType::f64).to_vector<double>();
    for (std::size_t k = 0; k < n; ++k) {
      const Parameter& p = likelihood.model().parameters[k];
      law.coefficients[k * law.terms()] = p.prior_mean + (s == 0 ? 0.0 : shift[k]);
      law.covariance[k * n + k] = s == 0 ? p.prior_sd * p.prior_sd : kSd * kSd;
    }
    laws.push_back(law);
  }
  return laws;
}

// Tries each law for some rounds and follows the one that came highest.
EmRound climb(const Likelihood& likelihood, const EmOptions& options, Rng rng, HierarchicalFit& fit) {
  constexpr int kTrial = 12;
  std::vector<Population> laws = first_laws(likelihood, options, rng);
  std::optional<EmRound> best;
  for (std::size_t s = 0; s < laws.size() && laws.size() > 1; ++s) {
    EmClimb attempt(likelihood, options);
    EmRound reached = attempt.run(laws[s], std::min(kTrial, options.max_iterations), fit.iterations);
    fit.iterations += static_cast<int>(attempt.history.size());
    if (!best || reached.log_evidence > best->log_evidence) best = std::move(reached);
    fit.history = attempt.history;
    if (attempt.stopped) return *best;
  }
  EmClimb last(likelihood, options);
  EmRound reached = last.run(best ? best->law : laws[0], options.max_iterations, fit.iterations);
  fit.iterations += static_cast<int>(last.history.size());
  fit.history = last.history;
  fit.converged = last.converged;
  return reached;
}

void warn(const EmOptions& options, const EmRound& last, HierarchicalFit& fit) {
  const Population& population = last.law;
  if (!fit.converged) {
    fit.warnings.push_back(
        fmt::format("the law of the population still moved after {} rounds", fit.iterations));
  }
  for (const SubjectFit& subject : fit.subjects.subjects) {
    if (!detail::has_width(subject)) {
      fit.warnings.push_back(
          fmt::format("the posterior of subject {} has no width of its own: that of the population is taken",
                      subject.id));
    }
  }
  for (std::size_t k = 0; k < population.parameters; ++k) {
    constexpr double kMoves = 0.01;  // of a deviation, in one round
    if (fit.converged && detail::law_change(last.law, last.next, k) > std::max(kMoves, options.tolerance)) {
      fit.warnings.push_back(fmt::format("the law of {} still moves, but the evidence does not rise any more",
                                         fit.model.parameters[k].name));
    }
    if (population.sd(k) <= options.least_sd * (1.0 + 1e-6)) {
      fit.warnings.push_back(
          fmt::format("subjects hardly differ in {}: its deviation is at the least value, {}",
                      fit.model.parameters[k].name, options.least_sd));
    }
  }
}

// Standard errors of the coefficients, and the means of somebody with average covariates.
void set_errors(const EmRound& last, HierarchicalFit& fit) {
  const std::size_t terms = last.law.terms(), size = last.law.parameters * terms;
  const Numbers average = last.law.mean_terms();
  const Numbers covariance = last.law.coefficient_covariance(last.variances);
  fit.covariate_means.assign(average.begin() + 1, average.end());
  for (std::size_t a = 0; a < size; ++a) fit.standard_errors.push_back(std::sqrt(covariance[a * size + a]));
  for (std::size_t k = 0; k < last.law.parameters; ++k) {
    double mean = 0.0, variance = 0.0;
    for (std::size_t a = 0; a < terms; ++a) {
      mean += average[a] * last.law.coefficients[k * terms + a];
      for (std::size_t b = 0; b < terms; ++b)
        variance += average[a] * average[b] * covariance[(k * terms + a) * size + k * terms + b];
    }
    fit.means.push_back(mean);
    fit.mean_errors.push_back(std::sqrt(variance));
  }
}

}  // namespace

double HierarchicalFit::coefficient(int parameter, int covariate) const {
  return coefficients[static_cast<std::size_t>(parameter) * (covariates.size() + 1) +
                      static_cast<std::size_t>(covariate)];
}

double HierarchicalFit::standard_error(int parameter, int covariate) const {
  return standard_errors[static_cast<std::size_t>(parameter) * (covariates.size() + 1) +
                         static_cast<std::size_t>(covariate)];
}

double HierarchicalFit::sd(int parameter) const {
  const auto k = static_cast<std::size_t>(parameter);
  return std::sqrt(covariance[k * static_cast<std::size_t>(model.size()) + k]);
}

double HierarchicalFit::p_value(int parameter, int covariate) const {
  const double z = coefficient(parameter, covariate) / standard_error(parameter, covariate);
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

HierarchicalFit fit_hierarchical(const Likelihood& likelihood, const EmOptions& options, Rng rng) {
  check(likelihood, options);
  HierarchicalFit fit;
  fit.model = likelihood.model();
  fit.covariates = options.covariates;
  const EmRound last = climb(likelihood, options, rng.split(), fit);
  fit.subjects = last.subjects;
  fit.log_evidence = last.log_evidence;
  fit.coefficients = last.law.coefficients;
  fit.covariance = last.law.covariance;
  set_errors(last, fit);
  fit.population_parameters = static_cast<int>(last.law.count());
  fit.integrated_bic = kNaN;
  if (options.integration_samples > 0) {
    fit.integrated_log_likelihood = integrate(likelihood, last.law, options, rng.split());
    double total = 0.0, trials = 0.0;
    for (std::int64_t i = 0; i < likelihood.subjects(); ++i) {
      total += fit.integrated_log_likelihood[static_cast<std::size_t>(i)];
      trials += static_cast<double>(likelihood.trials(i));
    }
    fit.integrated_bic = -2.0 * total + fit.population_parameters * std::log(trials);
  }
  warn(options, last, fit);
  return fit;
}

}  // namespace likely::choice
