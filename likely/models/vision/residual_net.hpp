// Residual networks (11.4, 11.5) with batch normalization (11.7-11.9) for images and, as images of one row,
// for signals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "likely/models/vision/layer_output.hpp"
#include "likely/nn/convolution.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/normalization.hpp"
#include "likely/nn/training.hpp"

namespace likely::vision {

// y = relu(shortcut(x) + f[x]), f[x] = norm(conv(relu(norm(conv(x))))). The shortcut is x itself, or where
// the block changes the number of channels or has a stride, norm(conv(x)) with a kernel of 1. Odd kernels
// keep the size of the image, the stride divides it.
struct ResidualBlock {
  nn::Conv2d first;
  nn::BatchNorm first_norm;
  nn::Conv2d second;
  nn::BatchNorm second_norm;
  std::optional<nn::Conv2d> shortcut;
  std::optional<nn::BatchNorm> shortcut_norm;

  ResidualBlock(std::int64_t in, std::int64_t out, const Extent2d& kernel, const Extent2d& stride, Rng rng);

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training);
  LIKELY_PARTS(first, first_norm, second, second_norm, shortcut, shortcut_norm)
};

struct ResidualNetOptions {
  std::int64_t channels = 1, height = 28, width = 28;  // of the images
  Extent2d kernel = 3;                                 // of all convolutions but the shortcuts'; odd
  Extent2d stem_stride = 1;                            // of the first convolution
  std::vector<std::int64_t> stages{16, 32};            // channels; each but the first begins with a stride,
  Extent2d stage_stride = 2;                           // this one
  std::int64_t blocks = 2;                             // a stage
  std::int64_t classes = 10;
};

// A convolution with normalization, the stages, the mean over each channel, a linear map to scores.
// x (rows, channels, height, width), or flat: (rows, channels height width).
//
//   vision::ResidualNet signals({.height = 1, .width = 40, .kernel = {1, 3}, .stage_stride = {1, 2}}, rng);
//
// Refuses no stages, sizes < 1 and even kernels.
struct ResidualNet {
  nn::Conv2d stem;
  nn::BatchNorm stem_norm;
  std::vector<ResidualBlock> blocks;
  nn::Linear out;
  std::int64_t channels, height, width;

  ResidualNet(const ResidualNetOptions& options, Rng rng);

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training);
  std::vector<LayerOutput> layers(const Tensor& x) const;
  LIKELY_PARTS(stem, stem_norm, blocks, out)

 private:
  Tensor images(const Tensor& x) const;
};

}  // namespace likely::vision
