#include "likely/prob/mcmc/density_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace likely::detail {

DensityGradient density_gradient_or_nothing(const DensityGradientFunction& density,
                                            const std::vector<double>& position) {
  try {
    return density(position);
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;  // says nothing about the place
    return {-std::numeric_limits<double>::infinity(), {}};
  }
}

bool is_finite(const DensityGradient& density) {
  return std::isfinite(density.log_density) && std::all_of(density.gradient.begin(), density.gradient.end(),
                                                           [](double v) { return std::isfinite(v); });
}

}  // namespace likely::detail
