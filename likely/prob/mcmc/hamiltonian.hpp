// Motion with position and momentum under minus a log-density as potential: what hmc and nuts share. Internal
// to prob/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/ops/rng.hpp"
#include "likely/prob/mcmc/density_gradient.hpp"

namespace likely::detail {

// Normal and uniform numbers one at a time, drawn from an Rng in blocks.
class NumberStream {
 public:
  explicit NumberStream(Rng rng) : rng_(rng) {}
  double normal();
  double uniform();  // on [0, 1)

 private:
  Rng rng_;
  std::vector<double> normals_, uniforms_;  // those not handed out yet, from the end
};

// The inverse mass M^-1, an estimate of the covariance of the positions: none (1), a variance for each
// number, or a whole matrix.
class InverseMass {
 public:
  InverseMass() = default;  // the unit matrix
  static InverseMass diagonal(std::vector<double> variances);
  // Row-major; refuses a matrix that is not positive definite.
  static InverseMass dense(std::vector<double> covariance);

  // M^-1 p
  void velocity(const std::vector<double>& momentum, std::vector<double>& out) const;
  // A momentum from N(0, M).
  void draw(NumberStream& numbers, std::vector<double>& momentum) const;
  // The variances, or the covariance row by row; empty for the unit matrix.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;
  std::vector<double> factor_;  // the lower Cholesky factor of a dense one
};

struct PhasePoint {
  std::vector<double> position;
  std::vector<double> momentum;
  std::vector<double> velocity;
  DensityGradient density;

  // A fresh momentum.
  void draw_momentum(const InverseMass& mass, NumberStream& numbers);
  // - log density + p M^-1 p / 2
  double energy() const;
  // One leapfrog step; false where it leaves the finite numbers.
  bool leapfrog(const DensityGradientFunction& of, const InverseMass& mass, double step);
};

// The point to start from, with the density there; refuses one whose log-density is not finite.
PhasePoint starting_point(const char* sampler, std::vector<double> position,
                          const DensityGradientFunction& density);

// Energies that differ by more than this belong to no trajectory.
inline constexpr double kDivergence = 1000.0;

// Dual averaging of the logarithm of the step size, with the constants of Hoffman and Gelman (2014).
class StepSize {
 public:
  StepSize(double first, double target);

  double current() const { return current_; }
  double averaged() const;
  void learn(double acceptance);

 private:
  double centre_, target_, current_;
  double average_ = 0.0, error_ = 0.0;
  double count_ = 0.0;
};

// Doubles or halves the step until one leapfrog step is accepted with probability one half.
double reasonable_step(const PhasePoint& from, const DensityGradientFunction& density,
                       const InverseMass& mass, double step);

// What both samplers' options have in common.
void check_at_least(const char* sampler, const char* name, std::int64_t value, std::int64_t least);
void check_step_size(const char* sampler, double value);
void check_target_acceptance(const char* sampler, double value);

}  // namespace likely::detail
