// Integrals over the standard Gumbel law. Internal to prob/.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::detail {

// E f(G) = sum weights f(points) for a standard Gumbel number G. The trapezoidal rule: its error falls as
// exp(-pi^2 / step) for functions that are smooth on the line and for a strip around it, and is below 1e-16
// at the step taken. An f that falls as e^(-count G), a product of `count` probabilities, is a narrower bell
// and gets a smaller step.
struct GumbelRule {
  Tensor points, weights, log_weights;  // (points,)
};

GumbelRule gumbel_rule(std::int64_t count, DType dtype);

}  // namespace likely::detail
