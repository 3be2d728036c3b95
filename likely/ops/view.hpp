// Other looks at the same elements: no copies, except where reshape cannot do without one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

// start, start + step, ... up to but without stop, as in Python: negative numbers count from the end, what
// lies outside is cut off, step may be negative. Range{} is everything, Range{.step = -1} everything
// backwards.
struct Range {
  std::optional<std::int64_t> start{};
  std::optional<std::int64_t> stop{};
  std::int64_t step = 1;
};

// A part of one axis, or of the leading axes in turn. Refuses step 0.
[[nodiscard]] Tensor slice(const Tensor& x, int axis, const Range& range);
[[nodiscard]] Tensor slice(const Tensor& x, std::initializer_list<Range> ranges);

// One index of an axis, which disappears. Refuses an index out of range.
[[nodiscard]] Tensor select(const Tensor& x, int axis, std::int64_t index);

// Two axes exchanged; without axes, the last two (a matrix's transpose).
[[nodiscard]] Tensor transpose(const Tensor& x, int axis_a, int axis_b);
[[nodiscard]] Tensor transpose(const Tensor& x);
// Axis i of the result is axis order[i] of x. Refuses what is not a permutation.
[[nodiscard]] Tensor permute(const Tensor& x, std::span<const int> order);
[[nodiscard]] Tensor permute(const Tensor& x, std::initializer_list<int> order);

// The same elements in row-major order in another shape; one dimension may be -1. Copies only if strides
// demand it.
[[nodiscard]] Tensor reshape(const Tensor& x, const Shape& shape);
// Axes first..last as one.
[[nodiscard]] Tensor flatten(const Tensor& x, int first = 0, int last = -1);

// Repeats dimensions of size 1 (and new leading ones) without copying. Its gradient sums them up again.
[[nodiscard]] Tensor expand(const Tensor& x, const Shape& shape);

// Without one axis of size 1 (refused otherwise), or without all of them.
[[nodiscard]] Tensor squeeze(const Tensor& x, int axis);
[[nodiscard]] Tensor squeeze(const Tensor& x);
// With a new axis of size 1 before `axis` of the result.
[[nodiscard]] Tensor unsqueeze(const Tensor& x, int axis);

// The elements [i, i + offset] of two axes, as a new last axis.
[[nodiscard]] Tensor diagonal(const Tensor& x, int offset = 0, int axis_a = -2, int axis_b = -1);

// Dense row-major memory.
[[nodiscard]] Tensor contiguous(const Tensor& x);

// g summed down to a shape that broadcasts to g's: the gradient of expand.
[[nodiscard]] Tensor sum_to(const Tensor& g, const Shape& shape);

}  // namespace likely
