// Sparse matrices: graphs, and features that are mostly 0.
#pragma once

#include <cstdint>
#include <memory>

#include "likely/core/tensor.hpp"

namespace likely {

namespace detail {
class SparsePattern;
}

// A matrix of which only some elements are stored (the others are 0), row by row with ascending columns: the
// compressed rows, "CSR". A value: cheap to copy, never changed. The pattern is constant and shared; the
// values are a tensor like any other and may be what a gradient is taken of.
class SparseMatrix {
 public:
  // An empty matrix, 0 x 0.
  SparseMatrix();

  // The element (row_indices[e], column_indices[e]) is the sum of all values[e] that name it: a graph from
  // its edges. Without values each entry counts 1 (f32). The gradient flows back to `values`. Refuses indices
  // that are not i64 vectors of one length or lie outside the matrix, and values that are not floating or as
  // many as the indices.
  static SparseMatrix from_coordinates(std::int64_t rows, std::int64_t columns, const Tensor& row_indices,
                                       const Tensor& column_indices, const Tensor& values = {});
  // Compressed rows as they are: row r has the entries row_offsets[r] .. row_offsets[r + 1]. Refuses offsets
  // that do not rise from 0 to the number of entries, and columns that do not ascend within a row.
  static SparseMatrix from_rows(std::int64_t columns, const Tensor& row_offsets, const Tensor& column_indices,
                                const Tensor& values);
  // The elements of a dense matrix that are not 0.
  static SparseMatrix from_dense(const Tensor& matrix);

  std::int64_t rows() const;
  std::int64_t columns() const;
  // The number of stored elements.
  std::int64_t entries() const;
  const Tensor& row_offsets() const;     // i64, (rows + 1,)
  const Tensor& column_indices() const;  // i64, (entries,)
  const Tensor& values() const { return values_; }

  // The same pattern with other values, one for each entry in the order of the rows.
  SparseMatrix with_values(const Tensor& values) const;

 private:
  using Pattern = std::shared_ptr<const detail::SparsePattern>;
  SparseMatrix(Pattern pattern, Tensor values);
  friend SparseMatrix transpose(const SparseMatrix& a);
  friend Tensor to_dense(const SparseMatrix& a);
  friend Tensor matmul(const SparseMatrix& a, const Tensor& x);
  friend Tensor sparse_max(const SparseMatrix& a, const Tensor& x);

  Pattern pattern_;
  Tensor values_;
};

// Rows and columns exchanged. (The gradients of the products below do without it.)
SparseMatrix transpose(const SparseMatrix& a);

// All elements, in a dense matrix.
[[nodiscard]] Tensor to_dense(const SparseMatrix& a);

// y[i, k] = sum over j of a[i, j] x[j, k], with gradients for x and for the values of a. x is (columns, d) or
// a vector. Refuses other shapes.
[[nodiscard]] Tensor matmul(const SparseMatrix& a, const Tensor& x);

// y[i, k] = max over the entries (i, j) of a of x[j, k]: each row takes the largest of its neighbours,
// feature by feature, whatever the values of a. The first neighbour wins a tie and gets the gradient, a NaN
// wins over numbers; rows without entries give 0. x is (columns, d) or a vector.
[[nodiscard]] Tensor sparse_max(const SparseMatrix& a, const Tensor& x);

}  // namespace likely
