// Matrix products by likely's own vector loops, in the pieces that threads share. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/gemm/gemm.hpp"

namespace likely::kernels {

// C = alpha op(A) op(B) + beta C as in gemm.hpp.
template <class T>
struct Product {
  bool transpose_a;
  bool transpose_b;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  T alpha;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T beta;
  T* c;
  std::int64_t ldc;
  Finish<T> finish{};
};

// A part of C: rows [row, row + rows) and columns [column, column + columns).
struct Part {
  std::int64_t row;
  std::int64_t rows;
  std::int64_t column;
  std::int64_t columns;
};

// Computes one part of C on the calling thread. Every element is one sum in the order of k, broken only at
// multiples of a depth that k decides, so the bits are the same for any cut into parts, and on any processor
// that has fused multiply-add.
void multiply_part(const Product<float>& p, const Part& part);
void multiply_part(const Product<double>& p, const Part& part);

// Finishes a part whose sums are complete.
void finish_part(const Product<float>& p, const Part& part);
void finish_part(const Product<double>& p, const Part& part);

// As multiply_part, but without the finish, and with one scalar product for each element, for a product with
// one or two rows or columns (m <= 2 or n <= 2): vectors run along k, so A must not be transposed and B must
// be. A part is cut along the longer side of C only.
void multiply_part_by_dots(const Product<float>& p, const Part& part);
void multiply_part_by_dots(const Product<double>& p, const Part& part);

}  // namespace likely::kernels
