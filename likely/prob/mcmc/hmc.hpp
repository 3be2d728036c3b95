// Hamiltonian Monte Carlo: samples of a model's parameters from any density (Bayesian prediction, 9.11-9.12).
//
//   auto posterior = hmc(model, [&](const Model& m) { return log_prior(m) + sum(likelihood(m).log_prob(y));
//   },
//                        rng.split(), {.samples = 1000});
//   Tensor prediction = posterior_mean(posterior.samples, [&](const Model& m) { return m(x); });
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/mcmc/density_gradient.hpp"

namespace likely {

// Refused: samples < 0, warm_up < 0, leapfrog_steps < 1, thin < 1, a step_size that is not above 0 and a
// target_acceptance outside (0, 1).
struct HmcOptions {
  std::int64_t samples = 1000;
  std::int64_t warm_up = 500;  // trajectories before the first sample, in which the step size is adapted
  std::int64_t leapfrog_steps = 16;  // of the longest trajectory; each has from half of them on, drawn evenly
  std::int64_t thin = 1;             // every so many trajectories make one sample
  double step_size = 0.1;            // where the adaptation begins; without a warm-up, what is used
  double target_acceptance = 0.8;    // what the adaptation aims at
};

// How a run of hmc went.
struct HmcStatistics {
  double acceptance = 0.0;  // mean probability of acceptance after the warm-up
  double step_size = 0.0;   // the one used after the warm-up
  std::int64_t divergences =
      0;  // trajectories after the warm-up whose energy was not kept: the step is too long
  std::vector<double> log_densities;  // of the samples
};

template <class Model>
struct HmcResult {
  std::vector<Model> samples;
  HmcStatistics statistics;
};

namespace detail {

using KeepSample = std::function<void(const std::vector<double>& position)>;

HmcStatistics run_hmc(std::vector<double> position, const DensityGradientFunction& density,
                      const KeepSample& keep, Rng rng, const HmcOptions& options);

void check_not_empty(const char* name, std::size_t samples);
// total + value and log(e^total + e^value), where an empty total is value.
Tensor plus(const Tensor& total, const Tensor& value);
Tensor log_plus(const Tensor& total, const Tensor& value);
Tensor divided(const Tensor& total, std::size_t count);
Tensor log_divided(const Tensor& total, std::size_t count);

}  // namespace detail

// Draws models from the density proportional to e^log_density(model), by leapfrog trajectories with the unit
// mass matrix (Neal 2011); in the warm-up the step size is adapted by dual averaging (Hoffman and Gelman
// 2014). Parameters move; buffers and frozen parts stay. log_density returns one number; where
// that is -inf, or a parameter is refused as outside its domain, nothing is accepted (unconstrained forms get
// on better). Deterministic in rng. Refuses a start whose log-density is not finite, and a log-density that
// uses none of the parameters.
template <Tree Model, class LogDensity>
HmcResult<Model> hmc(const Model& start, const LogDensity& log_density, Rng rng,
                     const HmcOptions& options = {}) {
  HmcResult<Model> result;
  const auto keep = [&](const std::vector<double>& position) {
    result.samples.push_back(detail::with_numbers(start, position));
  };
  result.statistics =
      detail::run_hmc(detail::learned_numbers(start), detail::density_gradient_of("hmc", start, log_density),
                      keep, rng, options);
  return result;
}

// The mean of f(model) over samples: what is expected of a new answer, given the data (9.12).
template <class Model, class Function>
Tensor posterior_mean(const std::vector<Model>& samples, const Function& f) {
  detail::check_not_empty("posterior_mean", samples.size());
  Tensor total;
  for (const Model& model : samples) total = detail::plus(total, f(model));
  return detail::divided(total, samples.size());
}

// The logarithm of the mean of e^f(model): with f a log_prob, the log-probability of new data given the old
// (9.12).
template <class Model, class Function>
Tensor posterior_log_prob(const std::vector<Model>& samples, const Function& f) {
  detail::check_not_empty("posterior_log_prob", samples.size());
  Tensor total;
  for (const Model& model : samples) total = detail::log_plus(total, f(model));
  return detail::log_divided(total, samples.size());
}

}  // namespace likely
