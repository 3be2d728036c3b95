#include "tests/support/matrices.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::testing {

Tensor positive_definite(const Shape& shape, int seed) {
  const Tensor b = numbers(shape, 1.0, seed);
  return sum(unsqueeze(b, -2) * unsqueeze(b, -3), -1) + eye(b.dim(-1), DType::f64);
}

}  // namespace likely::testing
