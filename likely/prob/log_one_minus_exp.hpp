// Logarithms of 1 - e^-x, which lose no digits at either end. Internal to prob/.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::detail {

// log(1 - e^-x) for x >= 0 (Maechler 2012). At 0 it is -inf and its derivative 0.
Tensor log1mexp(const Tensor& x);

// log(1 - exp(-e^y)), the logarithm of the probability that a standard exponential number is below e^y, also
// where e^y is 0 or infinite in its type. At -inf it is -inf and its derivative 0.
Tensor log1mexp_of_log(const Tensor& y);

}  // namespace likely::detail
