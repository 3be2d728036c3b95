// Factorisations of square matrices and triangular systems. Leading axes are a batch; numbers are floating.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// The lower triangular L with a = L L^T. Refuses matrices that are not symmetric (beyond rounding) and,
// naming the leading minor, those that are not positive definite. Its gradient is symmetric.
[[nodiscard]] Tensor cholesky(const Tensor& a);

struct Lu {
  Tensor permutation;  // P, a matrix of 0 and 1; constant
  Tensor lower;        // L, with 1 on the diagonal
  Tensor upper;        // U
};
// a = P L U with partial pivoting. The gradients of L and U need a to be regular.
Lu lu(const Tensor& a);

struct TriangularSolve {
  bool lower = true;           // which triangle of a is read; the other is taken as 0
  bool transpose = false;      // whether a^T x = b is solved
  bool unit_diagonal = false;  // whether the diagonal is taken as 1
};
// x with a x = b, where a is triangular (..., n, n) and b (..., n, k), or a vector (n,). Leading axes
// broadcast. Refuses shapes that do not fit and, unless it is not read, a diagonal with a 0.
[[nodiscard]] Tensor triangular_solve(const Tensor& a, const Tensor& b, const TriangularSolve& options = {});

}  // namespace likely
