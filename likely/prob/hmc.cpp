#include "likely/prob/hmc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::detail {

namespace {

using Numbers = std::vector<double>;

void check(const HmcOptions& o) {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    if (value < least) refuse("hmc", fmt::format("{} must be at least {}, got {}", name, least, value));
  };
  at_least("samples", o.samples, 0);
  at_least("warm_up", o.warm_up, 0);
  at_least("leapfrog_steps", o.leapfrog_steps, 1);
  at_least("thin", o.thin, 1);
  if (!(o.step_size > 0.0 && std::isfinite(o.step_size))) {
    refuse("hmc", fmt::format("step_size must be finite and above 0, got {}", o.step_size));
  }
  if (!(o.target_acceptance > 0.0 && o.target_acceptance < 1.0)) {
    refuse("hmc", fmt::format("target_acceptance must lie in (0, 1), got {}", o.target_acceptance));
  }
}

// A position with its momentum.
struct State {
  Numbers position;
  Numbers momentum;
  Slope slope;
};

double energy(const State& s) {
  double kinetic = 0.0;
  for (const double p : s.momentum) kinetic += p * p;
  return 0.5 * kinetic - s.slope.log_density;
}

bool all_finite(const Numbers& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

void kick(State& s, double by) {
  for (std::size_t i = 0; i < s.momentum.size(); ++i) s.momentum[i] += by * s.slope.gradient[i];
}

// The same where the log-density is refused, as for a parameter outside its domain: nothing is likely there.
Slope slope_or_nothing(const SlopeFunction& slope, const Numbers& position) {
  try {
    return slope(position);
  } catch (const Error&) {
    return {-std::numeric_limits<double>::infinity(), {}};
  }
}

// Moves along the trajectory; false where it leaves the finite numbers.
bool leapfrog(State& s, const SlopeFunction& slope, double step, std::int64_t steps) {
  kick(s, 0.5 * step);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (std::size_t k = 0; k < s.position.size(); ++k) s.position[k] += step * s.momentum[k];
    if (!all_finite(s.position)) return false;
    s.slope = slope_or_nothing(slope, s.position);
    if (!std::isfinite(s.slope.log_density) || !all_finite(s.slope.gradient)) return false;
    kick(s, i + 1 < steps ? step : 0.5 * step);
  }
  return true;
}

// Energies that differ by more than this belong to no trajectory.
constexpr double kDivergence = 1000.0;

struct Proposal {
  State end;
  double acceptance = 0.0;
  bool diverged = false;
};

Proposal propose(const State& from, const SlopeFunction& slope, double step, std::int64_t steps) {
  Proposal result{from};
  const bool arrived = leapfrog(result.end, slope, step, steps);
  const double change =
      arrived ? energy(from) - energy(result.end) : -std::numeric_limits<double>::infinity();
  result.diverged = !(change > -kDivergence);
  result.acceptance = std::isnan(change) ? 0.0 : std::min(1.0, std::exp(change));
  return result;
}

// Dual averaging of the logarithm of the step size, with the constants of Hoffman and Gelman.
class StepSize {
 public:
  StepSize(double first, double target)
      : centre_(std::log(10.0 * first)), target_(target), log_(std::log(first)) {}

  double current() const { return std::exp(log_); }
  double averaged() const { return count_ == 0 ? current() : std::exp(average_); }

  void learn(double acceptance) {
    constexpr double kShrinkage = 0.05, kDelay = 10.0, kDecay = 0.75;
    count_ += 1;
    const double m = count_;
    error_ += (target_ - acceptance - error_) / (m + kDelay);
    log_ = centre_ - std::sqrt(m) / kShrinkage * error_;
    average_ += std::pow(m, -kDecay) * (log_ - average_);
  }

 private:
  double centre_, target_, log_;
  double average_ = 0.0, error_ = 0.0;
  double count_ = 0.0;
};

// Doubles or halves the step until one leapfrog step is accepted with probability one half.
double reasonable_step(const State& from, const SlopeFunction& slope, double step) {
  const bool grow = propose(from, slope, step, 1).acceptance > 0.5;
  for (int i = 0; i < 60; ++i) {
    const double next = grow ? 2.0 * step : 0.5 * step;
    const bool accepted = propose(from, slope, next, 1).acceptance > 0.5;
    if (grow && !accepted) break;
    step = next;
    if (!grow && accepted) break;
  }
  return step;
}

}  // namespace

HmcStatistics run_hmc(std::vector<double> position, const SlopeFunction& slope, const KeepSample& keep,
                      Rng rng, const HmcOptions& options) {
  check(options);
  const auto size = static_cast<std::int64_t>(position.size());
  const auto momentum = [&] { return rng.normal({size}, 0.0, 1.0, DType::f64).to_vector<double>(); };
  State state{std::move(position), {}, {}};
  state.slope = slope(state.position);
  if (!std::isfinite(state.slope.log_density)) {
    refuse("hmc", fmt::format("the log-density at the start is {}", state.slope.log_density));
  }
  state.momentum = momentum();
  const bool adapt = options.warm_up > 0;
  StepSize step(adapt ? reasonable_step(state, slope, options.step_size) : options.step_size,
                options.target_acceptance);

  HmcStatistics result;
  const std::int64_t shortest = (options.leapfrog_steps + 1) / 2;
  const std::int64_t kept = options.samples * options.thin;
  for (std::int64_t i = 0; i < options.warm_up + kept; ++i) {
    const bool warming = i < options.warm_up;
    state.momentum = momentum();
    const auto steps =
        static_cast<std::int64_t>(rng.randint(shortest, options.leapfrog_steps + 1, {}).item());
    Proposal proposal = propose(state, slope, warming ? step.current() : step.averaged(), steps);
    if (rng.uniform({}, 0.0, 1.0, DType::f64).item() < proposal.acceptance) state = std::move(proposal.end);
    if (warming) {
      step.learn(proposal.acceptance);
      continue;
    }
    result.acceptance += proposal.acceptance / static_cast<double>(kept);
    result.divergences += proposal.diverged ? 1 : 0;
    if ((i - options.warm_up + 1) % options.thin == 0) {
      keep(state.position);
      result.log_densities.push_back(state.slope.log_density);
    }
  }
  result.step_size = step.averaged();
  return result;
}

std::vector<double> flat_numbers(const std::vector<const Tensor*>& leaves) {
  std::vector<double> numbers;
  for (const Tensor* leaf : leaves) {
    const std::vector<double> values = leaf->to_vector<double>();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

void set_numbers(const std::vector<Tensor*>& leaves, const std::vector<double>& numbers) {
  std::size_t begin = 0;
  for (Tensor* leaf : leaves) {
    const auto size = static_cast<std::size_t>(leaf->size());
    *leaf = tensor(std::span(numbers).subspan(begin, size), leaf->shape()).to(leaf->dtype());
    begin += size;
  }
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
