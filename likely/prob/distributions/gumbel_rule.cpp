#include "likely/prob/distributions/gumbel_rule.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "likely/core/create.hpp"

namespace likely::detail {

GumbelRule gumbel_rule(std::int64_t count, DType dtype) {
  const double power = static_cast<double>(count) + 1.0;
  // e^-G has about the law Gamma(count + 1) under such an integrand: its logarithm deviates by 1 / sqrt(count
  // + 1).
  const double step = std::min(0.2, 0.5 / std::sqrt(power));
  const double low = -std::log(power + 12.0 * std::sqrt(power) + 60.0), high = 42.0;
  std::vector<double> points, weights, log_weights;
  for (double g = std::floor(low / step) * step; g < high; g += step) {
    points.push_back(g);
    log_weights.push_back(std::log(step) - g - std::exp(-g));
    weights.push_back(std::exp(log_weights.back()));
  }
  return {tensor(points).to(dtype), tensor(weights).to(dtype), tensor(log_weights).to(dtype)};
}

}  // namespace likely::detail
