// The uniform distribution on an interval.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density 1 / (high - low) for low <= x <= high, else 0. Refuses ends that are not finite, and low >= high.
class Uniform {
 public:
  Tensor low, high;

  Uniform(const Parameter& low, const Parameter& high);
  // With high = low + softplus(raw_width).
  static Uniform from_unconstrained(const Parameter& low, const Tensor& raw_width);

  Shape batch_shape() const { return detail::batch_of(low, high); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(low, high)
};

}  // namespace likely
