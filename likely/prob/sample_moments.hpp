// The mean and the variance of plain numbers. Internal to prob/ and models/.
#pragma once

#include <numeric>
#include <span>

namespace likely::detail {

inline double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// Around the mean, divided by the number of them less 1.
inline double variance_of(std::span<const double> x) {
  const double centre = mean_of(x);
  double total = 0.0;
  for (const double v : x) total += (v - centre) * (v - centre);
  return total / static_cast<double>(x.size() - 1);
}

}  // namespace likely::detail
