// Matrix products over raw row-major memory. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// What becomes of each row of C once its sums are complete: the bias is added, then relu is taken. On the way
// to memory that costs next to nothing.
template <class T>
struct Finish {
  const T* bias = nullptr;  // n numbers, if any
  bool relu = false;
};

// C = alpha op(A) op(B) + beta C, where op(A) is m x k and op(B) is k x n, C is m x n, all row-major.
// `lda`, `ldb`, `ldc` are the distances between the stored rows of A, B and C: A is stored as m x k, or as k
// x m if transpose_a; B as k x n, or as n x k if transpose_b. C must not overlap A or B. With k = 0 or alpha
// = 0 neither A nor B is read; with beta = 0 C is not read, so what it held (NaN, too) is forgotten. The same
// bits come out for any number of threads. Nothing is refused: sizes must be right (and m, n, k >= 0).
void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc, const Finish<float>& finish = {});
void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc, const Finish<double>& finish = {});

// The same for `batch` products: product i uses a + i * stride_a, b + i * stride_b and c + i * stride_c.
// A stride of 0 for a or b uses that matrix in all products; the matrices of C must be distinct.
void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float* a, std::int64_t lda, std::int64_t stride_a,
                  const float* b, std::int64_t ldb, std::int64_t stride_b, float beta, float* c,
                  std::int64_t ldc, std::int64_t stride_c);
void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double* a, std::int64_t lda, std::int64_t stride_a,
                  const double* b, std::int64_t ldb, std::int64_t stride_b, double beta, double* c,
                  std::int64_t ldc, std::int64_t stride_c);

}  // namespace likely::kernels
