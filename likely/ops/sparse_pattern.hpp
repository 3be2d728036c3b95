// Where a sparse matrix has its entries. Internal to ops/.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::detail {

class SparsePattern {
 public:
  // Takes compressed rows that have been checked.
  SparsePattern(std::int64_t rows, std::int64_t columns, Tensor row_offsets, Tensor column_indices);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t entries() const { return column_indices_.size(); }
  const Tensor& row_offsets() const { return row_offsets_; }
  const Tensor& column_indices() const { return column_indices_; }

  // The entries column by column: where each column begins, the row of each entry, and its place in the order
  // of the rows. Computed when first asked for.
  struct Columns {
    Tensor offsets;
    Tensor row_indices;
    Tensor positions;
  };
  const Columns& by_columns() const;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  Tensor row_offsets_;
  Tensor column_indices_;
  mutable std::once_flag transposed_;
  mutable Columns by_columns_;
};

// Compressed rows of entries in any order, doubles joined.
struct SortedEntries {
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int64_t> column_indices;
  std::vector<std::int64_t> places;  // of each given entry among the sorted ones
};
SortedEntries sort_entries(std::int64_t rows, std::int64_t columns, const std::int64_t* row_indices,
                           const std::int64_t* column_indices, std::int64_t count);

}  // namespace likely::detail
