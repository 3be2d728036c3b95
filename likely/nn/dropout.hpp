// Layers that disturb what passes through them in training (chapter 9), and do nothing otherwise. To see how
// sure a trained network is, hand it Training::only_noise at test time: each pass is a sample of its
// prediction.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/nn/training.hpp"
#include "likely/ops/dropout.hpp"

namespace likely::nn {

// Each element is 0 with probability p and x / (1 - p) otherwise. Refuses p outside [0, 1).
struct Dropout {
  double p = 0.5;

  explicit Dropout(double probability = 0.5);

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training) const {
    return dropout(x, p, training.split());
  }
  bool changes_in_training() const { return p > 0.0; }
  LIKELY_PARTS()
};

// Normal noise of this standard deviation is added. Refuses a negative or infinite one.
struct GaussianNoise {
  double stddev;

  explicit GaussianNoise(double stddev);

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training) const;
  bool changes_in_training() const { return stddev > 0.0; }
  LIKELY_PARTS()
};

}  // namespace likely::nn
