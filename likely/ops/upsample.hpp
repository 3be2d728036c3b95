// Making images larger (or smaller) by repeating or mixing neighbours.
#pragma once

#include <optional>

#include "likely/core/tensor.hpp"
#include "likely/ops/extent.hpp"

namespace likely {

// One factor for both axes, or one each: 2, {1.5, 2.0}.
struct Scale2d {
  double height;
  double width;

  constexpr Scale2d(double both) : height(both), width(both) {}  // NOLINT(google-explicit-constructor)
  constexpr Scale2d(double rows, double columns) : height(rows), width(columns) {}
};

struct OptionalScale2d : std::optional<Scale2d> {
  constexpr OptionalScale2d() = default;
  constexpr OptionalScale2d(double both) : optional(Scale2d(both)) {}  // NOLINT
  constexpr OptionalScale2d(double rows, double columns) : optional(Scale2d(rows, columns)) {}
};

// Either the size of the result or the factor to it; with a factor the size is rounded down. Refuses both,
// neither, factors that are not positive, and results without elements.
struct UpsampleOptions {
  OptionalExtent2d size{};
  OptionalScale2d scale{};
};

// Over the two last axes; step = 1 / scale, or input size / result size.
// y[i, j] = x[floor(i step), floor(j step)].
[[nodiscard]] Tensor upsample_nearest(const Tensor& x, const UpsampleOptions& options);
// Elements are squares and y takes its value between the middles of the four nearest ones (corners not
// aligned): s = max(0, (i + 1/2) step - 1/2), y = (1 - frac s) x[floor s] + frac s x[floor s + 1] on each
// axis, where what lies beyond the last element equals it.
[[nodiscard]] Tensor upsample_bilinear(const Tensor& x, const UpsampleOptions& options);

}  // namespace likely
