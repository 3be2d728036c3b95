#include "likely/prob/mcmc/nuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "likely/core/threads.hpp"
#include "likely/prob/mcmc/nuts_trajectory.hpp"
#include "likely/prob/mcmc/nuts_warm_up.hpp"

namespace likely {

Chains NutsDraws::number(std::int64_t i) const {
  if (i < 0 || i >= size) refuse("NutsDraws", fmt::format("there are {} numbers, not number {}", size, i));
  return quantity([i](const std::vector<double>& position) { return position[static_cast<std::size_t>(i)]; });
}

Chains NutsDraws::quantity(const std::function<double(const std::vector<double>& position)>& f) const {
  Chains values(chains.size());
  for (std::size_t chain = 0; chain < chains.size(); ++chain) {
    for (std::int64_t i = 0; i < chains[chain].samples(); ++i) {
      values[chain].push_back(f(position(static_cast<std::int64_t>(chain), i)));
    }
  }
  return values;
}

std::vector<double> NutsDraws::position(std::int64_t chain, std::int64_t sample) const {
  const auto begin = chains[static_cast<std::size_t>(chain)].positions.begin() + sample * size;
  return {begin, begin + size};
}

std::int64_t NutsDraws::divergences() const {
  std::int64_t total = 0;
  for (const NutsChain& chain : chains) total += chain.divergences;
  return total;
}

std::int64_t NutsDraws::full_depths() const {
  std::int64_t total = 0;
  for (const NutsChain& chain : chains) total += chain.full_depths;
  return total;
}

void NutsDraws::make_even() {
  std::int64_t longest = 0;
  for (const NutsChain& chain : chains) longest = std::max(longest, chain.samples());
  std::erase_if(chains, [&](const NutsChain& chain) { return 2 * chain.samples() < longest; });
  std::int64_t shortest = longest;
  for (const NutsChain& chain : chains) shortest = std::min(shortest, chain.samples());
  const auto count = static_cast<std::size_t>(shortest);
  for (NutsChain& chain : chains) {
    chain.positions.resize(count * static_cast<std::size_t>(size));
    chain.log_densities.resize(count);
    chain.energies.resize(count);
    chain.leapfrog_steps.resize(count);
  }
}

std::vector<DrawPlace> even_draws(const NutsDraws& draws, std::int64_t most) {
  detail::check_at_least("even_draws", "most", most, 1);
  std::vector<DrawPlace> all;
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    for (std::int64_t i = 0; i < draws.chains[c].samples(); ++i) {
      all.push_back({static_cast<std::int64_t>(c), i});
    }
  }
  const auto count = static_cast<std::int64_t>(all.size());
  if (count <= most) return all;
  std::vector<DrawPlace> taken;
  for (std::int64_t i = 0; i < most; ++i) taken.push_back(all[static_cast<std::size_t>(i * count / most)]);
  return taken;
}

namespace detail {

namespace {

void check(const NutsOptions& o) {
  check_at_least("nuts", "chains", o.chains, 1);
  check_at_least("nuts", "samples", o.samples, 0);
  check_at_least("nuts", "warm_up", o.warm_up, 0);
  if (o.max_depth < 1 || o.max_depth > 20) {
    refuse("nuts", fmt::format("max_depth must lie in 1 ... 20, got {}", o.max_depth));
  }
  check_target_acceptance("nuts", o.target_acceptance);
  check_step_size("nuts", o.step_size);
  if (!(o.start_spread >= 0.0 && std::isfinite(o.start_spread))) {
    refuse("nuts", fmt::format("start_spread must be finite and at least 0, got {}", o.start_spread));
  }
}

// Tells one caller at a time where the chains are; remembers that it wants to stop.
class Reporter {
 public:
  explicit Reporter(const NutsOptions& options) : options_(options) {}

  bool stopped() const { return stopped_; }
  void tell(const NutsProgress& progress) {
    if (!options_.progress) return;
    const std::scoped_lock lock(mutex_);
    if (!stopped_ && !options_.progress(progress)) stopped_ = true;
  }
  void stop() { stopped_ = true; }

