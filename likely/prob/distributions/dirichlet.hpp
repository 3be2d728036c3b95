// The Dirichlet distribution of probabilities.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Density proportional to the product of x_k^(concentration_k - 1), for x >= 0 along the last axis that add
// up to 1; where an x_k is 0, it is 0 if one of them has a concentration above 1, else infinite if one has a
// concentration below 1. Refuses concentrations that are not finite and above 0, or without a last axis.
class Dirichlet {
 public:
  Tensor concentration;  // (..., K)

  explicit Dirichlet(const Tensor& concentration);
  // With concentration = softplus(raw).
  static Dirichlet from_unconstrained(const Tensor& raw);

  Shape batch_shape() const { return concentration.shape().sub(0, concentration.rank() - 1); }
  Shape event_shape() const { return {concentration.shape().back()}; }

  // -inf where an element is not above 0. Refuses x whose sums differ from 1 by more than 0.0001.
  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;  // of each element
  Tensor entropy() const;

  LIKELY_PARTS(concentration)
};

}  // namespace likely
