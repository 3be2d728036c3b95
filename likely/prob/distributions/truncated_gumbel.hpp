// Gumbel numbers that are known to lie below a bound.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// A Gumbel number, given that it is not above `bound`: distribution function
// exp(e^-b - e^-z) for x <= bound, with z = (x - location) / scale and b = (bound - location) / scale.
// Right for bounds any number of scales above or below the location; a bound of infinity gives Gumbel.
// Refuses a location that is not finite, a bound that is NaN or -inf, and a scale that is not finite and
// above 0.
class TruncatedGumbel {
 public:
  Tensor location, bound, scale;

  TruncatedGumbel(const Parameter& location, const Parameter& bound, const Parameter& scale = 1.0);

  Shape batch_shape() const { return detail::batch_of(location, bound, scale); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  // Moments are integrals over the standard Gumbel law, by the trapezoidal rule, which for such integrands
  // is exact to rounding.
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;
  // The x with that cdf: bound - scale log(1 - e^b log p).
  Tensor quantile(const Tensor& probability) const;

  LIKELY_PARTS(location, bound, scale)

 private:
  Tensor bound_in_scales() const;                  // b
  Tensor below_bound(const Tensor& gumbel) const;  // a standard Gumbel number moved below the bound
};

}  // namespace likely
