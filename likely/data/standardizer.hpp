// Standardizer: features with mean 0 and standard deviation 1.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/parts.hpp"
#include "likely/data/dataset.hpp"

namespace likely::data {

struct StandardizerOptions {
  bool per_feature = true;  // else one mean and one scale for all features together
};

// z = (x - mean) / scale, fitted on the training part only and saved with the model:
//
//   const auto scaler = data::Standardizer::fit(train);
//   train = scaler.apply(train);
//   test = scaler.apply(test);
//
// A feature that never changes keeps its size: its scale is 1.
struct Standardizer {
  Buffer mean, scale;  // the shape of a row

  // Of the inputs x, read in pieces; sums are made in f64. Refuses no rows, and numbers that are not finite.
  static Standardizer fit(const Dataset& train, const StandardizerOptions& options = {});
  // Of rows along axis 0, such as targets.
  static Standardizer fit(const Tensor& rows, const StandardizerOptions& options = {});

  Tensor apply(const Tensor& x) const;
  // mean + scale z: back in the units of the data.
  Tensor invert(const Tensor& z) const;
  // The dataset with standardised x.
  Dataset apply(const Dataset& dataset) const;

  // What of its parts cannot be (tree/misfit.hpp).
  std::string misfit() const;
  LIKELY_PARTS(mean, scale)
};

}  // namespace likely::data
