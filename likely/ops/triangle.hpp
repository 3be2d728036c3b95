// The triangles of matrices.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// Each matrix (the last two axes) with 0 above the given diagonal: y[i, j] = j <= i + diagonal ? x[i, j] : 0.
// The diagonal is 0 for the main one, positive above, negative below it. Refuses tensors without two axes.
[[nodiscard]] Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
// With 0 below the diagonal: y[i, j] = j >= i + diagonal ? x[i, j] : 0.
[[nodiscard]] Tensor triu(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace likely
