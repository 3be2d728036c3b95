// How good predictions of a table are, beside the simplest thing that could be said.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::tables {

// Of predictions of classes.
struct ClassScores {
  double accuracy = 0.0;
  double log_loss = 0.0;  // minus the mean log-probability of the true class
  double macro_f1 = 0.0;  // the mean of 2 hits / (said + true) over the classes that occur as either
  Tensor confusion;       // (classes, classes) i64: row the true one, column the one said
  // Of always saying the training rows' most frequent class, with their shares as probabilities.
  double majority_accuracy = 0.0;
  double majority_log_loss = 0.0;
};

// Of predictions of numbers.
struct NumberScores {
  double r2 = 0.0;  // 1 - sum (y - said)^2 / sum (y - mean y)^2; NaN where all y are the same
  double rmse = 0.0;
  double mae = 0.0;
  // Of always saying the training rows' mean.
  double mean_r2 = 0.0;
  double mean_rmse = 0.0;
  double mean_mae = 0.0;
};

// `probabilities` (rows, classes); labels i64; `train` are the labels that were learned from. A class that
// does not occur in `train` counts as half a row there, so that the baseline's loss is finite. Refuses shapes
// that do not fit.
ClassScores score_classes(const Tensor& probabilities, const Tensor& labels, const Tensor& train);
NumberScores score_numbers(const Tensor& said, const Tensor& y, const Tensor& train);

// Where the true share lies with 95 % confidence, given so many hits among n (Wilson, 1927).
std::pair<double, double> interval_of_share(double share, std::int64_t n);

}  // namespace likely::tables
