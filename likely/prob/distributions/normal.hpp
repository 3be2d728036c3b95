// The normal distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density e^(-((x - location) / scale)^2 / 2) / (scale sqrt(2 pi)) (5.7, 5.15). The parameters broadcast.
// Refuses a location that is not finite and a scale that is not finite and above 0.
class Normal {
 public:
  Tensor location, scale;

  Normal(const Parameter& location, const Parameter& scale);
  // With scale = softplus(raw_scale), for networks that predict any number.
  static Normal from_unconstrained(const Parameter& location, const Tensor& raw_scale);

  Shape batch_shape() const { return detail::batch_of(location, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;
  Tensor quantile(const Tensor& probability) const;

  LIKELY_PARTS(location, scale)
};

}  // namespace likely
