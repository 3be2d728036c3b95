// Elementary and special functions, element by element. Whole numbers become f32.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

Tensor sqrt(const Tensor& x);   // derivative at 0: infinity
Tensor rsqrt(const Tensor& x);  // 1 / sqrt(x)
Tensor exp(const Tensor& x);
Tensor expm1(const Tensor& x);  // e^x - 1, exact near 0
Tensor log(const Tensor& x);    // log 0 = -inf, log of a negative number NaN
Tensor log1p(const Tensor& x);  // log(1 + x), exact near 0
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor erfc(const Tensor& x);
Tensor lgamma(const Tensor& x);                // log |Gamma(x)|
Tensor digamma(const Tensor& x);               // d/dx lgamma(x); NaN at 0, -1, -2, ...
Tensor polygamma(int order, const Tensor& x);  // the order-th derivative of digamma; refuses order < 0

}  // namespace likely
