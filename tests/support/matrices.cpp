#include "tests/support/matrices.hpp"

#include <cstdint>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::testing {

Tensor scattered(const Shape& shape, int seed) {
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  std::uint64_t state = 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(seed + 1);
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11U) * 0x1p-52 - 1.0;
  }
  return tensor(values, shape);
}

Tensor positive_definite(const Shape& shape, int seed) {
  const Tensor b = scattered(shape, seed);
  return sum(unsqueeze(b, -2) * unsqueeze(b, -3), -1) + eye(b.dim(-1), DType::f64);
}

}  // namespace likely::testing
