// Factorisations of square matrices and solutions of triangular systems, over raw dense row-major memory, in
// place. Large ones are cut into blocks whose bulk is matrix products (gemm.hpp). Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// A = L L^T from the lower triangle of A: L replaces it, the upper triangle becomes 0. Returns 0, or the
// order of the first leading minor that is not positive; then A is left half done.
std::int64_t cholesky(std::int64_t n, float* a);
std::int64_t cholesky(std::int64_t n, double* a);

// P A = L U with partial pivoting: U replaces the upper triangle, L (whose diagonal is 1) the rest. Row i was
// exchanged with row pivots[i] >= i in turn. Where a column has no pivot, U has a 0 on its diagonal.
void lu(std::int64_t n, float* a, std::int64_t* pivots);
void lu(std::int64_t n, double* a, std::int64_t* pivots);

// Which triangle of A is read, and how.
struct Triangle {
  bool lower;
  bool transpose;
  bool unit_diagonal;
};

// B (n x columns) is replaced by op(A)^-1 B. A diagonal of 0 divides by it.
void triangular_solve(const Triangle& triangle, std::int64_t n, std::int64_t columns, const float* a,
                      float* b);
void triangular_solve(const Triangle& triangle, std::int64_t n, std::int64_t columns, const double* a,
                      double* b);

}  // namespace likely::kernels
