// Normalization to mean 0 and variance 1, followed by a weight and a bias (11.7-11.9). Each is one fused pass
// forward and one backward. Weights and biases may be empty tensors, which means 1 and 0. Variances are those
// of the data (divided by n). All refuse x that is not floating, parameters of other shapes, and an epsilon
// below 0.
#pragma once

#include <cstdint>

#include "likely/core/parts.hpp"
#include "likely/core/tensor.hpp"

namespace likely {

// y = (x - mean) / sqrt(variance + epsilon) weight + bias over the last `axes` axes taken together; weight
// and bias have the shape of these axes. Refuses axes < 1 or more than x has.
[[nodiscard]] Tensor layer_norm(const Tensor& x, int axes, const Tensor& weight = {}, const Tensor& bias = {},
                                double epsilon = 1e-5);

// y = x / sqrt(mean(x^2) + epsilon) weight over the last `axes` axes taken together.
[[nodiscard]] Tensor rms_norm(const Tensor& x, int axes, const Tensor& weight = {}, double epsilon = 1e-6);

// x is (batch, channels, ...). The channels of each example are cut into equal groups, and each group is
// normalized with its own mean and variance; weight and bias are (channels,). Refuses groups that do not
// divide the channels.
[[nodiscard]] Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight = {},
                                const Tensor& bias = {}, double epsilon = 1e-5);

// What a layer of batch normalization remembers of its channels. Empty until set.
struct ChannelStatistics {
  Buffer mean, variance;
  LIKELY_PARTS(mean, variance)

  // Mean 0 and variance 1, where layers start.
  static ChannelStatistics standard(std::int64_t channels, DType dtype = DType::f32);
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  // the weight of the newest batch in the running statistics, from 0 to 1
  bool relu = false;      // y = max(y, 0) in the same pass
  Tensor residual{};      // added in the same pass before that: of x's shape, or empty
};

struct BatchNormResult {
  Tensor y;
  ChannelStatistics running;  // to be kept by the layer; constants to gradients
};

// x is (batch, channels, ...); weight and bias are (channels,). In training, each channel is normalized with
// its mean and variance over the batch and all further axes, and
//   running = (1 - momentum) running + momentum (mean, variance n / (n - 1));
// empty running statistics become those of the batch. Refuses channels of a single value. Otherwise each
// channel is normalized with the running statistics, which must be there and are returned as they are.
BatchNormResult batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const ChannelStatistics& running, bool training,
                           const BatchNormOptions& options = {});

}  // namespace likely
