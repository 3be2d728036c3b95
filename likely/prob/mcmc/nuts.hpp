// The no-U-turn sampler: samples from any density whose gradient is known, without a length or a step to
// tune.
//
//   auto posterior = nuts(model, log_density, rng.split());            // a model and a function of it, as
//   hmc auto draws = nuts(std::vector{0.0, 0.0}, [](const std::vector<double>& x) {    // or plain numbers
//     return DensityGradient{-0.5 * (x[0] * x[0] + x[1] * x[1]), {-x[0], -x[1]}};
//   }, rng.split());
//   std::cout << summary_table(summarize(draws));                      // summary.hpp; convergence.hpp
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/mcmc/convergence.hpp"
#include "likely/prob/mcmc/density_gradient.hpp"

namespace likely {

// What the warm-up learns of the covariance of the numbers.
enum class Mass : std::uint8_t { unit, diagonal, dense };

// Where a chain is, after each of its iterations.
struct NutsProgress {
  std::int64_t chain;
  std::int64_t iteration;   // counted from 1
  std::int64_t iterations;  // warm-up and samples
  bool warming;
  std::int64_t divergences;  // of this chain after the warm-up
  double step_size;
};

// Refused: chains < 1, samples < 0, warm_up < 0, max_depth outside 1 ... 20, a step_size that is not above 0,
// a target_acceptance outside (0, 1), a start_spread that is not finite or below 0.
struct NutsOptions {
  std::int64_t chains = 4;
  std::int64_t samples = 1000;     // of each chain
  std::int64_t warm_up = 1000;     // iterations of each chain before its first sample
  std::int64_t max_depth = 10;     // a trajectory has at most 2^max_depth - 1 leapfrog steps
  double target_acceptance = 0.8;  // what the adaptation of the step size aims at
  Mass mass = Mass::diagonal;
  double step_size = 0.1;     // where its search begins; without a warm-up, what is used
  double start_spread = 1.0;  // each chain starts at the start plus uniform numbers from -this to this
  // Called after each iteration of each chain, by one thread at a time; false stops all chains.
  std::function<bool(const NutsProgress&)> progress = nullptr;
};

// What one chain did after its warm-up. The vectors have an entry for each sample.
struct NutsChain {
  std::vector<double> positions;  // samples x numbers, row by row
  std::vector<double> log_densities;
  std::vector<double> energies;
  std::vector<std::int64_t> leapfrog_steps;
  std::int64_t divergences = 0;  // trajectories whose energy was not kept: do not trust samples with any
  std::int64_t full_depths = 0;  // trajectories that were cut by max_depth
  double acceptance = 0.0;       // mean probability of acceptance
  double step_size = 0.0;
  std::vector<double> inverse_mass;  // variances, or the covariance row by row; empty for the unit matrix

  std::int64_t samples() const { return static_cast<std::int64_t>(log_densities.size()); }
};

struct NutsDraws {
  std::int64_t size = 0;  // numbers of one sample
  std::vector<NutsChain> chains;
  bool interrupted = false;  // progress stopped it: chains have the samples made until then

  // Number i of each sample, chain by chain; and any function of a sample. Refuses i out of range.
  Chains number(std::int64_t i) const;
  Chains quantity(const std::function<double(const std::vector<double>& position)>& f) const;
  std::vector<double> position(std::int64_t chain, std::int64_t sample) const;
  std::int64_t divergences() const;
  std::int64_t full_depths() const;

  // Makes what an interruption left fit for summaries: chains with less than half as many samples as the
  // longest are dropped, the others cut to the same length.
  void make_even();
};

// Where a sample is; and so many of them at most, taken evenly from all chains. Refuses most < 1.
struct DrawPlace {
  std::int64_t chain, sample;
};
std::vector<DrawPlace> even_draws(const NutsDraws& draws, std::int64_t most);

template <class Model>
struct NutsResult {
  std::vector<Model> samples;  // those of the first chain, then those of the second, ...
  NutsDraws draws;             // the learned numbers of each, in the order of the parts
};

namespace detail {
NutsDraws run_nuts(const std::vector<double>& start, const DensityGradientFunction& density, Rng rng,
                   const NutsOptions& options);
}

// Draws from the density proportional to e^log_density by trajectories that end where they would turn back
// (Hoffman and Gelman 2014), with a state drawn from all of a trajectory by its weight and the generalised
// criterion (Betancourt 2017). In the warm-up the step size is found by dual averaging, the masses in windows
// that double, as Stan does. Chains run on threads of their own, so log_density must be callable by several
// at once; the samples are the same bits on any number of threads. Where log_density is -inf or refuses,
// nothing is accepted. Refuses a start whose log-density is not finite.
inline NutsDraws nuts(const std::vector<double>& start, const DensityGradientFunction& log_density, Rng rng,
                      const NutsOptions& options = {}) {
  return detail::run_nuts(start, log_density, rng, options);
}

namespace detail {
// Plain numbers are not a model, though a vector of trees is one.
template <class T>
concept ModelTree = Tree<T> && !std::same_as<T, std::vector<double>>;
}  // namespace detail

// The same for all learned numbers of a model; buffers and frozen parts stay. log_density returns one number;
// one that uses none of the parameters is refused.
template <detail::ModelTree Model, class LogDensity>
NutsResult<Model> nuts(const Model& start, const LogDensity& log_density, Rng rng,
                       const NutsOptions& options = {}) {
  NutsResult<Model> result;
  result.draws = detail::run_nuts(detail::learned_numbers(start),
                                  detail::density_gradient_of("nuts", start, log_density), rng, options);
  for (std::size_t chain = 0; chain < result.draws.chains.size(); ++chain) {
    for (std::int64_t i = 0; i < result.draws.chains[chain].samples(); ++i) {
      const auto position = result.draws.position(static_cast<std::int64_t>(chain), i);
      result.samples.push_back(detail::with_numbers(start, position));
    }
  }
  return result;
}

}  // namespace likely
