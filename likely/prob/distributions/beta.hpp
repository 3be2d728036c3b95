// The beta distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta) for 0 <= x <= 1, else 0: at 0 it is infinite for
// alpha < 1, beta for alpha = 1, and 0 for alpha > 1, and at 1 likewise. Refuses parameters that are not
// finite and above 0. Samples lie inside (0, 1) also where rounding would reach an end.
class Beta {
 public:
  Tensor alpha, beta;

  Beta(const Parameter& alpha, const Parameter& beta);
  // Each parameter is the softplus of the raw one.
  static Beta from_unconstrained(const Tensor& raw_alpha, const Tensor& raw_beta);

  Shape batch_shape() const { return detail::batch_of(alpha, beta); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(alpha, beta)
};

}  // namespace likely
