// Bayesian linear regression in closed form: what (9.11) and (9.12) are where the integrals can be done, and
// so the yardstick for samplers.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/prob/distributions/multivariate_normal.hpp"
#include "likely/prob/distributions/normal.hpp"

namespace likely::book {

struct BayesianLinearOptions {
  double noise = 1.0;  // the standard deviation of y about the line
  double prior = 1.0;  // sigma_phi, the standard deviation of each weight (9.21)
};

// What is known of phi after data y = x phi + noise, where x is (examples, features) and y (examples,).
struct BayesianLinear {
  MultivariateNormal posterior;  // of phi, (features,): Pr(phi | {x_i, y_i}) (9.11)
  double log_evidence;           // log of the integral below the fraction of (9.11)
  double noise;

  // Pr(y | x, {x_i, y_i}) at x (..., features) (9.12): normal, wider than the noise by what is not known of
  // phi.
  Normal predict(const Tensor& x) const;
};

// Refuses noise and prior that are not finite and above 0, and shapes that do not fit.
BayesianLinear bayesian_linear(const Tensor& x, const Tensor& y, const BayesianLinearOptions& options = {});

}  // namespace likely::book
