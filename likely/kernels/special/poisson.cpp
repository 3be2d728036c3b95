#include "likely/kernels/special/poisson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/kernels/special/density.hpp"
#include "likely/kernels/special/special.hpp"

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

namespace {

// The mean of f(k, log p(k)) over Poisson numbers k.
template <class Function>
double poisson_mean(double rate, const Function& f) {
  const double reach = 14.0 * std::sqrt(rate) + 40.0;
  const double first = std::max(0.0, std::floor(rate - reach));
  double log_probability = log_poisson(0, first, std::log(rate), rate);
  double probability = std::exp(log_probability);
  double sum = 0.0, mass = 0.0;
  for (double k = first; k < rate + reach && probability > 0.0; k += 1.0) {
    sum += probability * f(k, log_probability);
    mass += probability;
    probability *= rate / (k + 1.0);
    log_probability = std::log(probability);
  }
  return sum / mass;
}

}  // namespace

double mean_log_factorial(int order, double rate) {
  if (!(rate >= 0.0) || order > 4) return std::numeric_limits<double>::quiet_NaN();
  if (rate == 0.0) return term(order, 0.0);
  return poisson_mean(rate, [&](double k, double) { return term(order, k); });
}

double poisson_entropy(int order, double rate) {
  if (!(rate >= 0.0) || order > 4) return std::numeric_limits<double>::quiet_NaN();
  if (rate == 0.0) return order == 0 ? 0.0 : std::numeric_limits<double>::infinity();
  if (order == 0) return poisson_mean(rate, [](double, double log_probability) { return -log_probability; });
  if (order == 1) return poisson_mean(rate, [&](double k, double) { return std::log((k + 1.0) / rate); });
  // The entropy is rate (1 - log rate) + E[log k!].
  const double power = order == 2 ? -1.0 : order == 3 ? 1.0 : -2.0;
  return power * std::pow(rate, 1.0 - order) + mean_log_factorial(order, rate);
}

}  // namespace likely::kernels
