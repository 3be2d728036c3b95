// The Gumbel distribution of largest values.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Distribution function exp(-e^(-(x - location) / scale)). Refuses a location that is not finite and a scale
// that is not finite and above 0.
class Gumbel {
 public:
  Tensor location, scale;

  Gumbel(const Parameter& location, const Parameter& scale);
  // With scale = softplus(raw_scale).
  static Gumbel from_unconstrained(const Parameter& location, const Tensor& raw_scale);

  Shape batch_shape() const { return detail::batch_of(location, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;
  Tensor quantile(const Tensor& probability) const;  // location - scale log(-log p)

  LIKELY_PARTS(location, scale)
};

}  // namespace likely
