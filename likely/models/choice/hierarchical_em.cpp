#include "likely/models/choice/hierarchical_em.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/core/error.hpp"
#include "likely/kernels/factorize.hpp"
#include "likely/models/choice/population.hpp"
#include "likely/prob/log_sum.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;
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
  if (subjects < o.covariates.size() + 2) {
    refuse_fit(fmt::format("{} covariates need at least {} subjects, got {}", o.covariates.size(),
                           o.covariates.size() + 2, subjects));
  }
}

// How far the population's law moved, in units of its own deviations.
double change_of(const Population& from, const Population& to) {
  double change = 0.0;
  const std::size_t terms = to.terms();
  for (std::size_t k = 0; k < to.parameters; ++k) {
    const double sd = to.sd(k);
    for (std::size_t c = 0; c < terms; ++c) {
      change =
          std::max(change, std::abs(to.coefficients[k * terms + c] - from.coefficients[k * terms + c]) / sd);
    }
    change = std::max(change, std::abs(std::log(sd / from.sd(k))));
  }
  return change;
}

// Everybody's posterior covariance; where the trials do not determine it, the population's.
Numbers posterior_covariances(const Fit& fit, const Population& population) {
  Numbers all;
  for (const SubjectFit& subject : fit.subjects) {
    const bool known = std::all_of(subject.covariance.begin(), subject.covariance.end(),
                                   [](double v) { return std::isfinite(v); });
    const Numbers& own = known ? subject.covariance : population.covariance;
    all.insert(all.end(), own.begin(), own.end());
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

// ln of the mean likelihood of each subject over draws from the population.
Numbers integrate(const Likelihood& likelihood, const Population& population, int samples, Rng rng) {
  const auto subjects = static_cast<std::size_t>(likelihood.subjects());
  const std::size_t n = population.parameters;
  const Numbers factor = detail::cholesky_factor(population.covariance, n);
  const Numbers means = population.means();
  Numbers at(subjects * n), values(subjects), total(subjects, -std::numeric_limits<double>::infinity());
  for (int s = 0; s < samples; ++s) {
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
  for (double& v : total) v -= std::log(static_cast<double>(samples));
  return total;
}

void warn(const EmOptions& options, const Population& population, HierarchicalFit& fit) {
  if (!fit.converged) {
    fit.warnings.push_back(
        fmt::format("the law of the population still moved after {} rounds", fit.iterations));
  }
  for (std::size_t k = 0; k < population.parameters; ++k) {
    if (population.sd(k) <= options.least_sd) {
      fit.warnings.push_back(
          fmt::format("subjects hardly differ in {}: its deviation is at the least value, {}",
                      fit.model.parameters[k].name, options.least_sd));
    }
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
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  Population population(n, static_cast<std::size_t>(likelihood.subjects()), options.values,
                        options.full_covariance, options.least_sd);
  for (std::size_t k = 0; k < n; ++k) {
    const Parameter& p = fit.model.parameters[k];
    population.coefficients[k * population.terms()] = p.prior_mean;
    population.covariance[k * n + k] = p.prior_sd * p.prior_sd;
  }
  Numbers start, variances;
  bool going = true;
  while (going) {
    const NormalPrior prior{population.means(), population.precision()};
    // Once found, the modes are followed: the law moves little from round to round.
    fit.subjects = fit_posterior(likelihood, prior, options.fit, start);
    start = modes_of(fit.subjects);
    if (!std::all_of(start.begin(), start.end(), [](double v) { return std::isfinite(v); })) {
      refuse_fit("the posterior of a subject has no mode");
    }
    variances = posterior_covariances(fit.subjects, population);
    fit.log_evidence = fit.subjects.log_evidence();
    fit.history.push_back(fit.log_evidence);
    fit.iterations += 1;
    Population next = population;
    next.estimate(start, variances);
    const double change = change_of(population, next);
    fit.converged = change <= options.tolerance;
    going = !fit.converged && fit.iterations < options.max_iterations;
    if (options.progress && !options.progress({fit.iterations, fit.log_evidence, change})) going = false;
    // What is reported belongs together: the modes and their evidence are those under this law.
    if (going) population = std::move(next);
  }
  fit.coefficients = population.coefficients;
  fit.covariance = population.covariance;
  fit.standard_errors = population.standard_errors(variances);
  fit.population_parameters = static_cast<int>(population.count());
  fit.integrated_bic = kNaN;
  if (options.integration_samples > 0) {
    fit.integrated_log_likelihood = integrate(likelihood, population, options.integration_samples, rng);
    double total = 0.0, trials = 0.0;
    for (std::int64_t i = 0; i < likelihood.subjects(); ++i) {
      total += fit.integrated_log_likelihood[static_cast<std::size_t>(i)];
      trials += static_cast<double>(likelihood.trials(i));
    }
    fit.integrated_bic = -2.0 * total + fit.population_parameters * std::log(trials);
  }
  warn(options, population, fit);
  return fit;
}

}  // namespace likely::choice
