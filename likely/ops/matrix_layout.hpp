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

// A stack of matrices (the last two axes) fit for a product: itself, or a copy where its layout demands one.
// Must not outlive the tensor.
class MatrixOperand {
 public:
  explicit MatrixOperand(const Tensor& x) : tensor_(&x) {
    const int last = x.rank() - 1;
    const std::int64_t rows = x.shape()[last - 1];
    const std::int64_t columns = x.shape()[last];
    if (const auto layout = matrix_layout(rows, columns, x.strides()[last - 1], x.strides()[last])) {
      layout_ = *layout;
    } else {
      copy_ = x.contiguous();
      tensor_ = &copy_;
      layout_ = {false, std::max<std::int64_t>(1, columns)};
    }
  }
  MatrixOperand(const MatrixOperand&) = delete;
  MatrixOperand& operator=(const MatrixOperand&) = delete;

  const Tensor& tensor() const { return *tensor_; }
  const MatrixLayout& layout() const { return layout_; }

 private:
  const Tensor* tensor_;
  Tensor copy_;
  MatrixLayout layout_;
};

}  // namespace likely::detail
