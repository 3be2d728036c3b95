// Pooling: the largest or the mean element of each window.
//
// Windows slide over the last axis (1d) or the two last axes (2d) of a tensor with any axes before them. All
// refuse whole numbers and bools, kernels and strides < 1, padding < 0 or >= kernel, a kernel larger than the
// padded input, and sizes < 1.
#pragma once

#include <cstdint>
#include <optional>

#include "likely/core/tensor.hpp"
#include "likely/ops/extent.hpp"

namespace likely {

struct Pool1dOptions {
  std::optional<std::int64_t> stride{};  // the kernel's size unless given
  std::int64_t padding = 0;              // on both sides
};
struct Pool2dOptions {
  OptionalExtent2d stride{};
  Extent2d padding = 0;
};

// Output sizes: (H + 2 padding - kernel) / stride + 1, rounded down.
// Padding is never the largest; of equal elements the first wins and gets the whole gradient; NaN wins
// always.
[[nodiscard]] Tensor max_pool1d(const Tensor& x, std::int64_t kernel, const Pool1dOptions& options = {});
[[nodiscard]] Tensor max_pool2d(const Tensor& x, const Extent2d& kernel, const Pool2dOptions& options = {});

// The same with the positions of the largest elements in their plane (row * width + column), i64.
struct MaxPool {
  Tensor values;
  Tensor indices;
};
MaxPool max_pool1d_with_indices(const Tensor& x, std::int64_t kernel, const Pool1dOptions& options = {});
MaxPool max_pool2d_with_indices(const Tensor& x, const Extent2d& kernel, const Pool2dOptions& options = {});

// Planes of this size with each element of x at the position that `indices` (of x's shape) names for it, 0
// elsewhere; elements with the same position add up. Refuses positions outside the plane.
[[nodiscard]] Tensor max_unpool2d(const Tensor& x, const Tensor& indices, const Extent2d& size);

// The mean of each window, where padding counts as zeros unless count_padding is false.
struct AveragePool1dOptions {
  std::optional<std::int64_t> stride{};
  std::int64_t padding = 0;
  bool count_padding = true;
};
struct AveragePool2dOptions {
  OptionalExtent2d stride{};
  Extent2d padding = 0;
  bool count_padding = true;
};
[[nodiscard]] Tensor avg_pool1d(const Tensor& x, std::int64_t kernel,
                                const AveragePool1dOptions& options = {});
[[nodiscard]] Tensor avg_pool2d(const Tensor& x, const Extent2d& kernel,
                                const AveragePool2dOptions& options = {});

// As many windows as `size` says, spread evenly: window i covers floor(i H / size) to ceil((i + 1) H / size).
[[nodiscard]] Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size);
[[nodiscard]] Tensor adaptive_avg_pool2d(const Tensor& x, const Extent2d& size);
[[nodiscard]] Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size);
[[nodiscard]] Tensor adaptive_max_pool2d(const Tensor& x, const Extent2d& size);

}  // namespace likely
