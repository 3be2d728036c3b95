#include "likely/kernels/special/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/kernels/special/incomplete.hpp"
#include "likely/kernels/special/special.hpp"

namespace likely::kernels {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeast = std::numeric_limits<double>::min();
constexpr double kNear = 0.1;

// B_2, B_4, ... over what the asymptotic series divide them by.
constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                 5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
constexpr int kTerms = 8;

// log Gamma(k + 1) - (k log k - k + log(2 pi k) / 2) for large k.
double stirling_rest(double k) {
  const double inverse = 1.0 / k;
  const double square = inverse * inverse;
  double sum = 0.0;
  for (int j = kTerms; j >= 1; --j) sum = sum * square + kBernoulli[j - 1] / (2.0 * j * (2.0 * j - 1.0));
  return sum * inverse;
}

// log k - digamma(k) for large k.
double digamma_rest(double k) {
  const double inverse = 1.0 / k;
  const double square = inverse * inverse;
  double sum = 0.0;
  for (int j = kTerms; j >= 1; --j) sum = sum * square + kBernoulli[j - 1] / (2.0 * j);
  return sum * square + 0.5 * inverse;
}

// k log(k / t) + t - k where t = k + difference and the logarithm of t / k is given for where it is large.
double deviance(double k, double difference, double log_ratio) {
  const double v = 0.5 * difference / (k + 0.5 * difference);
  if (!(std::abs(v) < kNear)) return difference - k * log_ratio;
  const double z = v * v;
  double sum = 0.0;
  for (int j = 17; j >= 3; j -= 2) sum = sum * z + 1.0 / j;
  return difference * v - 2.0 * k * v * z * sum;
}

// w - log(1 + w)
double gap_of(double w) { return deviance(1.0, w, std::log1p(w)); }

bool normal(double x, double least = kLeast) { return x >= least && x < kInfinity; }

double log_ratio(double k, double log_t, double t, double least = kLeast) {
  const double ratio = t / k;
  return normal(ratio) && normal(t, least) ? std::log(ratio) : log_t - std::log(k);
}

}  // namespace

double count_rest(int order, double k) {
  if (k < kLargeCount) return order == 0 ? log_gamma(k + 1.0) : digamma(k + 1.0);
  if (order == 0) return 0.5 * std::log(2.0 * std::numbers::pi * k) + stirling_rest(k);
  return 1.0 / k - digamma_rest(k);
}

double log_poisson(int order, double k, double log_t, double t, double least) {
  if (std::isnan(k) || std::isnan(t) || k < 0.0) return kNaN;
  const double rest = count_rest(order, k);
  if (k < kLargeCount) {
    const double log_of_t = normal(t, least) ? std::log(t) : log_t;
    if (order == 1) return log_of_t - rest;
    if (t == kInfinity) return -kInfinity;
    return -(t - (k > 0.0 ? k * log_of_t : 0.0) + rest);
  }
  if (order == 1) return log_ratio(k, log_t, t, least) - rest;
  if (t == kInfinity || k == kInfinity) return -kInfinity;
  return -(deviance(k, t - k, log_ratio(k, log_t, t, least)) + rest);
}

double beta_rest(double a, double b) {
  if (std::min(a, b) < kLargeCount) return log_beta(a, b);
  const double total = a + b;
  const double middle = total < kInfinity ? a * (b / total) : 0.5 * std::min(a, b);
  return 0.5 * std::log(2.0 * std::numbers::pi / middle) + stirling_rest(a) + stirling_rest(b) -
         stirling_rest(total);
}

double log_beta_density(double a, double b, double rest, double x) {
  const double y = 1.0 - x;
  const double log_x = std::log(x), log_y = std::log1p(-x);
  const bool inside = x > 0.0 && x < 1.0;
  if (std::min(a, b) < kLargeCount || !inside) return (a - 1.0) * log_x + (b - 1.0) * log_y - rest;
  const double difference = b * x - a * y;
  const double first = deviance(a, difference, std::log(x * (1.0 + b / a)));
  const double second = deviance(b, -difference, std::log(y * (1.0 + a / b)));
  return -(first + second) - rest - log_x - log_y;
}

