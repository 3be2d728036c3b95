// Small convolutional classifiers of signals (10.3, 10.4) and of images (10.6).
#pragma once

#include <cstdint>
#include <vector>

#include "likely/models/vision/layer_output.hpp"
#include "likely/nn/convolution.hpp"
#include "likely/nn/dropout.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/training.hpp"

namespace likely::vision {

// The published network for MNIST-1D (Greydanus and Kobak 2024): three convolutions of stride 2 with kernels
// of 5, 3 and 3, and a linear map. x (rows, length) or (rows, 1, length) to scores (rows, classes).
struct Cnn1dOptions {
  std::int64_t length = 40;
  std::int64_t channels = 25;
  std::int64_t classes = 10;
  double dropout = 0.0;  // before the linear map, in training
};

// Refuses sizes < 1 and signals of fewer than 3 numbers.
struct Cnn1d {
  nn::Conv1d first, second, third;
  nn::Linear out;
  nn::Dropout drop;

  Cnn1d(const Cnn1dOptions& options, Rng rng);
  explicit Cnn1d(Rng rng) : Cnn1d(Cnn1dOptions{}, rng) {}

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training) const;
  std::vector<LayerOutput> layers(const Tensor& x) const;
  LIKELY_PARTS(first, second, third, out)

 private:
  Tensor features(const Tensor& x) const;
};

// For images of one channel: twice a 5 x 5 convolution and the largest of each 2 x 2, then a hidden layer.
// x (rows, height, width), (rows, 1, height, width) or flat (rows, height width) to scores.
struct Cnn2dOptions {
  std::int64_t height = 28, width = 28;
  std::int64_t first = 16, second = 32;  // channels
  std::int64_t hidden = 128;
  std::int64_t classes = 10;
  double dropout = 0.5;  // before the hidden layer and after it, in training
};

// Refuses sizes < 1 and images that nothing is left of (below 16 x 16).
struct Cnn2d {
  nn::Conv2d first, second;
  nn::Linear hidden, out;
  nn::Dropout drop;
  std::int64_t height, width;

  Cnn2d(const Cnn2dOptions& options, Rng rng);
  explicit Cnn2d(Rng rng) : Cnn2d(Cnn2dOptions{}, rng) {}

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training) const;
  std::vector<LayerOutput> layers(const Tensor& x) const;
  LIKELY_PARTS(first, second, hidden, out)

 private:
  Tensor features(const Tensor& x) const;
};

}  // namespace likely::vision
