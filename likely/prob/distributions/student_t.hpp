// Student's t distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density proportional to (1 + z^2 / degrees)^(-(degrees + 1) / 2) with z = (x - location) / scale. Refuses a
// location that is not finite, and degrees of freedom and a scale that are not finite and above 0.
class StudentT {
 public:
  Tensor degrees, location, scale;

  StudentT(const Parameter& degrees, const Parameter& location, const Parameter& scale);
  // With degrees = softplus(raw_degrees) and scale = softplus(raw_scale).
  static StudentT from_unconstrained(const Tensor& raw_degrees, const Parameter& location,
                                     const Tensor& raw_scale);

  Shape batch_shape() const { return detail::batch_of(degrees, location, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;      // NaN for degrees <= 1
  Tensor variance() const;  // infinite for degrees <= 2, NaN for degrees <= 1
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(degrees, location, scale)
};

}  // namespace likely
