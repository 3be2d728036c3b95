// Activation functions (3.2, 3.13-3.15), element by element. At a kink the derivative is that of the left
// side.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

[[nodiscard]] Tensor relu(const Tensor& x);  // max(0, x); derivative at 0: 0
[[nodiscard]] Tensor leaky_relu(const Tensor& x,
                                double slope = 0.01);  // x > 0 ? x : slope x; derivative at 0: slope
[[nodiscard]] Tensor elu(const Tensor& x,
                         double alpha = 1.0);  // x > 0 ? x : alpha (e^x - 1); derivative at 0: alpha
[[nodiscard]] Tensor gelu(const Tensor& x);    // x Phi(x), with the normal cdf
[[nodiscard]] Tensor gelu_tanh(
    const Tensor& x);                        // the tanh form: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
[[nodiscard]] Tensor silu(const Tensor& x);  // x sigmoid(x), "swish"
[[nodiscard]] Tensor hardswish(const Tensor& x);   // 0, x (x + 3) / 6, x for x < -3, between, > 3 (3.13)
[[nodiscard]] Tensor sigmoid(const Tensor& x);     // 1 / (1 + e^-x)
[[nodiscard]] Tensor logsigmoid(const Tensor& x);  // log sigmoid(x), right for large |x|
[[nodiscard]] Tensor softplus(const Tensor& x);    // log(1 + e^x), right for large |x|
[[nodiscard]] Tensor logit(const Tensor& p);       // log(p / (1 - p)); +-inf at 1 and 0
[[nodiscard]] Tensor heaviside(
    const Tensor& x);  // 0 below 0, else 1, NaN of NaN; derivative 0 everywhere (3.15)
[[nodiscard]] Tensor rect(
    const Tensor& x);  // 1 for 0 <= x <= 1, else 0, NaN of NaN; derivative 0 everywhere (3.15)

// Used by the rules above and differentiable again: g times the derivative, from the output or the input.
[[nodiscard]] Tensor tanh_gradient(const Tensor& y, const Tensor& g);     // g (1 - y^2)
[[nodiscard]] Tensor sigmoid_gradient(const Tensor& y, const Tensor& g);  // g y (1 - y)
[[nodiscard]] Tensor relu_gradient(const Tensor& x, const Tensor& g);     // g where x > 0, else 0

}  // namespace likely
