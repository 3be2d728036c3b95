// The von Mises distribution of angles.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density e^(concentration cos(x - location)) / (2 pi I0(concentration)) (5.34), for x of any turn. Refuses a
// location that is not finite and a concentration that is not finite or below 0; 0 is the uniform law.
class VonMises {
 public:
  Tensor location, concentration;

  VonMises(const Parameter& location, const Parameter& concentration);
  // With concentration = softplus(raw_concentration).
  static VonMises from_unconstrained(const Parameter& location, const Tensor& raw_concentration);

  Shape batch_shape() const { return detail::batch_of(location, concentration); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  // Angles at most pi from the location.
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  // The circular mean, and the circular variance 1 - I1 / I0.
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  // The probability between location - pi and x; 0 below and 1 above location + pi.
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(location, concentration)
};

}  // namespace likely
