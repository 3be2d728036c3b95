// Running totals along one axis, from its first element on, or with `reversed` from its last one back.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// y_i = x_0 + ... + x_i. Bools and whole numbers give i64.
[[nodiscard]] Tensor cumsum(const Tensor& x, int axis, bool reversed = false);

// y_i = x_0 x_1 ... x_i. Bools and whole numbers give i64. The derivative is right also where elements are 0.
[[nodiscard]] Tensor cumprod(const Tensor& x, int axis, bool reversed = false);

// y_i = log(e^x_0 + ... + e^x_i) without overflow. Bools and whole numbers become f32. Where all elements so
// far are -inf the result is -inf and the derivative 0.
[[nodiscard]] Tensor logcumsumexp(const Tensor& x, int axis, bool reversed = false);

// y_i = a_i y_(i-1) + b_i with y_(-1) = 0: discounted returns, exponential averages, learning rules. The
// factors and inputs broadcast against each other; whole numbers become f32.
[[nodiscard]] Tensor linear_recurrence(const Tensor& a, const Tensor& b, int axis, bool reversed = false);

}  // namespace likely
