// Sums of numbers that are kept as logarithms. Internal to prob/ and models/.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace likely::detail {

// log(e^a + e^b)
inline double log_sum(double a, double b) {
  const double high = std::max(a, b);
  if (!std::isfinite(high)) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// log(sum e^x); minus infinity for none.
inline double log_sum(std::span<const double> x) {
  double high = -std::numeric_limits<double>::infinity();
  for (const double v : x) high = std::max(high, v);
  if (!std::isfinite(high)) return high;
  double total = 0.0;
  for (const double v : x) total += std::exp(v - high);
  return high + std::log(total);
}

}  // namespace likely::detail
