// Products of a sparse matrix in compressed rows (CSR) with dense row-major matrices of d columns. The same
// bits come out for any number of threads. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// The entries of row r are those at pointers[r] <= e < pointers[r + 1]: column columns[e], value values[e].
// If positions is not null, the value of entry e is values[positions[e]]; if values is null, it is 1.
template <class T>
struct SparseRows {
  std::int64_t rows = 0;
  const std::int64_t* pointers = nullptr;
  const std::int64_t* columns = nullptr;
  const T* values = nullptr;
  const std::int64_t* positions = nullptr;
};

// The transposed pattern: pointers has cols + 1 entries, rows and positions as many as the matrix. Column c
// of the matrix has its entries at pointers[c] <= k < pointers[c + 1]: row rows[k], value
// values[positions[k]], rows ascending. {cols, pointers, rows, values, positions} is the transposed matrix.
void sparse_transpose(std::int64_t rows, std::int64_t cols, const std::int64_t* row_pointers,
                      const std::int64_t* row_columns, std::int64_t* pointers, std::int64_t* transposed_rows,
                      std::int64_t* positions);

// out = A x: (rows, d) from x (columns of A, d). With the transposed matrix it is the gradient with respect
// to x.
void sparse_multiply(const SparseRows<float>& a, const float* x, std::int64_t d, float* out);
void sparse_multiply(const SparseRows<double>& a, const double* x, std::int64_t d, double* out);

// out_e = sum_k g[r, k] x[columns[e], k] for each entry e of row r: the gradient of A x with respect to the
// values.
void sparse_multiply_values_gradient(const SparseRows<float>& a, const float* g, const float* x,
                                     std::int64_t d, float* out);
void sparse_multiply_values_gradient(const SparseRows<double>& a, const double* g, const double* x,
                                     std::int64_t d, double* out);

// out[r, k] = max over the entries of row r of x[columns[e], k], and argmax[r, k] the column it came from
// (the first, if several are equal; a NaN wins). A row without entries gives 0 and -1. Values play no part.
void sparse_max(const SparseRows<float>& a, const float* x, std::int64_t d, float* out, std::int64_t* argmax);
void sparse_max(const SparseRows<double>& a, const double* x, std::int64_t d, double* out,
                std::int64_t* argmax);

// dx[argmax[r, k], k] += g[r, k], where argmax is not -1.
void sparse_max_backward(const float* g, const std::int64_t* argmax, std::int64_t rows, std::int64_t d,
                         float* dx);
void sparse_max_backward(const double* g, const std::int64_t* argmax, std::int64_t rows, std::int64_t d,
                         double* dx);

}  // namespace likely::kernels
