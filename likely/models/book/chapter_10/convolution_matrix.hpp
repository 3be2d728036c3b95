// A convolution as the fully connected layer that it is (10.4, 10.5): mostly zeros, and the rest the same few
// weights again and again.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/ops/convolution.hpp"

namespace likely::book {

// The matrix Omega (output positions, length) with conv1d(x, kernel) = Omega x for one channel of this
// length: Omega[i, i stride + k dilation - padding] = kernel[k], 0 elsewhere. Refuses a kernel that is not a
// vector, and what conv1d refuses.
Tensor convolution_matrix(const Tensor& kernel, std::int64_t length, const Conv1dOptions& options = {});

}  // namespace likely::book
