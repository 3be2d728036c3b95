// A fully connected layer.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/nn/initialize.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn {

struct LinearOptions {
  bool bias = true;
  Activation activation = Activation::none;  // of the result, in the same step
  Init init = Init::he_normal;
};

// y = activation(x weight^T + bias), x (..., in), y (..., out): one line of (4.15).
//
//   nn::Linear hidden(784, 100, {.activation = Activation::relu}, rng.split());
//
// Weights start as He's for relu unless told otherwise, biases at 0. Refuses sizes < 1.
struct Linear {
  Tensor weight;  // (out, in)
  Tensor bias;    // (out,), or empty
  Activation activation = Activation::none;

  Linear(std::int64_t in, std::int64_t out, const LinearOptions& options, Rng rng);
  Linear(std::int64_t in, std::int64_t out, Rng rng) : Linear(in, out, {}, rng) {}

  Tensor operator()(const Tensor& x) const {
    return inside_layer(*this, [&] { return linear(x, weight, bias, activation); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight, bias)
};

}  // namespace likely::nn
