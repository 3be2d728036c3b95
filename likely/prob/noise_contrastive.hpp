// Noise-contrastive estimation (Gutmann & Hyvarinen 2012): a model without its normaliser is learned by
// telling data from noise.
//
//   loss = noise_contrastive_loss({.model_of_data = score(x) - log_z, .noise_of_data = q.log_prob(x),
//                                  .model_of_noise = score(y) - log_z, .noise_of_noise = q.log_prob(y)}, k);
//
// with y drawn from q, and log_z a parameter as any other: at the optimum it is the logarithm of the
// normaliser.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// Log-densities, of the model up to its normaliser and of the noise. Those of one kind of sample have one
// shape, or one of the two is a single number (a uniform law).
struct ContrastedLogs {
  Tensor model_of_data, noise_of_data;    // log u(x), log q(x) at what was observed
  Tensor model_of_noise, noise_of_noise;  // log u(y), log q(y) at what was drawn from q
};

// -mean over data of log sigmoid(log u - log k q) - k mean over noise of log(1 - sigmoid(log u - log k q)):
// the cross-entropy of the classifier that knows of k noise samples for each datum. With n data and k n noise
// samples this is the sum over all of them, divided by n; with another number of noise samples they count as
// if they were k n. Differentiable in all four. Where log u and log q are finite, so are loss and gradient.
// Refuses a k that is not finite and above 0, other shapes, and no data or no noise.
[[nodiscard]] Tensor noise_contrastive_loss(const ContrastedLogs& logs, double k);

// -mean over data of log sigmoid(s) - m mean over noise of log sigmoid(-s), with m noise samples a datum
// (their number divided by that of the data): the loss of word2vec. It is that of above where k q = 1, which
// is so for k = |V| and uniform q: then exp(s) learns the probability. For other m and q it learns the ratio
// of the two, exp(s) = p / (m q). Refuses no data and no noise.
[[nodiscard]] Tensor negative_sampling_loss(const Tensor& data_scores, const Tensor& noise_scores);

}  // namespace likely
