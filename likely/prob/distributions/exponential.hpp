// The exponential distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density rate e^(-rate x) for x >= 0, else 0. Refuses a rate that is not finite and above 0.
class Exponential {
 public:
  Tensor rate;

  explicit Exponential(const Parameter& rate);
  // With rate = softplus(raw_rate).
  static Exponential from_unconstrained(const Tensor& raw_rate);

  Shape batch_shape() const { return rate.shape(); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(rate)
};

}  // namespace likely
