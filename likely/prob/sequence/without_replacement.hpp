// Means over all sequences, from a sample without replacement (Kool et al. 2019, section 4.2).
//
//   const PerturbedSequences some = stochastic_beam_search(model, 10, rng);
//   const WithoutReplacement length = mean_without_replacement(some, some.lengths);
//   length.unbiased, length.standard_error
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/prob/sequence/search.hpp"

namespace likely {

// log(p / q), (starts, count) f64: q = 1 - exp(-exp(log p - kappa)) is how probable it was that a sequence's
// perturbed log-probability exceeds kappa. -inf for places without a sequence.
[[nodiscard]] Tensor importance_log_weights(const PerturbedSequences& sample);

// Each (starts) f64.
struct WithoutReplacement {
  // sum w f, w = p / q: without bias, whatever f is.
  Tensor unbiased;
  // The square root of sum (w f)^2 (1 - q), which has the variance of `unbiased` as its mean for count >= 2:
  // given the threshold that decides about one sequence, no two terms are correlated. 0 where the sample has
  // all sequences.
  Tensor standard_error;
  // sum w f / sum w: biased, little where count is large, and mostly with less spread.
  Tensor normalised;
  // The same of f - normalised, by linearisation: right for large samples alone.
  Tensor normalised_standard_error;
};

// The mean of f under the model; `values` are f of each sequence, (starts, count), of which those without a
// sequence are not looked at. Differentiable in the values. Refuses another shape.
[[nodiscard]] WithoutReplacement mean_without_replacement(const PerturbedSequences& sample,
                                                          const Tensor& values);

// The mean of -log p: the entropy of the sequences in nats.
[[nodiscard]] WithoutReplacement entropy_without_replacement(const PerturbedSequences& sample);

}  // namespace likely
