// Layers that normalize (11.7-11.9). Weights start at 1, biases at 0; none of them is random.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/parts.hpp"
#include "likely/nn/training.hpp"

namespace likely::nn {

struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  // the weight of the newest batch in the running statistics
  bool relu = false;      // max(0, result), in the same pass
  bool affine = true;     // whether there are a weight and a bias
};

// x (batch, channels, ...): in training each channel gets the mean 0 and the variance 1 over the batch, and
// the running statistics follow; otherwise the running statistics are used. Then weight and bias. With a
// residual of x's shape, it is added (before the relu) in the same pass. Refuses channels < 1.
struct BatchNorm {
  Tensor weight, bias;  // (channels,), or empty
  Buffer running_mean, running_var;
  Buffer num_batches_tracked;  // how many batches it has seen
  double epsilon;
  double momentum;
  bool relu;

  explicit BatchNorm(std::int64_t channels, const BatchNormOptions& options = {});

  Tensor operator()(const Tensor& x) const { return infer(x, {}); }
  Tensor operator()(const Tensor& x, const Training& training) { return train(x, {}, training); }
  Tensor operator()(const Tensor& x, const Tensor& residual) const { return infer(x, residual); }
  Tensor operator()(const Tensor& x, const Tensor& residual, const Training& training) {
    return train(x, residual, training);
  }
  // What of its running statistics is missing or cannot be (tree/misfit.hpp).
  std::string misfit() const;
  LIKELY_PARTS(weight, bias, running_mean, running_var, num_batches_tracked)

 private:
  Tensor infer(const Tensor& x, const Tensor& residual) const;
  Tensor train(const Tensor& x, const Tensor& residual, const Training& training);
};

struct NormOptions {
  double epsilon = 1e-5;
  bool affine = true;  // whether there are a weight and a bias
};

// Mean 0 and variance 1 over the last axes, which have the shape given: nn::LayerNorm(64), or
// nn::LayerNorm(Shape{16, 8}). Refuses shapes without axes or without elements.
struct LayerNorm {
  Tensor weight, bias;  // of that shape, or empty
  Shape shape;
  double epsilon;

  explicit LayerNorm(const Shape& over, const NormOptions& options = {});
  explicit LayerNorm(std::int64_t features, const NormOptions& options = {})
      : LayerNorm(Shape{features}, options) {}

  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(weight, bias)
};

// x / sqrt(mean(x^2) + epsilon) weight over the last axis. Refuses features < 1.
struct RmsNorm {
  Tensor weight;  // (features,)
  double epsilon;

  explicit RmsNorm(std::int64_t features, double epsilon = 1e-6);

  Tensor operator()(const Tensor& x) const;
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight)
};

// x (batch, channels, ...): mean 0 and variance 1 over each group of channels of each example. One channel a
// group is instance normalization. Refuses groups that do not divide the channels.
struct GroupNorm {
  Tensor weight, bias;  // (channels,), or empty
  std::int64_t groups;
  double epsilon;

  GroupNorm(std::int64_t groups, std::int64_t channels, const NormOptions& options = {});

  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(weight, bias)
};

}  // namespace likely::nn
