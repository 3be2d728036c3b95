// Matrix products.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// y[..., i, j] = sum over l of a[..., i, l] b[..., l, j], as NumPy's matmul: leading axes broadcast, a vector
// on the left is a row, on the right a column, and that axis is missing from the result. Transposed views are
// used without a copy. Two types meet in the larger one; bools are counted as whole numbers.
// Refuses scalars, inner dimensions that differ and leading axes that do not broadcast.
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);

// sum over i of a[i] b[i]. Refuses anything but two vectors of the same length.
[[nodiscard]] Tensor dot(const Tensor& a, const Tensor& b);

// y[i, j] = a[i] b[j]. Refuses anything but two vectors.
[[nodiscard]] Tensor outer(const Tensor& a, const Tensor& b);

}  // namespace likely
