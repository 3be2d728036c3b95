// The gamma distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density rate^a x^(a - 1) e^(-rate x) / Gamma(a) for x >= 0, else 0, with a = concentration: at 0 it is
// infinite for a < 1, the rate for a = 1, and 0 for a > 1. Refuses parameters that are not finite and above
// 0. Samples are at least the smallest normal number of their type.
class Gamma {
 public:
  Tensor concentration, rate;

  Gamma(const Parameter& concentration, const Parameter& rate);
  // Each parameter is the softplus of the raw one.
  static Gamma from_unconstrained(const Tensor& raw_concentration, const Tensor& raw_rate);

  Shape batch_shape() const { return detail::batch_of(concentration, rate); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(concentration, rate)
};

}  // namespace likely
