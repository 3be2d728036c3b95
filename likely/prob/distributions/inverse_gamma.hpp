// The inverse gamma distribution.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// 1 / y for gamma y: density scale^a x^(-a - 1) e^(-scale / x) / Gamma(a) for x > 0, else 0, with
// a = concentration. Refuses parameters that are not finite and above 0.
class InverseGamma {
 public:
  Tensor concentration, scale;

  InverseGamma(const Parameter& concentration, const Parameter& scale);
  // Each parameter is the softplus of the raw one.
  static InverseGamma from_unconstrained(const Tensor& raw_concentration, const Tensor& raw_scale);

  Shape batch_shape() const { return detail::batch_of(concentration, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;      // infinite for concentration <= 1
  Tensor variance() const;  // infinite for concentration <= 2
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(concentration, scale)
};

}  // namespace likely