double gamma_weight(double a, double x) {
  const double fallen = deviance(a, x - a, log_ratio(a, std::log(x), x)) + stirling_rest(a);
  return std::exp(-fallen) * std::sqrt(a / (2.0 * std::numbers::pi));
}

double beta_weight(double a, double b, double x, double y) {
  const double total = a + b;
  const double difference = b * x - a * y;
  const double fallen = deviance(a, difference, std::log(x * (1.0 + b / a))) +
                        deviance(b, -difference, std::log(y * (1.0 + a / b))) + stirling_rest(a) +
                        stirling_rest(b) - stirling_rest(total);
  return std::exp(-fallen) * std::sqrt(a * (b / total) / (2.0 * std::numbers::pi));
}

double beta_score_scale(double a, double b) {
  if (a >= kLargeCount) return 1.0 + b / a;
  return a + b < kLargeCount ? 1.0 : a + b;
}

double beta_score_shift(double a, double b) {
  const double total = a + b;
  if (a >= kLargeCount) return digamma_rest(a) - digamma_rest(total);
  if (total >= kLargeCount) return -digamma_rest(total) - digamma(a);
  // One step up, where neither is large.
  return digamma(total + 1.0) - digamma(a + 1.0) + b / a / total;
}

double log_gap(double a, double b) {
  const double ratio = a / b;
  return deviance(1.0, (a - b) / b, normal(ratio) ? std::log(ratio) : std::log(a) - std::log(b));
}

double deviance(double k, double a, double s, double t) {
  if (!(k > 0.0 && a > 0.0 && s > 0.0 && t > 0.0)) return kNaN;
  // By the parts between 1/2 and 1, whose products are exact with what their rounding left.
  int exponents[4];
  const double first = std::frexp(a, &exponents[0]), second = std::frexp(s, &exponents[1]);
  const double third = std::frexp(k, &exponents[2]), fourth = std::frexp(t, &exponents[3]);
  const int power = exponents[0] + exponents[1] - exponents[2] - exponents[3];
  const double above = first * second, below = third * fourth;
  if (std::abs(power) > 3) {
    const double log_ratio = std::log(above / below) + power * std::numbers::ln2;
    return std::ldexp(above / fourth, exponents[0] + exponents[1] - exponents[3]) - k - k * log_ratio;
  }
  const double scaled = std::ldexp(above, power);
  const double left = std::ldexp(std::fma(first, second, -above), power) - std::fma(third, fourth, -below);
  return k * deviance(1.0, (scaled - below + left) / below, std::log(scaled / below));
}

namespace {

// s(x) = log Gamma(x) - x log x + x, for large x log(2 pi / x) / 2 + what Stirling's series leaves; and
// s'(x).
double gamma_rest(double x) {
  if (x < kLargeCount) return log_gamma(x) - x * std::log(x) + x;
  return 0.5 * std::log(2.0 * std::numbers::pi / x) + stirling_rest(x);
}
double gamma_rest_slope(double x) { return x < kLargeCount ? digamma(x) - std::log(x) : -digamma_rest(x); }

// gamma_bregman for large a and b = a + difference that is near.
double near_bregman(double a, double difference) {
  const double w = difference / a;
  // Of a power x^-n in the series (1 + w)^-n - 1 + n w is left, each from the one before.
  double sum = 0.0, power = 1.0 / a, bend = 0.0;
  for (int n = 1; n < 2 * kTerms; ++n) {
    bend = (bend + n * w * w) / (1.0 + w);
    if (n % 2 == 0) continue;
    sum += kBernoulli[n / 2] / (n * (n + 1.0)) * power * bend;
    power /= a * a;
  }
  return 0.5 * gap_of(w) + sum;
}

}  // namespace

double gamma_bregman(double a, double b) {
  if (!(a > 0.0) || !(b > 0.0)) return kNaN;
  if (b == kInfinity) return kInfinity;
  const double difference = b - a, least = std::min(a, b);
  if (std::abs(difference) > 0.5 * least) {
    return gamma_rest(b) - gamma_rest(a) - difference * gamma_rest_slope(a);
  }
  if (least >= kLargeCount) return near_bregman(a, difference);
  // log Gamma(x + 1) - log Gamma(x) is log x: a gap for each step up to where both are large.
  double sum = -b * gap_of(-difference / b), up = 0.0;
  for (; least + up < kLargeCount; up += 1.0) sum += gap_of(difference / (a + up));
  return sum + (b + up) * gap_of(-difference / (b + up)) + near_bregman(a + up, difference);
}

