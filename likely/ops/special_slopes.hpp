// How distribution functions change with their parameters, as operations: kernels/special/incomplete.hpp says
// what a slope is. Internal to ops/.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::detail {

// The derivative of the given order, 0 to 4, of log I0(x), or scaled, of log(e^-|x| I0(x)).
Tensor log_bessel(int order, const Tensor& x, bool scaled = false);

// The derivative of the given order, 0 to 4, of the entropy of Poisson numbers of rates up to a thousand.
Tensor poisson_entropy(int order, const Tensor& rate);

Tensor gamma_slope(int order, const Tensor& a, const Tensor& log_x);
Tensor beta_slope(int by_a, int by_b, const Tensor& a, const Tensor& b, const Tensor& u);
Tensor von_mises_slope(int order, const Tensor& t, const Tensor& kappa);

}  // namespace likely::detail
