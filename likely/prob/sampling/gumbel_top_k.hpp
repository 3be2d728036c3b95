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

// One class of each row of the last axis: the argmax of logits + Gumbel noise, which is k with probability
// softmax(logits)_k; and the largest perturbed logit, which is Gumbel(logsumexp(logits)) and independent of
// it.
struct GumbelMax {
  Tensor index;    // (...), i64
  Tensor maximum;  // (...)
};

// Constants to gradients. Refuses rows without a softmax.
GumbelMax gumbel_max(const Tensor& logits, Rng rng);

// The k largest of logits + Gumbel noise along the last axis: an ordered sample without replacement from
// softmax(logits). Constants to gradients. Of long rows only the noise that can matter is drawn, which leaves
// the law as it is. Refuses k < 1, k above the number of classes whose logit is not -inf, and rows without a
// softmax.
PerturbedSample gumbel_top_k(const Tensor& logits, std::int64_t k, Rng rng);

// The log-probability that these classes are drawn without replacement in this order: each by the softmax of
// what is left; -inf where a class comes twice or is never drawn. `indices` is (..., k), i64. Differentiable
// in the logits. Refuses rows without a softmax.
[[nodiscard]] Tensor ordered_log_prob(const Tensor& logits, const Tensor& indices);

// The log-probability that the first k drawn are these classes, in whatever order; -inf where a class comes
// twice or is never drawn. With L the log-sum-exp of all others, whose largest perturbed logit is Gumbel(L):
// P = E product over the set of 1 - exp(-e^(logit - L - G)), G standard Gumbel,
// an integral of one dimension that the trapezoidal rule has to about 12 digits (f64) for any k: no sum over
// orders or subsets. Differentiable in the logits. Refuses rows without a softmax.
[[nodiscard]] Tensor set_log_prob(const Tensor& logits, const Tensor& indices);

// log(1 - exp(-exp(log_probability - threshold))): the log-probability that a perturbed log-probability
// exceeds the threshold. Broadcasts. Keeps its digits at both ends.
[[nodiscard]] Tensor inclusion_log_prob(const Tensor& log_probability, const Tensor& threshold);

// Gumbels moved, in their order, to where their largest along the last axis is `maximum`, (...):
// -log(e^-maximum - e^-max + e^-gumbel), in a form that loses no digits. If the gumbels are independent
// Gumbel(phi_i), the results have the law of such Gumbels given that the largest is `maximum`. The largest
// becomes `maximum` exactly; -inf stays -inf.
[[nodiscard]] Tensor gumbels_with_maximum(const Tensor& gumbels, const Tensor& maximum);

}  // namespace likely
