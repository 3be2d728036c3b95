// The Bernoulli distribution: yes or no.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// 1 with probability sigmoid(logits), else 0 (5.16-5.20). Refuses logits that are not finite.
class Bernoulli {
 public:
  Tensor logits;

  explicit Bernoulli(const Parameter& logits);
  // Refuses probabilities outside (0, 1).
  static Bernoulli from_probabilities(const Parameter& probabilities);

  Shape batch_shape() const { return logits.shape(); }
  Shape event_shape() const { return {}; }

  // x log p + (1 - x) log(1 - p): for x = 0 and 1 the log-probability, between them minus the cross-entropy
  // with a smoothed label. Bools and whole numbers will do. Refuses x outside [0, 1].
  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;  // 0 and 1 in the logits' type
  Tensor mean() const;                                    // the probability of 1
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(logits)
};

}  // namespace likely
