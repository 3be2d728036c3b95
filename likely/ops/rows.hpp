// What operations on the rows of the last axis share. Internal to ops/.
#pragma once

#include <fmt/format.h>

#include <string>

#include "likely/core/tensor.hpp"

namespace likely::detail {

inline void check_floating(const char* name, const char* what, const Tensor& x) {
  if (!is_floating(x.dtype())) {
    refuse(name, fmt::format("{} must be floating, got {}", what, name_of(x.dtype())));
  }
}

// Refuses a tensor without a last axis, or with nothing in it.
inline void check_rows(const char* name, const char* what, const Tensor& x) {
  check_floating(name, what, x);
  if (x.rank() == 0 || x.shape().back() == 0) {
    refuse(name, fmt::format("{} must hold at least one element along the axis, got shape {}", what,
                             x.shape().string()));
  }
}

inline Shape without_last(const Shape& shape) { return shape.sub(0, shape.rank() - 1); }

// A row of a tensor as people count it: "row 3", or "row (1, 3)" where rows have two indices.
inline std::string row_name(const Shape& shape, std::int64_t row) {
  const Shape rows = without_last(shape);
  return rows.rank() <= 1 ? fmt::format("row {}", row) : "row " + index_of(rows, row).string();
}

// What the softmax kernels return is the first row that has no softmax, or -1.
inline void check_bad_row(const char* name, const char* what, const Shape& shape, std::int64_t bad) {
  if (bad >= 0) {
    refuse(name, fmt::format("{} of the {} {} has no softmax: it holds NaN or +inf, or nothing but -inf",
                             row_name(shape, bad), what, shape.string()));
  }
}

// Calls f(T{}) with the C++ type behind a floating dtype.
template <class F>
auto with_floating(DType dtype, const F& f) {
  return dtype == DType::f32 ? f(float{}) : f(double{});
}

}  // namespace likely::detail
