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
#include "likely/prob/parameters.hpp"

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

inline double smallest_normal(DType dtype) {
  return dtype == DType::f32 ? static_cast<double>(std::numeric_limits<float>::min())
                             : std::numeric_limits<double>::min();
}

inline double largest(DType dtype) {
  return dtype == DType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                             : std::numeric_limits<double>::max();
}

}  // namespace likely::detail
