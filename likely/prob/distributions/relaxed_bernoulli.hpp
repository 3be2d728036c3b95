// The binary Concrete distribution: a relaxed coin (Maddison, Mnih and Teh, 2017).
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// sigmoid((logits + L) / temperature) with L standard logistic: a number between 0 and 1, above 1/2 with
// probability sigmoid(logits) at any temperature. Density t e^a (x (1 - x))^(-t-1) / (e^a x^-t + (1 -
// x)^-t)^2. Refuses logits that are not finite, and temperatures that are not finite and above 0.
class RelaxedBernoulli {
 public:
  Tensor temperature, logits;

  RelaxedBernoulli(const Parameter& temperature, const Parameter& logits);

  Shape batch_shape() const { return detail::batch_of(temperature, logits); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;  // -inf outside of (0, 1)
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  // 1 where rsample of the same rng is above 1/2, else 0, with the derivative of rsample. A biased gradient.
  Tensor straight_through(Rng rng, const Shape& shape = {}) const;
  Tensor cdf(const Tensor& x) const;  // sigmoid(t logit(x) - a)
  Tensor quantile(const Tensor& probability) const;

  LIKELY_PARTS(temperature, logits)
};

}  // namespace likely
