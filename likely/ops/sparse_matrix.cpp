#include <string>
#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/sparse.hpp"
#include "likely/ops/sparse_pattern.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

constexpr const char* kName = "SparseMatrix";

// A dense i64 vector, or a refusal.
Tensor checked_indices(const char* what, const Tensor& indices) {
  if (indices.dtype() != DType::i64 || indices.rank() != 1) {
    refuse(kName, std::string(what) + " must be an i64 vector, got " + std::string(name_of(indices.dtype())) +
                      " of shape " + indices.shape().string());
  }
  return indices.contiguous();
}

void check_inside(const char* what, const Tensor& indices, std::int64_t bound) {
  const std::int64_t* const values = indices.data<std::int64_t>();
  for (std::int64_t e = 0; e < indices.size(); ++e) {
    if (values[e] < 0 || values[e] >= bound) {
      refuse(kName, std::string(what) + " " + std::to_string(values[e]) + " of entry " + std::to_string(e) +
                        " lies outside [0, " + std::to_string(bound) + ")");
    }
  }
}

void check_values(const Tensor& values, std::int64_t entries) {
  if (!is_floating(values.dtype())) {
    refuse(kName, "the values must be floating, got " + std::string(name_of(values.dtype())));
  }
  if (!(values.shape() == Shape{entries})) {
    refuse(kName,
           "the values must have shape " + Shape{entries}.string() + ", got " + values.shape().string());
  }
}

void check_rows(std::int64_t columns, const Tensor& row_offsets, const Tensor& column_indices) {
  check_inside("column", column_indices, columns);
  const std::int64_t* const offsets = row_offsets.data<std::int64_t>();
  const std::int64_t* const columns_of = column_indices.data<std::int64_t>();
  const std::int64_t rows = row_offsets.size() - 1;
  bool rises = rows >= 0 && offsets[0] == 0 && offsets[rows] == column_indices.size();
  for (std::int64_t r = 0; rises && r < rows; ++r) rises = offsets[r] <= offsets[r + 1];
  if (!rises) {
    refuse(kName, "the row offsets must rise from 0 to the number of entries, " +
                      std::to_string(column_indices.size()));
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t e = offsets[r] + 1; e < offsets[r + 1]; ++e) {
      if (columns_of[e - 1] >= columns_of[e]) {
        refuse(kName, "the columns of row " + std::to_string(r) + " do not ascend: " +
                          std::to_string(columns_of[e - 1]) + ", " + std::to_string(columns_of[e]));
      }
    }
  }
}

void check_size(std::int64_t rows, std::int64_t columns) {
  if (rows < 0 || columns < 0) {
    refuse(kName,
           "sizes must not be negative, got " + std::to_string(rows) + " x " + std::to_string(columns));
  }
}

// The row of each entry.
Tensor rows_of_entries(const SparseMatrix& a) {
  Tensor result = Tensor::uninitialized({a.entries()}, DType::i64);
  std::int64_t* const rows = result.mutable_data<std::int64_t>();
  const std::int64_t* const offsets = a.row_offsets().data<std::int64_t>();
  for (std::int64_t r = 0; r < a.rows(); ++r) std::fill(rows + offsets[r], rows + offsets[r + 1], r);
  return result;
}

}  // namespace

SparseMatrix::SparseMatrix(Pattern pattern, Tensor values)
    : pattern_(std::move(pattern)), values_(std::move(values)) {}

SparseMatrix::SparseMatrix()
    : SparseMatrix(
          std::make_shared<detail::SparsePattern>(0, 0, zeros({1}, DType::i64), zeros({0}, DType::i64)),
          zeros({0})) {}

