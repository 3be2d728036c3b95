// Elements picked by number, and added back by number. Indices are i64 tensors of numbers from 0 to the
// length of the axis less 1; others, negative ones too, are refused with their value and place.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely {

// For axis 1 of three: y[i, j, k] = x[i, index[i, j, k], k]. The result has the shape of the index, which
// must be x's outside the axis. The gradient is scatter_add.
[[nodiscard]] Tensor gather(const Tensor& x, int axis, const Tensor& index);

// x with `source` added: for axis 1 of three, y = x, then y[i, index[i, j, k], k] += source[i, j, k], in
// row-major order where several meet. Source has the shape of the index, which must be x's outside the axis.
// The gradients are g for x and gather(g) for the source. Refuses bools.
[[nodiscard]] Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source);

// Whole slices: y[i, j, k] = x[i, indices[j], k] for axis 1 of three. Indices have one dimension.
[[nodiscard]] Tensor index_select(const Tensor& x, int axis, const Tensor& indices);

// gather with NumPy's name and order: x and indices broadcast outside the axis, so sorting is
// take_along_axis(x, argsort(x, axis), axis). Refuses ranks that differ.
[[nodiscard]] Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis);

// 1 at the label and 0 elsewhere, along a new last axis. No gradient. Refuses labels outside [0, classes).
[[nodiscard]] Tensor one_hot(const Tensor& labels, std::int64_t classes, DType dtype = DType::f32);

// Row ids[...] of a (rows, width) table for each id: the result has ids' shape followed by width.
[[nodiscard]] Tensor embedding(const Tensor& table, const Tensor& ids);

}  // namespace likely
