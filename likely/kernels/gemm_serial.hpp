// One matrix product on the calling thread, by whichever library or loop is fastest for its shape.
#pragma once

#include <cstdint>

namespace likely::kernels {

// A product C = alpha op(A) op(B) + beta C as in gemm.hpp.
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
};

// Requires m, n, k > 0. The choice of library depends on the sizes and the processor only.
void gemm_serial(const Product<float>& product);
void gemm_serial(const Product<double>& product);

}  // namespace likely::kernels
