#include "likely/kernels/special/bessel.hpp"

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/kernels/special/quadrature-inl.hpp"

namespace likely::kernels {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// From here on the asymptotic series reach double precision before they diverge.
constexpr double kAsymptotic = 40.0;

// e^-x sqrt(2 pi x) I_n(x) = sum over k of (-1)^k (m - 1)(m - 9) ... (m - (2k - 1)^2) / (k! (8x)^k), m =
// 4n^2.
double bessel_series(int n, double x) {
  const double m = 4.0 * n * n;
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 40 && std::abs(term) > 1e-18; ++k) {
    const double odd = 2.0 * k - 1.0;
    term *= (odd * odd - m) / (k * 8.0 * x);
    sum += term;
  }
  return sum;
}

// The series of I1 less that of I0, term by term: for large x both are nearly 1.
double bessel_series_difference(double x) {
  double zero = 1.0, one = 1.0, sum = 0.0;
  for (int k = 1; k < 40 && std::abs(zero) > 1e-18; ++k) {
    const double odd = 2.0 * k - 1.0;
    zero *= odd * odd / (k * 8.0 * x);
    one *= (odd * odd - 4.0) / (k * 8.0 * x);
    sum += one - zero;
  }
  return sum;
}

// 1 - cos t, which keeps its digits where large kappas put the law.
double versine(double t) {
  const double s = std::sin(0.5 * t);
  return 2.0 * s * s;
}

// How far from 0, beyond t, the law reaches: there its density is e^-46 of that at t.
double reach(double t, double kappa) {
  const double s = std::sin(0.5 * t);
  const double sine = std::sqrt(s * s + 23.0 / std::max(kappa, 1e-300));
  return sine >= 1.0 ? kPi : 2.0 * std::asin(sine);
}

// e^(kappa (cos t - cos from)) without cancellation.
double relative_density(double t, double from, double kappa) {
  return std::exp(-2.0 * kappa * std::sin(0.5 * (t - from)) * std::sin(0.5 * (t + from)));
}

// The central moment of cos t of the given order.
double central_moment(int order, double kappa) {
  const double end = reach(0.0, kappa);
  const double mean = -log_bessel_i0_scaled(1, kappa);  // of the versine
  const auto weight = [&](double t) { return std::exp(-kappa * versine(t)); };
  const auto moment = [&](double t) { return weight(t) * std::pow(mean - versine(t), order); };
  return integral(0.0, end, moment) / integral(0.0, end, weight);
}

}  // namespace

double log_bessel_i0(int order, double x) {
  if (std::isnan(x) || order > 4) return kNaN;
  if (x < 0.0) return (order % 2 == 0 ? 1.0 : -1.0) * log_bessel_i0(order, -x);
  const bool large = x > kAsymptotic;
  switch (order) {
    case 0:
      if (std::isinf(x)) return x;
      if (large) return x - 0.5 * std::log(2.0 * kPi * x) + std::log(bessel_series(0, x));
      return std::log(boost::math::cyl_bessel_i(0, x));
    case 1:
      if (std::isinf(x)) return 1.0;
      if (large) return bessel_series(1, x) / bessel_series(0, x);
      return boost::math::cyl_bessel_i(1, x) / boost::math::cyl_bessel_i(0, x);
    case 2: return std::isinf(x) ? 0.0 : central_moment(2, x);
    case 3: return std::isinf(x) ? 0.0 : central_moment(3, x);
    default: break;
  }
  if (std::isinf(x)) return 0.0;
  const double second = central_moment(2, x);
  return central_moment(4, x) - 3.0 * second * second;
}

double log_bessel_i0_scaled(int order, double x) {
  if (order % 2 == 1 && x < 0.0) return -log_bessel_i0_scaled(order, -x);
  const double size = std::abs(x);
  if (order > 1 || !(size > kAsymptotic)) {
    return log_bessel_i0(order, size) - (order == 0 ? size : order == 1 ? 1.0 : 0.0);
  }
  if (std::isinf(size)) return order == 0 ? -size : 0.0;
  if (order == 0) return std::log(bessel_series(0, size)) - 0.5 * std::log(2.0 * kPi * size);
  return bessel_series_difference(size) / bessel_series(0, size);
}

namespace {

// The density at t: large concentrations without their logarithm, whose digits it would cost.
double von_mises_density(double t, double kappa) {
  const double height = std::exp(-kappa * versine(t));
  if (kappa > kAsymptotic) return height * std::sqrt(kappa / (2.0 * kPi)) / bessel_series(0, kappa);
  return height / (2.0 * kPi) * std::exp(-log_bessel_i0_scaled(0, kappa));
}

}  // namespace

double von_mises_cdf(double t, double kappa) {
  if (std::isnan(t) || !(kappa >= 0.0)) return kNaN;
  if (t <= -kPi) return 0.0;
  if (t >= kPi) return 1.0;
  // The lower tail is the one whose small numbers keep their digits.
  if (t > 0.0) return 1.0 - von_mises_cdf(-t, kappa);
  const double density = von_mises_density(t, kappa);
  if (density == 0.0) return 0.0;
  const auto shape = [&](double s) { return relative_density(s, t, kappa); };
  return density * integral(-reach(t, kappa), t, shape);
}

double von_mises_slope(int order, double t, double kappa) {
  if (std::isnan(t) || !(kappa >= 0.0)) return kNaN;
  if (t <= -kPi || t >= kPi) return 0.0;
  if (t > 0.0) return -von_mises_slope(order, -t, kappa);
  const double mean = -log_bessel_i0_scaled(1, kappa);  // of the versine
  const double variance = order == 2 ? log_bessel_i0(2, kappa) : 0.0;
  return integral(-reach(t, kappa), t, [&](double s) {
    const double score = mean - versine(s);
    return relative_density(s, t, kappa) * (order == 1 ? score : score * score - variance);
  });
}

}  // namespace likely::kernels
