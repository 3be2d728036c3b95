#include "likely/prob/mcmc/slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace likely::detail {

Slope slope_or_nothing(const SlopeFunction& slope, const std::vector<double>& position) {
  try {
    return slope(position);
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;  // says nothing about the place
    return {-std::numeric_limits<double>::infinity(), {}};
  }
}

bool is_finite(const Slope& slope) {
  return std::isfinite(slope.log_density) &&
         std::all_of(slope.gradient.begin(), slope.gradient.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace likely::detail
