// A fully connected layer, one line of (4.15), in one step.
#pragma once

#include <cstdint>
#include <string_view>

#include "likely/core/tensor.hpp"

namespace likely {

enum class Activation : std::uint8_t { none, relu, tanh, sigmoid, gelu, silu };

// "none", "relu", ...
std::string_view name_of(Activation activation);

// The activation as a function (activation.hpp, math.hpp).
[[nodiscard]] Tensor activate(const Tensor& x, Activation activation);

// y = activation(x W^T + b): x is (..., in), the weight W (out, in), the bias (out,) or an empty Tensor, y
// (..., out). The bias and the activation are applied to the product while it is in the cache. Refuses shapes
// that do not fit and numbers that are not floating.
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            Activation activation = Activation::none);

}  // namespace likely