 private:
  const NutsOptions& options_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
};

// A point around the start where the density is something, or else the start itself.
PhasePoint spread_start(const std::vector<double>& start, const DensityGradientFunction& density,
                        double spread, Rng rng) {
  NumberStream numbers(rng);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && spread > 0.0; ++i) {
    PhasePoint point{start, {}, {}, {}};
    for (double& v : point.position) v += spread * (2.0 * numbers.uniform() - 1.0);
    point.density = density_gradient_or_nothing(density, point.position);
    if (point.density.gradient.size() == start.size() && is_finite(point.density)) return point;
  }
  return starting_point("nuts", start, density);
}

void keep(const NutsTrajectory& trajectory, const NutsTransition& transition, NutsChain& chain) {
  const PhasePoint& state = trajectory.state();
  chain.positions.insert(chain.positions.end(), state.position.begin(), state.position.end());
  chain.log_densities.push_back(state.density.log_density);
  chain.energies.push_back(transition.energy);
  chain.leapfrog_steps.push_back(transition.leapfrog_steps);
  chain.divergences += transition.diverged ? 1 : 0;
  chain.full_depths += transition.full_depth ? 1 : 0;
  chain.acceptance += transition.acceptance;
}

void run_chain(std::int64_t index, const std::vector<double>& start, const DensityGradientFunction& density,
               Rng rng, const NutsOptions& options, Reporter& reporter, NutsChain& chain) {
  NutsTrajectory trajectory(spread_start(start, density, options.start_spread, rng.split()), density,
                            options.max_depth, rng.split());
  InverseMass mass;
  const bool adapt = options.warm_up > 0;
  const auto new_step = [&](double first) {
    return StepSize(trajectory.first_step(mass, first), options.target_acceptance);
  };
  StepSize step = adapt ? new_step(options.step_size) : StepSize(options.step_size, 0.5);
  const WarmUpWindows windows(options.warm_up);
  PositionMoments moments(options.mass, start.size());
  auto window = windows.ends.begin();
  const std::int64_t iterations = options.warm_up + options.samples;
  for (std::int64_t i = 0; i < iterations && !reporter.stopped(); ++i) {
    const bool warming = i < options.warm_up;
    const double length = warming ? step.current() : step.averaged();
    const NutsTransition transition = trajectory.advance(mass, length);
    if (!warming) {
      keep(trajectory, transition, chain);
    } else {
      step.learn(transition.acceptance);
      if (window != windows.ends.end() && i >= windows.begin) {
        moments.add(trajectory.state().position);
        if (i + 1 == *window) {
          mass = moments.take();
          step = new_step(step.current());
          ++window;
        }
      }
    }
    reporter.tell({index, i + 1, iterations, warming, chain.divergences, length});
  }
  if (chain.samples() > 0) chain.acceptance /= static_cast<double>(chain.samples());
  chain.step_size = step.averaged();
  chain.inverse_mass = mass.numbers();
}

}  // namespace

NutsDraws run_nuts(const std::vector<double>& start, const DensityGradientFunction& density, Rng rng,
                   const NutsOptions& options) {
  check(options);
  NutsDraws result;
  result.size = static_cast<std::int64_t>(start.size());
  result.chains.resize(static_cast<std::size_t>(options.chains));
  const std::vector<Rng> generators = rng.split(options.chains);
  Reporter reporter(options);
  constexpr double kLong = 1e9;  // nanoseconds: a chain is always worth a thread
  parallel_tiles(options.chains, kLong, [&](std::int64_t chain) {
    const auto c = static_cast<std::size_t>(chain);
    try {
      run_chain(chain, start, density, generators[c], options, reporter, result.chains[c]);
    } catch (...) {
      reporter.stop();
      throw;
    }
  });
  result.interrupted = reporter.stopped();
  return result;
}

}  // namespace detail

}  // namespace likely
