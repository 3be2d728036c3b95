#include "likely/prob/mcmc/hmc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/mcmc/hamiltonian.hpp"

namespace likely::detail {

namespace {

void check(const HmcOptions& o) {
  check_at_least("hmc", "samples", o.samples, 0);
  check_at_least("hmc", "warm_up", o.warm_up, 0);
  check_at_least("hmc", "leapfrog_steps", o.leapfrog_steps, 1);
  check_at_least("hmc", "thin", o.thin, 1);
  check_step_size("hmc", o.step_size);
  check_target_acceptance("hmc", o.target_acceptance);
}

struct Proposal {
  PhasePoint end;
  double acceptance = 0.0;
  bool diverged = false;
};

Proposal propose(const PhasePoint& from, const DensityGradientFunction& density, const InverseMass& mass,
                 double step, std::int64_t steps) {
  Proposal result{from};
  bool arrived = true;
  for (std::int64_t i = 0; i < steps && arrived; ++i) arrived = result.end.leapfrog(density, mass, step);
  const double change =
      arrived ? from.energy() - result.end.energy() : -std::numeric_limits<double>::infinity();
  result.diverged = !(change > -kDivergence);
  result.acceptance = std::isnan(change) ? 0.0 : std::min(1.0, std::exp(change));
  return result;
}

}  // namespace

HmcStatistics run_hmc(std::vector<double> position, const DensityGradientFunction& density,
                      const KeepSample& keep, Rng rng, const HmcOptions& options) {
  check(options);
  NumberStream numbers(rng);
  const InverseMass mass;
  PhasePoint state = starting_point("hmc", std::move(position), density);
  state.draw_momentum(mass, numbers);
  const bool adapt = options.warm_up > 0;
  StepSize step(adapt ? reasonable_step(state, density, mass, options.step_size) : options.step_size,
                options.target_acceptance);

  HmcStatistics result;
  const std::int64_t shortest = (options.leapfrog_steps + 1) / 2;
  const auto lengths = static_cast<double>(options.leapfrog_steps + 1 - shortest);
  const std::int64_t kept = options.samples * options.thin;
  for (std::int64_t i = 0; i < options.warm_up + kept; ++i) {
    const bool warming = i < options.warm_up;
    state.draw_momentum(mass, numbers);
    const std::int64_t steps = shortest + static_cast<std::int64_t>(numbers.uniform() * lengths);
    Proposal proposal = propose(state, density, mass, warming ? step.current() : step.averaged(), steps);
    if (numbers.uniform() < proposal.acceptance) state = std::move(proposal.end);
    if (warming) {
      step.learn(proposal.acceptance);
      continue;
    }
    result.acceptance += proposal.acceptance / static_cast<double>(kept);
    result.divergences += proposal.diverged ? 1 : 0;
    if ((i - options.warm_up + 1) % options.thin == 0) {
      keep(state.position);
      result.log_densities.push_back(state.density.log_density);
    }
  }
  result.step_size = step.averaged();
  return result;
}

void check_not_empty(const char* name, std::size_t samples) {
  if (samples == 0) refuse(name, "there are no samples");
}

Tensor plus(const Tensor& total, const Tensor& value) { return total.defined() ? total + value : value; }

Tensor log_plus(const Tensor& total, const Tensor& value) {
  return total.defined() ? logsumexp(stack({total, value}), 0) : value;
}

Tensor divided(const Tensor& total, std::size_t count) { return total / static_cast<double>(count); }

Tensor log_divided(const Tensor& total, std::size_t count) {
  return total - std::log(static_cast<double>(count));
}

}  // namespace likely::detail
