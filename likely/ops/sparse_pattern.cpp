#include "likely/ops/sparse_pattern.hpp"

#include <numeric>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/kernels/sparse.hpp"

namespace likely::detail {

namespace {

// The given order, sorted by key without changing the order of equal ones.
std::vector<std::int64_t> sorted_by(const std::int64_t* keys, std::int64_t bound,
                                    const std::vector<std::int64_t>& order) {
  // A tensor, because its memory is refused in likely's words where a matrix has more rows than memory holds.
  Tensor counts = zeros({add_sizes("SparseMatrix", bound, 1)}, DType::i64);
  std::int64_t* const next = counts.mutable_data<std::int64_t>();
  for (const std::int64_t e : order) ++next[keys[e] + 1];
  std::partial_sum(next, next + bound + 1, next);
  std::vector<std::int64_t> result(order.size());
  for (const std::int64_t e : order) result[static_cast<std::size_t>(next[keys[e]]++)] = e;
  return result;
}

}  // namespace

SparsePattern::SparsePattern(std::int64_t rows, std::int64_t columns, Tensor row_offsets,
                             Tensor column_indices)
    : rows_(rows),
      columns_(columns),
      row_offsets_(std::move(row_offsets)),
      column_indices_(std::move(column_indices)) {}

const SparsePattern::Columns& SparsePattern::by_columns() const {
  std::call_once(transposed_, [this] {
    Columns result{Tensor::uninitialized({columns_ + 1}, DType::i64),
                   Tensor::uninitialized({entries()}, DType::i64),
                   Tensor::uninitialized({entries()}, DType::i64)};
    kernels::sparse_transpose(
        rows_, columns_, row_offsets_.data<std::int64_t>(), column_indices_.data<std::int64_t>(),
        result.offsets.mutable_data<std::int64_t>(), result.row_indices.mutable_data<std::int64_t>(),
        result.positions.mutable_data<std::int64_t>());
    by_columns_ = std::move(result);
  });
  return by_columns_;
}

SortedEntries sort_entries(std::int64_t rows, std::int64_t columns, const std::int64_t* row_indices,
                           const std::int64_t* column_indices, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  order = sorted_by(row_indices, rows, sorted_by(column_indices, columns, order));
  SortedEntries result;
  result.row_offsets.assign(static_cast<std::size_t>(rows + 1), 0);
  result.places.resize(static_cast<std::size_t>(count));
  std::int64_t last_row = -1;
  for (const std::int64_t e : order) {
    const bool is_double = row_indices[e] == last_row && column_indices[e] == result.column_indices.back();
    if (!is_double) {
      last_row = row_indices[e];
      result.column_indices.push_back(column_indices[e]);
      ++result.row_offsets[static_cast<std::size_t>(last_row + 1)];
    }
    result.places[static_cast<std::size_t>(e)] = static_cast<std::int64_t>(result.column_indices.size()) - 1;
  }
  std::partial_sum(result.row_offsets.begin(), result.row_offsets.end(), result.row_offsets.begin());
  return result;
}

}  // namespace likely::detail
