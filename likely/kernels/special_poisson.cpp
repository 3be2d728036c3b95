#include "likely/kernels/special_poisson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/kernels/special.hpp"

namespace likely::kernels {

namespace {

double term(int order, double k) {
  switch (order) {
    case 0: return log_gamma(k + 1.0);
    case 1: return std::log(k + 1.0);
    case 2: return std::log1p(1.0 / (k + 1.0));
    case 3: return std::log1p(-1.0 / ((k + 2.0) * (k + 2.0)));
    default: return term(3, k + 1.0) - term(3, k);
  }
}

}  // namespace

double mean_log_factorial(int order, double rate) {
  if (!(rate >= 0.0) || order > 4) return std::numeric_limits<double>::quiet_NaN();
  if (rate == 0.0) return term(order, 0.0);
  const double reach = 14.0 * std::sqrt(rate) + 40.0;
  const double first = std::max(0.0, std::floor(rate - reach));
  double probability = std::exp(first * std::log(rate) - rate - log_gamma(first + 1.0));
  double sum = 0.0, mass = 0.0;
  for (double k = first; k < rate + reach; k += 1.0) {
    sum += probability * term(order, k);
    mass += probability;
    probability *= rate / (k + 1.0);
  }
  // The first probability may be off by some digits, and so all of them alike.
  return sum / mass;
}

}  // namespace likely::kernels
