// Networks whose layers are added to what they work on (11.4), and the paths by which a change of the first
// layer reaches the output (11.6).
//
// Derivatives are laid out as the textbook has them: element (i, j) is that of output j by input i, so that
// products read from the input to the output. likely::jacobian gives the transpose.
#pragma once

#include <functional>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::book {

// A layer f_k of a vector, differentiable.
using Layer = std::function<Tensor(const Tensor&)>;

// h_0 = x, h_1, ..., y: one after the other, h_k = f_k[h_{k-1}] (11.1, 11.2), or residual,
// h_k = h_{k-1} + f_k[h_{k-1}] (11.4, 11.5). Both refuse x that is not a vector and no layers; the second
// refuses layers that change the size.
std::vector<Tensor> sequential_states(const std::vector<Layer>& layers, const Tensor& x);
std::vector<Tensor> residual_states(const std::vector<Layer>& layers, const Tensor& x);

// dy / df_1 of layers one after the other: df_2/df_1 df_3/df_2 ... (11.3), where a single product decides.
Tensor sequential_derivative(const std::vector<Layer>& layers, const Tensor& x);

// One way from f_1 to y in a residual network: through the layers named (2 ... K, in order), past the others.
struct Path {
  std::vector<int> through;
  Tensor derivative;  // the product of the derivatives of these layers; the identity where there are none
};

// All 2^(K-1) paths in the order of (11.6): no layer, f_2, f_3, f_2 f_3, f_4, ... Their derivatives add up to
// dy / df_1. Refuses more than 16 layers.
std::vector<Path> residual_paths(const std::vector<Layer>& layers, const Tensor& x);

// The sum of the paths' derivatives, that is (I + df_2) (I + df_3) ..., without walking each path.
Tensor residual_derivative(const std::vector<Layer>& layers, const Tensor& x);

}  // namespace likely::book
