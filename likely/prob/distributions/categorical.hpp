// The categorical distribution: one of K classes.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// Class k with probability softmax(logits)_k, along the last axis (5.21-5.24); a logit of -inf is never
// drawn. Refuses logits without a last axis or that are not floating; rows that have no softmax are refused
// when they are used.
class Categorical {
 public:
  Tensor logits;

  explicit Categorical(Tensor logits);
  // Each row is divided by its sum. Refuses numbers that are not finite or below 0, and rows of zeros.
  static Categorical from_probabilities(const Tensor& probabilities);

  std::int64_t classes() const { return logits.shape().back(); }
  Shape batch_shape() const { return logits.shape().sub(0, logits.rank() - 1); }
  Shape event_shape() const { return {}; }

  // Of i64 labels, in their shape. Where that is the batch shape, this is softmax_cross_entropy, fused and as
  // fast; other shapes broadcast. Refuses labels that are not i64 or not in [0, classes).
  Tensor log_prob(const Tensor& labels) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;  // i64 labels
  Tensor probabilities() const;
  Tensor mean() const;      // of the label as a number
  Tensor variance() const;  // of the label as a number
  Tensor entropy() const;
  Tensor cdf(const Tensor& labels) const;  // the probability of this label or a smaller one

  LIKELY_PARTS(logits)
};

}  // namespace likely
