// Fully connected classifiers: a linear map alone is logistic regression, with hidden layers between it is a
// network of rectified linear units (4.15). Scores go into a softmax (5.21).
#pragma once

#include <cstdint>
#include <vector>

#include "likely/models/vision/layer_output.hpp"
#include "likely/nn/dropout.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/training.hpp"

namespace likely::vision {

struct MlpOptions {
  double input_dropout = 0.0;   // of the inputs, in training
  double hidden_dropout = 0.0;  // of each hidden layer
  nn::Init init = nn::Init::he_normal;
};

// x (rows, widths[0]), or images that are flattened to that, to scores (rows, widths.back()).
//
//   vision::Mlp digits({784, 512, 512, 10}, {.hidden_dropout = 0.5}, rng.split());
//
// Refuses fewer than two widths and widths < 1.
struct Mlp {
  std::vector<nn::Linear> hidden;
  nn::Linear out;
  nn::Dropout drop_inputs, drop_hidden;

  Mlp(const std::vector<std::int64_t>& widths, const MlpOptions& options, Rng rng);
  Mlp(const std::vector<std::int64_t>& widths, Rng rng) : Mlp(widths, {}, rng) {}

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training) const;
  std::vector<LayerOutput> layers(const Tensor& x) const;
  LIKELY_PARTS(hidden, out)
};

}  // namespace likely::vision
