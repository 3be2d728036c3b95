#include "likely/prob/log_one_minus_exp.hpp"

#include <limits>
#include <numbers>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"

namespace likely::detail {

// Each form sees a harmless number where another one answers, so that no NaN flows back from it.
Tensor log1mexp(const Tensor& x) {
  const Tensor near = x < std::numbers::ln2;
  const Tensor zero = x == 0.0;
  const Tensor small = where(logical_and(near, logical_not(zero)), x, 0.5);
  const Tensor both = where(near, log(-expm1(-small)), log1p(-exp(-where(near, 1.0, x))));
  return masked_fill(both, zero, -std::numeric_limits<double>::infinity());
}

Tensor log1mexp_of_log(const Tensor& y) {
  // With x = e^y: y + log((1 - e^-x) / x), of which the series 1 - x/2 + x^2/6 - ... is left where x is
  // small.
  const Tensor tiny = y < -10.0;
  const Tensor x = exp(where(tiny, y, -10.0));
  const Tensor series = where(tiny, y, -10.0) - x * 0.5 + square(x) * (1.0 / 24.0);
  // Beyond 7 the result is 0 in any type, and e^y would be infinite before long.
  return where(tiny, series, log1mexp(exp(minimum(where(tiny, 0.0, y), 7.0))));
}

}  // namespace likely::detail
