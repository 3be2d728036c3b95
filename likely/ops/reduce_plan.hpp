// How a reduction over any axes becomes one over the middle of (outer, reduced, inner). Internal to ops/.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/kernels/reduce/reduce.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::detail {

// The reduction of plain numbers (not recorded) over the axes in the mask. Axes that lie apart are reduced
// one group after the other; a transposed tensor is reduced in the order of its memory, and repeated elements
// (stride 0) are looked at once: nothing of these is copied first.
Tensor reduce_axes(kernels::Reduce operation, const Tensor& x, std::uint32_t mask, bool keep);

struct ReducePlan {
  Tensor dense;  // the elements, contiguous
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
};

// Where the reduced axes lie apart from each other they are moved to the end first, which copies.
ReducePlan plan_reduction(const Tensor& x, std::uint32_t mask);

// The shape without the reduced axes, or with size 1 in their place.
Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keep);

// How many elements meet in one result.
std::int64_t reduced_count(const Shape& shape, std::uint32_t mask);

// A reduced result or gradient, seen again in the shape that was reduced.
Tensor spread(const Tensor& reduced, const Shape& whole, std::uint32_t mask);

}  // namespace likely::detail
