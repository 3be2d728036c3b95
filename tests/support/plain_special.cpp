#include "tests/support/plain_special.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace likely::testing::plain {

namespace {

constexpr Real kPi = std::numbers::pi_v<Real>;

// Nodes and weights of Gauss and Legendre on [-1, 1].
std::vector<std::pair<Real, Real>> gauss_legendre(int count) {
  std::vector<std::pair<Real, Real>> rule;
  for (int i = 1; i <= count; ++i) {
    Real x = std::cos(kPi * (static_cast<Real>(i) - 0.25L) / (static_cast<Real>(count) + 0.5L));
    Real slope = 0;
    for (int step = 0; step < 20; ++step) {
      Real before = 1, value = x;
      for (int k = 2; k <= count; ++k) {
        const Real next = ((2 * static_cast<Real>(k) - 1) * x * value - (static_cast<Real>(k) - 1) * before) /
                          static_cast<Real>(k);
        before = std::exchange(value, next);
      }
      slope = static_cast<Real>(count) * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.emplace_back(x, 2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

template <class Integrand>
Real integral(const Integrand& f, Real from, Real to) {
  static const std::vector<std::pair<Real, Real>> rule = gauss_legendre(24);
  constexpr int kPanels = 6;
  const Real half = (to - from) / (2 * kPanels);
  Real total = 0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const Real middle = from + (2 * static_cast<Real>(panel) + 1) * half;
    for (const auto& [x, weight] : rule) total += weight * f(middle + half * x);
  }
  return total * half;
}

}  // namespace

Real polygamma(int order, Real x) {
  Real factorial = 1;
  for (int i = 2; i <= order; ++i) factorial *= static_cast<Real>(i);
  const Real sign = order % 2 == 0 ? -1 : 1;
  Real total = 0;
  for (; x < 30; x += 1) total += order == 0 ? -1 / x : sign * factorial / std::pow(x, Real(order + 1));
  static constexpr Real kBernoulli[] = {1.0L / 6,       -1.0L / 30,      1.0L / 42, -1.0L / 30,
                                        5.0L / 66,      -691.0L / 2730,  7.0L / 6,  -3617.0L / 510,
                                        43867.0L / 798, -174611.0L / 330};
  if (order == 0) {
    total += std::log(x) - 1 / (2 * x);
    for (int k = 1; k <= 10; ++k) total -= kBernoulli[k - 1] / (2 * k * std::pow(x, Real(2 * k)));
    return total;
  }
  total +=
      sign * (factorial / order / std::pow(x, Real(order)) + factorial / (2 * std::pow(x, Real(order + 1))));
  for (int k = 1; k <= 10; ++k) {
    Real ratio = 1;  // (2k + order - 1)! / (2k)!
    for (int i = 2 * k + 1; i <= 2 * k + order - 1; ++i) ratio *= static_cast<Real>(i);
    total += sign * kBernoulli[k - 1] * ratio / std::pow(x, Real(2 * k + order));
  }
  return total;
}

Real normal_cdf(Real x) { return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<Real>); }

Real normal_quantile(Real p) {
  Real x = 0;
  for (int i = 0; i < 100; ++i) {
    const Real density = std::exp(-x * x / 2) / std::sqrt(2 * kPi);
    x -= (normal_cdf(x) - p) / density;
  }
  return x;
}

Real bessel_i(int order, Real x) {
  Real term = order == 0 ? 1 : x / 2;
  Real total = 0;
  for (int k = 1; k < 200; ++k) {
    total += term;
    term *= x * x / 4 / (static_cast<Real>(k) * static_cast<Real>(k + order));
  }
  return total;
}

Real gamma_p(Real a, Real x) {
  Real term = 1 / a;
  Real total = 0;
  for (int n = 1; n < 300; ++n) {
    total += term;
    term *= x / (a + static_cast<Real>(n));
  }
  return total * std::exp(a * std::log(x) - x - std::lgamma(a));
}

Real incomplete_beta(Real a, Real b, Real x) {
  if (x > 0.5L) return 1 - incomplete_beta(b, a, 1 - x);
  Real term = 1 / a;
  Real total = 0;
  for (int n = 0; n < 300; ++n) {
    total += term;
    term *= x * (a + b + static_cast<Real>(n)) / (a + 1 + static_cast<Real>(n));
  }
  const Real log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return total * std::exp(a * std::log(x) + b * std::log1p(-x) - log_beta);
}

Real student_t_cdf(Real x, Real degrees) {
  const Real tail = 0.5L * incomplete_beta(degrees / 2, 0.5L, degrees / (degrees + x * x));
  return x > 0 ? 1 - tail : tail;
}

Real poisson_entropy(Real rate) {
  Real total = 0;
  for (int k = 0; k < 200; ++k) {
    const Real log_p = static_cast<Real>(k) * std::log(rate) - rate - std::lgamma(static_cast<Real>(k) + 1);
    total -= std::exp(log_p) * log_p;
  }
  return total;
}

Real von_mises_density(Real t, Real kappa) {
  return std::exp(kappa * std::cos(t)) / (2 * kPi * bessel_i(0, kappa));
}

Real von_mises_cdf(Real t, Real kappa) {
  return integral([&](Real s) { return std::exp(kappa * std::cos(s)); }, -kPi, t) /
         (2 * kPi * bessel_i(0, kappa));
}

}  // namespace likely::testing::plain
