// The same elements more often, further apart or in another order. All types.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/ops/reduce.hpp"

namespace likely {

// Each element `count` times in a row along an axis: 1 2 becomes 1 1 2 2. Refuses count < 0.
[[nodiscard]] Tensor repeat(const Tensor& x, std::int64_t count, int axis);

// The whole tensor several times along each axis: 1 2 becomes 1 2 1 2. One count an axis; further counts in
// front make new leading axes. Refuses negative counts and fewer counts than axes.
[[nodiscard]] Tensor tile(const Tensor& x, const Shape& counts);

// How many elements to put before and after an axis.
struct Padding {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

// x in the middle of `value`, with one padding for each axis. The gradient is that of the part in the middle.
// Refuses negative paddings: slice() cuts off.
[[nodiscard]] Tensor pad(const Tensor& x, const std::vector<Padding>& paddings, double value = 0.0);

// The elements in reverse order along some axes, or all; a view.
[[nodiscard]] Tensor flip(const Tensor& x, const Axes& axes = {});

// The elements moved along an axis by `shift`; those that leave at one end come in at the other. 1 2 3 rolled
// by 1 is 3 1 2, by -1 it is 2 3 1.
[[nodiscard]] Tensor roll(const Tensor& x, std::int64_t shift, int axis);

}  // namespace likely
