#include "likely/prob/sequence/without_replacement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
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
  const std::vector<double> f = values.to_vector<double>();
  const std::vector<double> weights = importance_log_weights(sample).to_vector<double>();
  const std::vector<double> inclusion = log_inclusion(sample).to_vector<double>();
  const std::vector<double> log_p = sample.log_probabilities.to_vector<double>();
  const auto starts = static_cast<std::size_t>(sample.lengths.dim(0));
  const std::size_t count = f.size() / starts;
  std::vector<double> unbiased, error, normalized, normalized_error;
  for (std::size_t start = 0; start < starts; ++start) {
    double sum = 0.0, all = 0.0, square = 0.0, normalized_square = 0.0;
    const auto for_each = [&](const auto& body) {
      for (std::size_t i = start * count; i < (start + 1) * count; ++i) {
        if (log_p[i] > -std::numeric_limits<double>::infinity())
          body(std::exp(weights[i]), -std::expm1(inclusion[i]), f[i]);
      }
    };
    for_each([&](double w, double excluded, double value) {
      sum += w * value;
      all += w;
      square += w * value * w * value * excluded;
    });
    const double mean = sum / all;
    for_each([&](double w, double excluded, double value) {
      const double part = w / all * (value - mean);
      normalized_square += part * part * excluded;
    });
    unbiased.push_back(sum);
    error.push_back(std::sqrt(square));
    normalized.push_back(mean);
    normalized_error.push_back(std::sqrt(normalized_square));
  }
  return {tensor(unbiased), tensor(error), tensor(normalized), tensor(normalized_error)};
}

WithoutReplacement entropy_without_replacement(const PerturbedSequences& sample) {
  return mean_without_replacement(sample, -sample.log_probabilities);
}

}  // namespace likely
