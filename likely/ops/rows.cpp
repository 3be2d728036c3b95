#include "likely/ops/rows.hpp"

#include <fmt/format.h>

namespace likely::detail {

void check_floating(const char* name, const char* what, const Tensor& x) {
  if (!is_floating(x.dtype())) {
    refuse(name, fmt::format("{} must be floating, got {}", what, name_of(x.dtype())));
  }
}

void check_rows(const char* name, const char* what, const Tensor& x) {
  check_floating(name, what, x);
  if (x.rank() == 0 || x.shape().back() == 0) {
    refuse(name, fmt::format("{} must hold at least one element along the axis, got shape {}", what,
                             x.shape().string()));
  }
}

std::string row_name(const Shape& shape, std::int64_t row) {
  const Shape rows = without_last(shape);
  return rows.rank() <= 1 ? fmt::format("row {}", row) : "row " + index_of(rows, row).string();
}

void check_bad_row(const char* name, const char* what, const Shape& shape, std::int64_t bad) {
  if (bad >= 0) {
    refuse(name, fmt::format("{} of the {} {} has no softmax: it holds NaN or +inf, or nothing but -inf",
                             row_name(shape, bad), what, shape.string()));
  }
}

}  // namespace likely::detail
