#include "likely/prob/noise_contrastive.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/error.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely {

namespace {

// log u - log q. (n, 1) against (n,) would broadcast to (n, n), each datum against the noise of all others.
Tensor log_ratio(const char* samples, const Tensor& model, const Tensor& noise) {
  if (model.shape() != noise.shape() && model.size() != 1 && noise.size() != 1)
    refuse(
        "noise_contrastive_loss",
        fmt::format("log-densities of {}: the model's are {}, the noise's are {}; they must have one shape",
                    samples, model.shape().string(), noise.shape().string()));
  return model - noise;
}

void refuse_nothing(const char* operation, const Tensor& data, const Tensor& noise) {
  if (data.size() == 0 || noise.size() == 0)
    refuse(operation, fmt::format("data {} against noise {}: there must be some of both",
                                  data.shape().string(), noise.shape().string()));
}

// -log sigmoid(x) = softplus(-x), and -log(1 - sigmoid(x)) = softplus(x).
Tensor contrast(const Tensor& data, const Tensor& noise, double weight) {
  return mean(softplus(-data)) + weight * mean(softplus(noise));
}

}  // namespace

Tensor noise_contrastive_loss(const ContrastedLogs& logs, double k) {
  if (!std::isfinite(k) || k <= 0.0)
    refuse("noise_contrastive_loss", fmt::format("k must be finite and above 0, got {}", k));
  const double log_k = std::log(k);
  const Tensor data = log_ratio("the data", logs.model_of_data, logs.noise_of_data) - log_k;
  const Tensor noise = log_ratio("the noise", logs.model_of_noise, logs.noise_of_noise) - log_k;
  refuse_nothing("noise_contrastive_loss", data, noise);
  return contrast(data, noise, k);
}

Tensor negative_sampling_loss(const Tensor& data_scores, const Tensor& noise_scores) {
  refuse_nothing("negative_sampling_loss", data_scores, noise_scores);
  return contrast(data_scores, noise_scores,
                  static_cast<double>(noise_scores.size()) / static_cast<double>(data_scores.size()));
}

}  // namespace likely
