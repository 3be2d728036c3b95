#include "likely/prob/sequence/without_replacement.hpp"

#include <fmt/format.h>

#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"

namespace likely {

namespace {

// log q; 0 for places without a sequence.
Tensor log_inclusion(const PerturbedSequences& sample) {
  const Tensor there = sample.lengths > 0.0;
  const Tensor& log_p = sample.log_probabilities;
  return inclusion_log_prob(where(there, log_p, 0.0), unsqueeze(sample.kappa, -1));
}

}  // namespace

Tensor importance_log_weights(const PerturbedSequences& sample) {
  return sample.log_probabilities - log_inclusion(sample);
}

WithoutReplacement mean_without_replacement(const PerturbedSequences& sample, const Tensor& values) {
  if (values.shape() != sample.lengths.shape())
    refuse("mean_without_replacement", fmt::format("values must be {}, one for each sequence, got {}",
                                                   sample.lengths.shape().string(), values.shape().string()));
  const Tensor there = sample.log_probabilities > -std::numeric_limits<double>::infinity();
  const Tensor weight = where(there, exp(importance_log_weights(sample)), 0.0);
  const Tensor excluded = -expm1(log_inclusion(sample));
  const Tensor f = where(there, cast(values, DType::f64), 0.0);
  const Tensor share = weight / sum(weight, -1, true);
  const Tensor normalised = sum(share * f, -1);
  const Tensor distance = where(there, f - unsqueeze(normalised, -1), 0.0);
  return {sum(weight * f, -1), sqrt(sum(square(weight * f) * excluded, -1)), normalised,
          sqrt(sum(square(share * distance) * excluded, -1))};
}

WithoutReplacement entropy_without_replacement(const PerturbedSequences& sample) {
  return mean_without_replacement(sample, -sample.log_probabilities);
}

}  // namespace likely
