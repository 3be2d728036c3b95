// Sampling without replacement by perturbed logits (Gumbel-top-k), and Gumbels that are conditioned on their
// maximum.
//
//   const PerturbedSample sample = gumbel_top_k(log_softmax(logits), 10, rng);
//   sample.indices                                        // ten different classes, in the order drawn
//   ordered_log_prob(logits, sample.indices)              // of this sample in this order
//   exp(inclusion_log_prob(log_probabilities, sample.threshold))   // how probable it was that each is among
//   them
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// k different classes of each row of the last axis, in the order in which they were drawn.
struct PerturbedSample {
  Tensor indices;    // (..., k), i64
  Tensor perturbed;  // (..., k): logit + Gumbel, falling
  Tensor threshold;  // (...): the largest perturbed logit that is not in the sample; -inf where none is left
};

// The k largest of logits + Gumbel noise along the last axis: an ordered sample without replacement from
// softmax(logits). Constants to gradients. Refuses k < 1, k above the number of classes whose logit is not
// -inf, and rows without a softmax.
PerturbedSample gumbel_top_k(const Tensor& logits, std::int64_t k, Rng rng);

// The log-probability that these classes are drawn without replacement in this order: each by the softmax of
// what is left. `indices` is (..., k), i64. Differentiable in the logits.
[[nodiscard]] Tensor ordered_log_prob(const Tensor& logits, const Tensor& indices);

// log(1 - exp(-exp(log_probability - threshold))): the log-probability that a perturbed log-probability
// exceeds the threshold. Broadcasts.
[[nodiscard]] Tensor inclusion_log_prob(const Tensor& log_probability, const Tensor& threshold);

// Gumbels moved, in their order, to where their largest along the last axis is `maximum`, (...):
// -log(e^-maximum - e^-max + e^-gumbel), in a form that loses no digits. If the gumbels are independent
// Gumbel(phi_i), the results have the law of such Gumbels given that the largest is `maximum`.
[[nodiscard]] Tensor gumbels_with_maximum(const Tensor& gumbels, const Tensor& maximum);

}  // namespace likely
