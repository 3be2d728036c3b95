// Dropout (chapter 9): noise that keeps a network from relying on any single unit.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// Each element is 0 with probability p and x / (1 - p) otherwise, so that the expectation is x. The same rng
// makes the same choice; the backward pass makes it again instead of keeping it. Refuses p outside [0, 1) and
// x that is not floating.
[[nodiscard]] Tensor dropout(const Tensor& x, double p, Rng rng);

}  // namespace likely
