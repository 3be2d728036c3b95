// What the sources of the distributions share. Internal to prob/.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "likely/autodiff/custom.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely::detail {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline const double kLogTwoPi = std::log(2.0 * std::numbers::pi);

// x as floating numbers, at least as wide as a parameter.
inline Tensor floating(const Tensor& x, const Tensor& parameter) {
  return cast(x, promote(x.dtype(), parameter.dtype()));
}

// The logarithm of a density that is 0 where `outside` is true. The density is to be computed at
// masked_fill(x, outside, c) with c a point inside: then derivatives outside are 0, not NaN. (A mask of what
// is outside, not inside, lets NaN come through as NaN.)
inline Tensor zero_density(const Tensor& log_density, const Tensor& outside) {
  return masked_fill(log_density, outside, -kInfinity);
}

// A log-density that has the factor t^(a - 1), where t is 0 (`at_end`): -infinity for a > 1, as it is
// already, +infinity for a < 1, and for a = 1 what the other factors make of it. Derivatives are those of
// `others`, and 0 where the density is infinite; that by `a`, which does not exist, is 0.
inline Tensor with_end(const Tensor& log_density, const Tensor& at_end, const Tensor& a,
                       const Tensor& others) {
  const Tensor finite = where(logical_and(at_end, a == 1.0), others, log_density);
  return masked_fill(finite, logical_and(at_end, a < 1.0), kInfinity);
}

}  // namespace likely::detail
