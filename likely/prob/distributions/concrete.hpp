// The Concrete distribution, or Gumbel-softmax: a relaxed one-hot vector (Maddison, Mnih and Teh, 2017; Jang,
// Gu and Poole, 2017).
#pragma once

#include <cstdint>

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// softmax((logits + G) / temperature) with independent Gumbel numbers G: a vector of K positive numbers that
// add up to 1, along the last axis. Density
//   (K - 1)! t^(K-1) prod_k [e^a_k x_k^(-t-1)] / (sum_k e^a_k x_k^-t)^K
// with t the temperature and a the logits, by the first K - 1 numbers. Which number is largest follows
// softmax(logits) at any temperature; near 0 the vectors are nearly one-hot, and for t <= 1 / (K - 1) there
// is no mode inside. Temperatures broadcast with the batch of the logits. Refuses logits without a last axis
// or that are not finite, and temperatures that are not finite and above 0.
class Concrete {
 public:
  Tensor temperature, logits;

  Concrete(const Parameter& temperature, const Tensor& logits);

  std::int64_t classes() const { return logits.shape().back(); }
  Shape batch_shape() const;
  Shape event_shape() const { return {classes()}; }

  // -inf where a number is not above 0: of samples that are nearly one-hot take ExpConcrete. Refuses what
  // does not add up to 1.
  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  // The one-hot vector of the largest number, exactly, with the derivative of rsample: of the same rng it
  // stands at the largest number of rsample. A biased gradient.
  Tensor straight_through(Rng rng, const Shape& shape = {}) const;

  LIKELY_PARTS(temperature, logits)
};

// The logarithm of a Concrete vector: y = log x, without its underflow at low temperatures. The density is
// that of x = e^y times the product of all e^y_k,
//   (K - 1)! t^(K-1) prod_k [e^(a_k - t y_k)] / (sum_k e^(a_k - t y_k))^K;
// in ratios of densities, which is what objectives hold, the factor cancels.
class ExpConcrete {
 public:
  Tensor temperature, logits;

  ExpConcrete(const Parameter& temperature, const Tensor& logits);

  std::int64_t classes() const { return logits.shape().back(); }
  Shape batch_shape() const;
  Shape event_shape() const { return {classes()}; }

  // Refuses what has no log-sum-exp of 0.
  Tensor log_prob(const Tensor& y) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;

  LIKELY_PARTS(temperature, logits)
};

}  // namespace likely
