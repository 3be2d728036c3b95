// One gradient step of noise contrast on rows of two matrices: the inner loop of word2vec.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::words {

// Rows are made so many floats longer, which stay 0, that they are whole vectors and lines of the cache.
inline constexpr std::int64_t kRowFloats = 16;
constexpr std::int64_t row_stride(std::int64_t dimension) {
  return (dimension + kRowFloats - 1) / kRowFloats * kRowFloats;
}

// A data word and its noise words, at most so many.
inline constexpr int kMostContrasted = 257;

// The matrix of what is predicted, a row u_w for each word.
struct Outputs {
  float* rows = nullptr;
  std::int64_t stride = 0;
  // Of noise-contrastive estimation: s_w = u_w h + biases[w], against log(k q(w)) = log_noise[w]. Both null:
  // negative sampling, where s_w = u_w h stands against 0.
  float* biases = nullptr;
  const float* log_noise = nullptr;
};

struct ContrastedWords {
  const std::uint32_t* words;  // the data word first
  int count;                   // of all of them, at most kMostContrasted
};

// Goes down, by `rate`, the gradient of
//   loss = -log sigmoid(s_0 - log(k q_0)) - sum_j log(1 - sigmoid(s_j - log(k q_j)))
// in u, in the biases and in h. All scores are taken before anything moves. A word that comes twice is moved
// twice; h then feels the second time where the first has put it. `hidden`, of a whole stride, is moved
// itself where `change` is null; else it stays, and its step is put into `change`. Returns the loss if it is
// wanted, else 0.
//
// Several threads may do this to the same rows at once (Niu et al. 2011, "Hogwild"): a step may then
// overwrite a part of another's, which is noise in the learning and no more. Such races are meant; the thread
// sanitizer is told so where the step is compiled. Floats that are aligned are read and written whole on
// every processor likely is compiled for.
float contrast_step(const Outputs& outputs, const ContrastedWords& contrasted, float rate, float* hidden,
                    float* change, bool wants_loss);

// `mean` becomes the mean of these rows.
void mean_of_rows(const float* rows, std::int64_t stride, const std::uint32_t* which, int count, float* mean);
// Adds change / count to each of these rows.
void spread_over_rows(float* rows, std::int64_t stride, const std::uint32_t* which, int count,
                      const float* change);

// Asks for a row before it is needed.
inline void prefetch_row(const float* row, std::int64_t stride) {
  for (std::int64_t i = 0; i < stride; i += 16) __builtin_prefetch(row + i, 1, 3);
}

}  // namespace likely::words
