// Linear systems, inverses and determinants. Leading axes are a batch; numbers are floating.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// x with a x = b, where a is (..., n, n) and b (..., n, k), or a vector (n,). Leading axes broadcast. Refuses
// shapes that do not fit and matrices that are singular to the precision of their numbers.
[[nodiscard]] Tensor solve(const Tensor& a, const Tensor& b);

// a^-1. Refuses matrices that are singular to the precision of their numbers. To multiply by an inverse, use
// solve: it is faster and more accurate.
[[nodiscard]] Tensor inverse(const Tensor& a);

// The determinant; 1 for an empty matrix. The derivative is right also for singular matrices: it is then
// computed from the n^2 determinants of the minors, which takes n^5 steps.
[[nodiscard]] Tensor det(const Tensor& a);

struct SignAndLogDet {
  Tensor sign;     // -1, 0 or 1; constant
  Tensor log_abs;  // log |det a|; -inf for singular matrices, whose derivative is refused
};
SignAndLogDet slogdet(const Tensor& a);

// log det a, without overflow. NaN where the determinant is negative (the derivative is that of log |det a|).
[[nodiscard]] Tensor logdet(const Tensor& a);

}  // namespace likely
