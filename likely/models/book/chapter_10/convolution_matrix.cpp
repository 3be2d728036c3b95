#include "likely/models/book/chapter_10/convolution_matrix.hpp"

#include <algorithm>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

Tensor convolution_matrix(const Tensor& kernel, std::int64_t length, const Conv1dOptions& options) {
  constexpr const char* kName = "convolution_matrix";
  if (kernel.rank() != 1) refuse(kName, "the kernel must be a vector, got shape " + kernel.shape().string());
  const std::int64_t size = kernel.dim(0);
  // conv1d checks the options and says how many positions there are.
  const std::int64_t positions =
      conv1d(zeros({1, 1, length}, kernel.dtype()), reshape(kernel, {1, 1, size}), {}, options).dim(2);
  const std::int64_t before = options.padding.same ? options.dilation * (size - 1) / 2 : options.padding.size;
  Tensor matrix = zeros({positions, length}, kernel.dtype());
  for (std::int64_t i = 0; i < positions; ++i) {
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t j = i * options.stride + k * options.dilation - before;
      if (j >= 0 && j < length) matrix.set({i, j}, kernel.at({k}));
    }
  }
  return matrix;
}

}  // namespace likely::book
