// How far the probabilities of a classifier can be believed: errors of calibration, proper scores, and how
// sure these figures are themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"

namespace likely::confidence {

// Refuses logits that are not (rows, classes) with at least one row and two classes, or hold numbers that are
// not finite, naming the first row; and labels that are not whole numbers of these classes, one a row.
void check_scores(std::string_view operation, const Tensor& logits, const Tensor& labels);

enum class Bins : std::uint8_t {
  equal_width,  // ((m - 1) / M, m / M]
  equal_mass,   // as many rows in each as can be; equal confidences lie in one bin
};

// Refused: bins < 1, resamples < 0 or 1.
struct MeasureOptions {
  int bins = 15;
  Bins kind = Bins::equal_width;
  int resamples = 1000;    // of the bootstrap; 0, or one row: none, and standard errors are NaN
  std::uint64_t seed = 1;  // of the bootstrap
  CancelTest cancelled{};  // asked at each resample
};

// A figure, its standard error, and an interval of 95 %: the basic bootstrap's, 2 value - quantile, within
// what the figure can be. (A resample is worse calibrated than the rows it was drawn from; this interval
// corrects for that.)
struct Estimate {
  double value = 0.0, standard_error = 0.0, low = 0.0, high = 0.0;
};

struct ReliabilityBin {
  double low = 0.0, high = 0.0;  // of the confidence: low < confidence <= high
  std::int64_t rows = 0;
  double confidence = 0.0;  // the mean; NaN in an empty bin
  double accuracy = 0.0;
};

struct Calibration {
  std::int64_t rows = 0, classes = 0;
  Estimate accuracy{};       // of the most probable class; of several such, of the first
  Estimate nll{};            // -mean log p_y
  Estimate brier{};          // mean sum_k (p_k - [y = k])^2, from 0 to 2
  Estimate ece{};            // sum_m rows_m / rows |accuracy_m - confidence_m| (Guo et al., 2017)
  Estimate mce{};            // max_m |accuracy_m - confidence_m| over bins that are not empty
  Estimate classwise_ece{};  // the mean over classes of the ECE of p_k, in bins of equal width
  std::vector<ReliabilityBin> bins{};
};

// Of softmax(logits): probabilities may be given by their logarithms. The bins are those of the rows
// themselves, also in the bootstrap. The classwise error has no standard error where rows times classes times
// resamples are more than 10^9. Refuses what check_scores refuses.
Calibration measure_calibration(const Tensor& logits, const Tensor& labels,
                                const MeasureOptions& options = {});

}  // namespace likely::confidence
