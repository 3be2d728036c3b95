#include "likely/ops/matrix_batch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/kernels/factorize.hpp"

namespace likely::detail {

namespace {

template <class T>
void largest_entries(std::int64_t n, const T* a, std::vector<T>& rows, std::vector<T>& columns) {
  rows.assign(static_cast<std::size_t>(n), T(0));
  columns.assign(static_cast<std::size_t>(n), T(0));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const T size = std::abs(a[i * n + j]);
      rows[static_cast<std::size_t>(i)] = std::max(rows[static_cast<std::size_t>(i)], size);
      columns[static_cast<std::size_t>(j)] = std::max(columns[static_cast<std::size_t>(j)], size);
    }
  }
}

template <class T>
void factorize_one(std::int64_t n, T* a, std::int64_t* pivots, std::int64_t& vanishing, double& spread) {
  // A pivot counts as 0 where it is lost in the rounding of its row and its column: that does not change when
  // a row or a column is scaled.
  std::vector<T> rows;
  std::vector<T> columns;
  largest_entries(n, a, rows, columns);
  kernels::lu(n, a, pivots);
  vanishing = -1;
  T smallest = std::numeric_limits<T>::infinity();
  T largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::swap(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(pivots[i])]);
    const T pivot = std::abs(a[i * n + i]);
    const T scale = std::min(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(i)]);
    const T rounding = static_cast<T>(n) * std::numeric_limits<T>::epsilon() * scale;
    if (vanishing < 0 && pivot <= rounding) vanishing = i;
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  spread = n == 0 ? 1.0 : largest == T(0) ? 0.0 : static_cast<double>(smallest / largest);
}

}  // namespace

std::int64_t check_square(const char* name, const Tensor& a) {
  if (a.rank() < 2 || a.shape().back() != a.shape()[a.rank() - 2]) {
    refuse(name, "square matrices are needed, got shape " + a.shape().string());
  }
  if (!is_floating(a.dtype())) {
    refuse(name, "floating numbers are needed, got " + std::string(name_of(a.dtype())));
  }
  return a.shape().back();
}

Shape batch_shape(const Tensor& a) { return a.shape().sub(0, a.rank() - 2); }

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

std::string which_matrix(std::int64_t matrix, std::int64_t batch) {
  return batch == 1 ? "" : " (matrix " + std::to_string(matrix) + " of the batch)";
}

void check_system(const char* name, const Tensor& a, const Tensor& b) {
  if (b.rank() < 2 || b.shape()[b.rank() - 2] != a.shape().back()) {
    refuse(name, "a right side with " + std::to_string(a.shape().back()) + " rows is needed for " +
                     a.shape().string() + ", got shape " + b.shape().string());
  }
  if (!is_floating(b.dtype())) {
    refuse(name, "floating numbers are needed, got " + std::string(name_of(b.dtype())));
  }
}

PackedLu factorize(const char* name, const Tensor& a) {
  const std::int64_t n = a.shape().back();
  const std::int64_t batch = batch_shape(a).size();
  PackedLu result{a.with_track({}).copy(), std::vector<std::int64_t>(static_cast<std::size_t>(batch * n)),
                  std::vector<std::int64_t>(static_cast<std::size_t>(batch)),
                  std::vector<double>(static_cast<std::size_t>(batch))};
  void* const memory = result.factors.mutable_raw();
  for_each_matrix(name, a.dtype(), batch, cubed(n) / 3.0, [&](auto zero, std::int64_t matrix) {
    using T = decltype(zero);
    const auto place = static_cast<std::size_t>(matrix);
    factorize_one(n, static_cast<T*>(memory) + matrix * n * n, result.pivots.data() + matrix * n,
                  result.vanishing[place], result.spread[place]);
  });
  return result;
}

}  // namespace likely::detail
