// Matrices for the tests of linear algebra.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::testing {

// b b^T + 1 for a matrix b of numbers(): symmetric and positive definite.
Tensor positive_definite(const Shape& shape, int seed = 0);

}  // namespace likely::testing
