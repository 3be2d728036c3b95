// lgamma and its derivatives, element by element in double.
#include <cmath>
#include <limits>

#include "likely/core/dispatch.hpp"
#include "likely/kernels/elementwise/tables.hpp"
#include "likely/kernels/special/special.hpp"

namespace likely::kernels {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_pole(double x) { return x <= 0.0 && std::floor(x) == x; }

// From here on the asymptotic series reach double precision.
constexpr double kAsymptotic = 10.0;

// The Bernoulli numbers B_2, B_4, ...
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
                                 5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
                                 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};

// pi cot(pi x) with the period taken off first, so that large arguments keep their digits.
double pi_cotangent(double x) {
  const double r = x - std::round(x);
  return kPi / std::tan(kPi * r);
}

// The zero of digamma near 1.46, in two parts.
constexpr double kZeroHigh = kDigammaZero;
constexpr double kZeroLow = 9.549995429965697e-17;

// Taylor's series there: psi^(n)(z) / n! = (-1)^(n+1) zeta(n + 1, z).
struct ZeroSeries {
  static constexpr int kTerms = 18;
  double coefficient[kTerms];
  ZeroSeries() {
    for (int n = 0; n < kTerms; ++n)
      coefficient[n] = (n % 2 == 0 ? 1.0 : -1.0) * hurwitz_zeta(n + 2, kZeroHigh);
  }
};

double digamma_near_zero(double x) {
  static const ZeroSeries series;
  const double h = (x - kZeroHigh) - kZeroLow;
  double sum = 0.0;
  for (int n = ZeroSeries::kTerms - 1; n >= 0; --n) sum = h * (sum + series.coefficient[n]);
  return sum;
}

}  // namespace

double hurwitz_zeta(int s, double x) {
  if (x < 0.0) {
    // The terms before the sign changes are those of two sums of positive numbers.
    const double below = -x - std::floor(-x);
    const double negative = hurwitz_zeta(s, below) - hurwitz_zeta(s, 1.0 - x);
    return hurwitz_zeta(s, 1.0 - below) + (s % 2 == 0 ? negative : -negative);
  }
  // Terms one by one up to the asymptotic region, then the Euler-Maclaurin sum.
  const double start = kAsymptotic + s;
  double sum = 0.0;
  for (; x < start; x += 1.0) sum += std::pow(x, -s);
  const double square = x * x;
  double rest = std::pow(x, 1.0 - s) / (s - 1.0) + 0.5 * std::pow(x, -s);
  double factor = s * std::pow(x, -s - 1.0) / 2.0;
  for (int i = 0; i < 12; ++i) {
    const double term = kBernoulli[i] * factor;
    rest += term;
    if (std::abs(term) < 1e-17 * rest) break;
    factor *= (s + 2.0 * i + 1.0) * (s + 2.0 * i + 2.0) / ((2.0 * i + 3.0) * (2.0 * i + 4.0) * square);
  }
  return sum + rest;
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global variable
}

double digamma(double x) {
  if (is_pole(x) || x == -kInfinity) return kNaN;
  if (x == kInfinity) return x;
  if (x < 0.0) return digamma(1.0 - x) - pi_cotangent(x);
  if (std::abs(x - kZeroHigh) < kDigammaZeroRadius) return digamma_near_zero(x);
  double shift = 0.0;
  for (; x < kAsymptotic; x += 1.0) shift += 1.0 / x;
  const double inverse = 1.0 / (x * x);
  double series = 0.0;
  for (int i = 7; i >= 0; --i) series = inverse * (series + kBernoulli[i] / (2.0 * i + 2.0));
  return std::log(x) - 0.5 / x - series - shift;
}

double trigamma(double x) {
  if (is_pole(x)) return kInfinity;
  if (x == -kInfinity) return kNaN;
  if (x == kInfinity) return 0.0;
  if (x < 0.0) {
    const double s = std::sin(kPi * (x - std::round(x)));
    return kPi * kPi / (s * s) - trigamma(1.0 - x);
  }
  double shift = 0.0;
  for (; x < kAsymptotic; x += 1.0) shift += 1.0 / (x * x);
  const double inverse = 1.0 / (x * x);
  double series = 0.0;
  for (int i = 7; i >= 0; --i) series = inverse * (series + kBernoulli[i]);
  return shift + 1.0 / x + 0.5 * inverse + series / x;
}

double polygamma(int order, double x) {
  if (order == 0) return digamma(x);
  if (order == 1) return trigamma(x);
  if (std::isnan(x) || is_pole(x) || x == -kInfinity) return kNaN;
  if (x == kInfinity) return 0.0;
  const double sign = order % 2 == 0 ? -1.0 : 1.0;
  // (-1)^(n+1) n! zeta(n + 1, x).
  return sign * std::tgamma(order + 1.0) * hurwitz_zeta(order + 1, x);
}

namespace {

template <class T, class Function>
void for_row(const void* x_memory, void* y_memory, std::int64_t n, Function function) {
  const T* x = static_cast<const T*>(x_memory);
  T* y = static_cast<T*>(y_memory);
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(function(static_cast<double>(x[i])));
}

template <class T>
UnaryRow find_special(Unary operation) {
  switch (operation) {
    case Unary::lgamma:
      return [](const void* x, void* y, std::int64_t n, double, double) { for_row<T>(x, y, n, log_gamma); };
    case Unary::digamma:
      return [](const void* x, void* y, std::int64_t n, double, double) { for_row<T>(x, y, n, digamma); };
    case Unary::trigamma:
      return [](const void* x, void* y, std::int64_t n, double, double) { for_row<T>(x, y, n, trigamma); };
    case Unary::polygamma:
      return [](const void* x, void* y, std::int64_t n, double, double q) {
        for_row<T>(x, y, n, [order = static_cast<int>(q)](double v) { return polygamma(order, v); });
      };
    default: return nullptr;
  }
}

}  // namespace

UnaryRow find_special_unary(Unary operation, DType type) {
  if (const UnaryRow row = find_special_vector(operation, type)) return row;
  return detail::floating_or_nothing(type, [&]<class T>(T) { return find_special<T>(operation); });
}

}  // namespace likely::kernels