SparseMatrix SparseMatrix::from_coordinates(std::int64_t rows, std::int64_t columns,
                                            const Tensor& row_indices, const Tensor& column_indices,
                                            const Tensor& values) {
  check_size(rows, columns);
  const Tensor rows_of = checked_indices("row_indices", row_indices);
  const Tensor columns_of = checked_indices("column_indices", column_indices);
  if (rows_of.size() != columns_of.size()) {
    refuse(kName, "there are " + std::to_string(rows_of.size()) + " row indices and " +
                      std::to_string(columns_of.size()) + " column indices");
  }
  check_inside("row", rows_of, rows);
  check_inside("column", columns_of, columns);
  const Tensor given = values.defined() ? values : constant({rows_of.size()}, 1.0);
  check_values(given, rows_of.size());
  const detail::SortedEntries sorted = detail::sort_entries(rows, columns, rows_of.data<std::int64_t>(),
                                                            columns_of.data<std::int64_t>(), rows_of.size());
  const auto entries = static_cast<std::int64_t>(sorted.column_indices.size());
  auto pattern = std::make_shared<detail::SparsePattern>(rows, columns, tensor(sorted.row_offsets),
                                                         tensor(sorted.column_indices));
  return {std::move(pattern), scatter_add(zeros({entries}, given.dtype()), 0, tensor(sorted.places), given)};
}

SparseMatrix SparseMatrix::from_rows(std::int64_t columns, const Tensor& row_offsets,
                                     const Tensor& column_indices, const Tensor& values) {
  check_size(0, columns);
  const Tensor offsets = checked_indices("row_offsets", row_offsets);
  const Tensor columns_of = checked_indices("column_indices", column_indices);
  check_rows(columns, offsets, columns_of);
  check_values(values, columns_of.size());
  return {std::make_shared<detail::SparsePattern>(offsets.size() - 1, columns, offsets, columns_of), values};
}

SparseMatrix SparseMatrix::from_dense(const Tensor& matrix) {
  if (matrix.rank() != 2 || !is_floating(matrix.dtype())) {
    refuse(kName, "a floating matrix is needed, got " + std::string(name_of(matrix.dtype())) + " of shape " +
                      matrix.shape().string());
  }
  const Tensor flat = contiguous(reshape(matrix, {matrix.size()}));
  const std::vector<double> elements = flat.to_vector<double>();
  const std::int64_t columns = matrix.shape()[1];
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> columns_of;
  std::vector<std::int64_t> places;
  for (std::int64_t r = 0; r < matrix.shape()[0]; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      if (elements[static_cast<std::size_t>(r * columns + c)] == 0.0) continue;
      columns_of.push_back(c);
      places.push_back(r * columns + c);
    }
    offsets.push_back(static_cast<std::int64_t>(columns_of.size()));
  }
  return from_rows(columns, tensor(offsets), tensor(columns_of), index_select(flat, 0, tensor(places)));
}

std::int64_t SparseMatrix::rows() const { return pattern_->rows(); }
std::int64_t SparseMatrix::columns() const { return pattern_->columns(); }
std::int64_t SparseMatrix::entries() const { return pattern_->entries(); }
const Tensor& SparseMatrix::row_offsets() const { return pattern_->row_offsets(); }
const Tensor& SparseMatrix::column_indices() const { return pattern_->column_indices(); }

SparseMatrix SparseMatrix::with_values(const Tensor& values) const {
  check_values(values, entries());
  return {pattern_, values};
}

SparseMatrix transpose(const SparseMatrix& a) {
  const detail::SparsePattern::Columns& columns = a.pattern_->by_columns();
  auto pattern =
      std::make_shared<detail::SparsePattern>(a.columns(), a.rows(), columns.offsets, columns.row_indices);
  return {std::move(pattern), index_select(a.values(), 0, columns.positions)};
}

Tensor to_dense(const SparseMatrix& a) {
  Tensor places = rows_of_entries(a);
  std::int64_t* const place = places.mutable_data<std::int64_t>();
  const std::int64_t* const column = a.column_indices().data<std::int64_t>();
  for (std::int64_t e = 0; e < a.entries(); ++e) place[e] = place[e] * a.columns() + column[e];
  const Tensor none = zeros({a.rows() * a.columns()}, a.values().dtype());
  return reshape(scatter_add(none, 0, places, a.values()), {a.rows(), a.columns()});
}

}  // namespace likely
