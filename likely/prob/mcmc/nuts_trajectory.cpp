#include "likely/prob/mcmc/nuts_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "likely/prob/log_sum.hpp"

namespace likely::detail {

namespace {

// Whether a motion still goes along the sum of the momenta, given in two parts, at one of its ends.
bool along(const std::vector<double>& velocity, const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < velocity.size(); ++i) total += velocity[i] * (a[i] + b[i]);
  return total > 0.0;
}

}  // namespace

NutsTrajectory::NutsTrajectory(PhasePoint start, const DensityGradientFunction& density,
                               std::int64_t max_depth, Rng rng)
    : density_(density),
      numbers_(rng),
      state_(std::move(start)),
      max_depth_(max_depth),
      spare_(static_cast<std::size_t>(max_depth)) {}

double NutsTrajectory::first_step(const InverseMass& mass, double step) {
  state_.draw_momentum(mass, numbers_);
  return reasonable_step(state_, density_, mass, step);
}

void NutsTrajectory::put(const PhasePoint& point, double energy, Branch& branch) const {
  branch.begin.momentum = branch.end.momentum = branch.momentum_sum = point.momentum;
  branch.begin.velocity = branch.end.velocity = point.velocity;
  branch.candidate.position = point.position;
  branch.candidate.density = point.density;
  branch.candidate.energy = energy;
  branch.log_weight = start_energy_ - energy;
}

// Adds `next`, which begins where `branch` ends; false where the whole turns back. Inside a new half of a
// trajectory every state has its chance by weight; between the halves the new one is preferred.
bool NutsTrajectory::join(Branch& branch, Branch& next, bool biased) {
  // The two inner checks, across the joint, see turns that the ends alone miss.
  const bool straight = along(branch.begin.velocity, branch.momentum_sum, next.momentum_sum) &&
                        along(next.end.velocity, branch.momentum_sum, next.momentum_sum) &&
                        along(branch.begin.velocity, branch.momentum_sum, next.begin.momentum) &&
                        along(next.begin.velocity, branch.momentum_sum, next.begin.momentum) &&
                        along(branch.end.velocity, branch.end.momentum, next.momentum_sum) &&
                        along(next.end.velocity, branch.end.momentum, next.momentum_sum);
  const double both = log_sum(branch.log_weight, next.log_weight);
  const double against = biased ? branch.log_weight : both;
  if (numbers_.uniform() < std::exp(next.log_weight - against)) std::swap(branch.candidate, next.candidate);
  for (std::size_t i = 0; i < branch.momentum_sum.size(); ++i) {
    branch.momentum_sum[i] += next.momentum_sum[i];
  }
  std::swap(branch.end, next.end);
  branch.log_weight = both;
  return straight;
}

// 2^depth more steps from `front`, which moves along; false where they diverge or turn back.
bool NutsTrajectory::build(std::int64_t depth, PhasePoint& front, Branch& branch) {
  if (depth > 0) {
    Branch& next = spare_[static_cast<std::size_t>(depth)];
    return build(depth - 1, front, branch) && build(depth - 1, front, next) && join(branch, next, false);
  }
  const bool arrived = front.leapfrog(density_, *mass_, step_);
  const double energy = arrived ? front.energy() : std::numeric_limits<double>::infinity();
  const double change = start_energy_ - energy;
  report_.leapfrog_steps += 1;
  report_.acceptance += std::isnan(change) ? 0.0 : std::min(1.0, std::exp(change));
  report_.diverged = !(change > -kDivergence);
  if (report_.diverged) return false;
  put(front, energy, branch);
  return true;
}

NutsTransition NutsTrajectory::advance(const InverseMass& mass, double step) {
  mass_ = &mass;
  report_ = {};
  state_.draw_momentum(mass, numbers_);
  start_energy_ = state_.energy();
  forward_ = backward_ = state_;
  put(state_, start_energy_, all_);
  bool straight = true;
  std::int64_t depth = 0;
  for (; straight && depth < max_depth_; ++depth) {
    const bool forward = numbers_.uniform() < 0.5;
    step_ = forward ? step : -step;
    if (!build(depth, forward ? forward_ : backward_, grown_)) break;
    // A trajectory has no direction: it is turned so that what has grown comes after its end.
    if (!forward) std::swap(all_.begin, all_.end);
    straight = join(all_, grown_, true);
    if (!forward) std::swap(all_.begin, all_.end);
  }
  report_.full_depth = straight && depth == max_depth_;
  std::swap(state_.position, all_.candidate.position);
  std::swap(state_.density, all_.candidate.density);
  report_.energy = all_.candidate.energy;
  report_.acceptance /= static_cast<double>(report_.leapfrog_steps);
  return report_;
}

}  // namespace likely::detail
