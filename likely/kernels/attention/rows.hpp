// What attention does to the rows of a block of scores, with the best instructions of the machine.
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// A block of scores: `rows` rows of `cols` numbers, a row every `stride`.
template <class T>
struct ScoreBlock {
  T* scores;
  std::int64_t rows, cols, stride;
};

// The running softmax of each query: over the scores seen so far, their maximum and sum of exp(score -
// maximum).
template <class T>
struct RunningSoftmax {
  T* max;
  T* sum;
};

template <class T>
struct AttentionRows {
  // Replaces scores by exp(score - new maximum), brings `running` up to date, and multiplies the row of out
  // (of `depth` numbers, rows `depth` apart) by what the old maximum was too small.
  void (*absorb)(const ScoreBlock<T>& block, const RunningSoftmax<T>& running, T* out, std::int64_t depth);
  // out row / sum.
  void (*finish)(T* out, const T* sum, std::int64_t rows, std::int64_t depth);
  // Replaces scores by p = exp(score - lse) and gradients (stored like the scores) by p (gradient - delta).
  void (*gradients)(const ScoreBlock<T>& block, const double* lse, const T* delta, T* gradients);
  // sum_k a[i, k] b[i, k] for each row.
  void (*dots)(const T* a, const T* b, std::int64_t rows, std::int64_t depth, T* out);
};

const AttentionRows<float>& attention_rows(float);
const AttentionRows<double>& attention_rows(double);

}  // namespace likely::kernels
