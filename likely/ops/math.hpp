// Elementary and special functions, element by element. Whole numbers become f32.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

[[nodiscard]] Tensor sqrt(const Tensor& x);   // derivative at 0: infinity
[[nodiscard]] Tensor rsqrt(const Tensor& x);  // 1 / sqrt(x)
[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor expm1(const Tensor& x);  // e^x - 1, exact near 0
[[nodiscard]] Tensor log(const Tensor& x);    // log 0 = -inf, log of a negative number NaN
[[nodiscard]] Tensor log1p(const Tensor& x);  // log(1 + x), exact near 0
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
[[nodiscard]] Tensor erf(const Tensor& x);
[[nodiscard]] Tensor erfc(const Tensor& x);
[[nodiscard]] Tensor lgamma(const Tensor& x);   // log |Gamma(x)|
[[nodiscard]] Tensor digamma(const Tensor& x);  // d/dx lgamma(x); NaN at 0, -1, -2, ...
[[nodiscard]] Tensor polygamma(int order,
                               const Tensor& x);  // the order-th derivative of digamma; refuses order < 0

}  // namespace likely
