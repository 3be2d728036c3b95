// The log-normal distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// e^z for normal z: density e^(-((log x - location) / scale)^2 / 2) / (x scale sqrt(2 pi)) for x > 0, else 0.
// Refuses a location that is not finite and a scale that is not finite and above 0.
class LogNormal {
 public:
  Tensor location, scale;

  LogNormal(const Parameter& location, const Parameter& scale);
  // With scale = softplus(raw_scale).
  static LogNormal from_unconstrained(const Parameter& location, const Tensor& raw_scale);

  Shape batch_shape() const { return detail::batch_of(location, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(location, scale)
};

}  // namespace likely
