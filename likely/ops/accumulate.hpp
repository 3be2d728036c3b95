// Adding up gradients. Internal to autodiff/ and optim/.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// into = into + value (same shape and type), in place where nobody else sees `into` and nobody tracks either.
void accumulate(Tensor& into, const Tensor& value);

}  // namespace likely
