// Softmax and its logarithm along one axis: right for numbers of any size. -inf has probability 0. A row that
// holds NaN or +inf, or nothing but -inf, has no softmax and is refused by its number.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

[[nodiscard]] Tensor softmax(const Tensor& x, int axis = -1);      // e^x_k / sum_j e^x_j
[[nodiscard]] Tensor log_softmax(const Tensor& x, int axis = -1);  // x_k - log sum_j e^x_j

// Used by the rules above and differentiable again, along the last axis: the gradient for x from the output
// and its gradient.
[[nodiscard]] Tensor softmax_gradient(const Tensor& y, const Tensor& g);      // y (g - sum_j g_j y_j)
[[nodiscard]] Tensor log_softmax_gradient(const Tensor& y, const Tensor& g);  // g - e^y sum_j g_j

}  // namespace likely