double half_step(int order, double h) {
  if (!(h > 0.0) || order > 4) return kNaN;
  if (h == kInfinity) return 0.0;
  constexpr double kSeriesFrom = 16.0;
  // The difference to h + 1 is log(h (h + 1) / (h + 1/2)^2) / 2: all steps have one sign.
  double sum = 0.0;
  for (; h < kSeriesFrom; h += 1.0) {
    const double middle = h + 0.5;
    if (order == 0) {
      sum += h < 0.5 ? 0.5 * (std::log(h) + std::log1p(h)) - std::log(middle)
                     : 0.5 * std::log1p(-0.25 / (middle * middle));
    } else if (order == 1) {
      sum += 0.25 / (h * (h + 1.0) * middle);
    } else {
      const double factorial = order == 2 ? -1.0 : order == 3 ? 2.0 : -6.0;
      const double here = std::pow(h, -order) + std::pow(h + 1.0, -order) - 2.0 * std::pow(middle, -order);
      sum += 0.5 * factorial * here;
    }
  }
  constexpr double kCoefficients[] = {-1.0 / 8,      1.0 / 192,      -1.0 / 640,      17.0 / 14336,
                                      -31.0 / 18432, 691.0 / 180224, -5461.0 / 425984};
  double series = 0.0;
  for (int j = 6; j >= 0; --j) {
    double coefficient = kCoefficients[j];
    for (int i = 0; i < order; ++i) coefficient *= -(2.0 * j + 1.0 + i);
    series = series / (h * h) + coefficient;
  }
  return sum + series * std::pow(h, -1.0 - order);
}

double student_t_slope(double degrees, double z) {
  if (!(degrees > 0.0) || std::isnan(z)) return kNaN;
  const double r = z / std::sqrt(degrees);
  const double u = r * r;
  // log(1 + u) - u / (1 + u)
  double gap = 0.0;
  if (u < kNear) {
    double power = u * u;
    for (int n = 2; n < 24; ++n, power *= -u) gap += power * (n - 1.0) / n;
  } else {
    gap = (std::isinf(u) ? 2.0 * std::log(std::abs(r)) : std::log1p(u)) - 1.0 / (1.0 + 1.0 / u);
  }
  const double share = u < 1.0 ? u / (1.0 + u) : 1.0 / (1.0 + 1.0 / u);
  return 0.5 * (half_step(1, 0.5 * degrees) + share / degrees - gap);
}

double gamma_entropy(int order, double a) {
  if (!(a > 0.0) || order > 4) return kNaN;
  constexpr double kSeriesFrom = 24.0;
  if (a < kSeriesFrom) {
    if (order == 0) return a + log_gamma(a) + (1.0 - a) * digamma(a);
    if (order == 1) return 1.0 + (1.0 - a) * trigamma(a);
    return (1.0 - order) * polygamma(order - 1, a) + (1.0 - a) * polygamma(order, a);
  }
  // log(2 pi e a) / 2 - 1 / (2 a) + sum of B_2j / ((2j - 1) a^(2j - 1)) - B_2j / (2j a^2j), term by term.
  const auto factor = [&](double coefficient, int exponent) {
    for (int i = 0; i < order; ++i) coefficient *= -(exponent + i);
    return coefficient;
  };
  const double inverse = 1.0 / a;
  const double square = inverse * inverse;
  double odd = 0.0, even = 0.0;
  for (int j = 6; j >= 1; --j) {
    odd = odd * square + factor(kBernoulli[j - 1] / (2.0 * j - 1.0), 2 * j - 1);
    even = even * square + factor(kBernoulli[j - 1] / (2.0 * j), 2 * j);
  }
  const double sum = (odd + factor(-0.5, 1)) * inverse - even * square;
  if (order == 0) return 0.5 * (std::log(a) + std::log(2.0 * std::numbers::pi) + 1.0) + sum;
  double leading = 0.5;
  for (int i = 1; i < order; ++i) leading *= -i;
  return (leading + sum) * std::pow(a, -order);
}

}  // namespace likely::kernels
