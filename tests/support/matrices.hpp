// Matrices for the tests of linear algebra.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::testing {

// f64 numbers from -1 to 1 without a pattern, the same in every run: matrices of them have full rank (those
// of numbers() have rank 2).
Tensor scattered(const Shape& shape, int seed = 0);

// b b^T + 1 for a matrix b of such numbers: symmetric and positive definite.
Tensor positive_definite(const Shape& shape, int seed = 0);

}  // namespace likely::testing
