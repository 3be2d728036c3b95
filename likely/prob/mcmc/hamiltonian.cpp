#include "likely/prob/mcmc/hamiltonian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/kernels/factorize.hpp"

namespace likely::detail {

namespace {

constexpr std::int64_t kBlock = 256;

// The last number of `left`, which is filled again where it is empty.
template <class Fill>
double taken(std::vector<double>& left, const Fill& fill) {
  if (left.empty()) left = fill();
  const double number = left.back();
  left.pop_back();
  return number;
}

}  // namespace

double NumberStream::normal() {
  return taken(normals_, [&] { return rng_.normal({kBlock}, 0.0, 1.0, DType::f64).to_vector<double>(); });
}

double NumberStream::uniform() {
  return taken(uniforms_, [&] { return rng_.uniform({kBlock}, 0.0, 1.0, DType::f64).to_vector<double>(); });
}

InverseMass InverseMass::diagonal(std::vector<double> variances) {
  InverseMass mass;
  mass.numbers_ = std::move(variances);
  return mass;
}

InverseMass InverseMass::dense(std::vector<double> covariance) {
  InverseMass mass;
  mass.numbers_ = covariance;
  mass.factor_ = std::move(covariance);
  const auto size =
      static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(mass.factor_.size()))));
  if (kernels::cholesky(size, mass.factor_.data()) != 0) {
    refuse("nuts", "the estimated covariance of the numbers is not positive definite");
  }
  return mass;
}

void InverseMass::velocity(const std::vector<double>& momentum, std::vector<double>& out) const {
  const std::size_t size = momentum.size();
  out.resize(size);
  if (numbers_.empty()) {
    out = momentum;
  } else if (factor_.empty()) {
    for (std::size_t i = 0; i < size; ++i) out[i] = numbers_[i] * momentum[i];
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      double total = 0.0;
      for (std::size_t j = 0; j < size; ++j) total += numbers_[i * size + j] * momentum[j];
      out[i] = total;
    }
  }
}

void InverseMass::draw(NumberStream& numbers, std::vector<double>& momentum) const {
  for (double& p : momentum) p = numbers.normal();
  if (numbers_.empty()) return;
  if (factor_.empty()) {
    for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] /= std::sqrt(numbers_[i]);
  } else {
    // The covariance is L L^T, so L^-T z has its inverse as covariance.
    kernels::triangular_solve({.lower = true, .transpose = true, .unit_diagonal = false},
                              static_cast<std::int64_t>(momentum.size()), 1, factor_.data(), momentum.data());
  }
}

void PhasePoint::draw_momentum(const InverseMass& mass, NumberStream& numbers) {
  momentum.resize(position.size());
  mass.draw(numbers, momentum);
  mass.velocity(momentum, velocity);
}

double PhasePoint::energy() const {
  double kinetic = 0.0;
  for (std::size_t i = 0; i < momentum.size(); ++i) kinetic += momentum[i] * velocity[i];
  return 0.5 * kinetic - density.log_density;
}

bool PhasePoint::leapfrog(const DensityGradientFunction& of, const InverseMass& mass, double step) {
  const std::size_t size = position.size();
  for (std::size_t i = 0; i < size; ++i) momentum[i] += 0.5 * step * density.gradient[i];
  mass.velocity(momentum, velocity);
  bool finite = true;
  for (std::size_t i = 0; i < size; ++i) {
    position[i] += step * velocity[i];
    finite = finite && std::isfinite(position[i]);
  }
  if (!finite) return false;
  density = density_gradient_or_nothing(of, position);
  if (!is_finite(density)) return false;
  for (std::size_t i = 0; i < size; ++i) momentum[i] += 0.5 * step * density.gradient[i];
  mass.velocity(momentum, velocity);
  return true;
}

PhasePoint starting_point(const char* sampler, std::vector<double> position,
                          const DensityGradientFunction& density) {
  PhasePoint point{std::move(position), {}, {}, {}};
  point.density = density(point.position);
  if (!std::isfinite(point.density.log_density)) {
    refuse(sampler, fmt::format("the log-density at the start is {}", point.density.log_density));
  }
  if (point.density.gradient.size() != point.position.size()) {
    refuse(sampler, fmt::format("the gradient has {} numbers, the position has {}",
                                point.density.gradient.size(), point.position.size()));
  }
  return point;
}

StepSize::StepSize(double first, double target)
    : centre_(std::log(10.0 * first)), target_(target), current_(first) {}

double StepSize::averaged() const { return count_ == 0 ? current() : std::exp(average_); }

void StepSize::learn(double acceptance) {
  constexpr double kShrinkage = 0.05, kDelay = 10.0, kDecay = 0.75;
  count_ += 1;
  const double m = count_;
  error_ += (target_ - acceptance - error_) / (m + kDelay);
  const double logarithm = centre_ - std::sqrt(m) / kShrinkage * error_;
  current_ = std::exp(logarithm);
  average_ += std::pow(m, -kDecay) * (logarithm - average_);
}

double reasonable_step(const PhasePoint& from, const DensityGradientFunction& density,
                       const InverseMass& mass, double step) {
  const double begin = from.energy();
  const auto accepted = [&](double length) {
    PhasePoint end = from;
    return end.leapfrog(density, mass, length) && std::exp(begin - end.energy()) > 0.5;
  };
  const bool grow = accepted(step);
  for (int i = 0; i < 60; ++i) {
    const double next = grow ? 2.0 * step : 0.5 * step;
    const bool good = accepted(next);
    if (grow && !good) break;
    step = next;
    if (!grow && good) break;
  }
  return step;
}

void check_at_least(const char* sampler, const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) refuse(sampler, fmt::format("{} must be at least {}, got {}", name, least, value));
}

void check_step_size(const char* sampler, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    refuse(sampler, fmt::format("step_size must be finite and above 0, got {}", value));
  }
}

void check_target_acceptance(const char* sampler, double value) {
  if (!(value > 0.0 && value < 1.0)) {
    refuse(sampler, fmt::format("target_acceptance must lie in (0, 1), got {}", value));
  }
}

}  // namespace likely::detail
