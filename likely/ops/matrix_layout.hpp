// How a matrix lies in memory, as matrix products take it. Internal to ops/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "likely/core/tensor.hpp"

namespace likely::detail {

// A matrix whose rows lie `distance` apart with neighbours side by side; or, transposed, whose columns do.
struct MatrixLayout {
  bool transposed;
  std::int64_t distance;
};

// The layout of a rows x columns matrix with these strides, or nothing where it must be copied first.
inline std::optional<MatrixLayout> matrix_layout(std::int64_t rows, std::int64_t columns,
                                                 std::int64_t row_stride, std::int64_t column_stride) {
  const std::int64_t row_length = std::max<std::int64_t>(1, columns);
  if ((columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride >= row_length)) {
    return MatrixLayout{false, rows <= 1 ? row_length : row_stride};
  }
  const std::int64_t column_length = std::max<std::int64_t>(1, rows);
  if ((rows <= 1 || row_stride == 1) && (columns <= 1 || column_stride >= column_length)) {
    return MatrixLayout{true, columns <= 1 ? column_length : column_stride};
  }
  return std::nullopt;
}

// Makes `x`, whose last two axes are matrices, fit for a product: a copy where its layout demands one.
inline MatrixLayout make_matrix_layout(Tensor& x) {
  const int last = x.rank() - 1;
  const std::int64_t rows = x.shape()[last - 1];
  const std::int64_t columns = x.shape()[last];
  if (const auto layout = matrix_layout(rows, columns, x.strides()[last - 1], x.strides()[last])) {
    return *layout;
  }
  x = x.contiguous();
  return {false, std::max<std::int64_t>(1, columns)};
}

}  // namespace likely::detail
