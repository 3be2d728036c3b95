#include "likely/kernels/special/incomplete.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/kernels/special/density.hpp"
#include "likely/kernels/special/special.hpp"
#include "likely/kernels/special/tail.hpp"

namespace likely::kernels {

namespace {

namespace policies = boost::math::policies;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;
constexpr double kPrecision = 1e-16;

// Whatever has no value is NaN, as nothing may be thrown on a thread of a tile; all arithmetic in double.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;

// A number with its first and second derivatives by two parameters.
struct Jet {
  double v, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

Jet operator+(const Jet& x, const Jet& y) {
  return {x.v + y.v, x.a + y.a, x.b + y.b, x.aa + y.aa, x.ab + y.ab, x.bb + y.bb};
}

Jet operator*(const Jet& x, const Jet& y) {
  return {x.v * y.v,
          x.a * y.v + x.v * y.a,
          x.b * y.v + x.v * y.b,
          x.aa * y.v + 2 * x.a * y.a + x.v * y.aa,
          x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab,
          x.bb * y.v + 2 * x.b * y.b + x.v * y.bb};
}

Jet reciprocal(const Jet& x) {
  const double r = 1.0 / x.v;
  const double a = x.a * r, b = x.b * r;
  return {
      r, -a * r, -b * r, (2 * a * a - x.aa * r) * r, (2 * a * b - x.ab * r) * r, (2 * b * b - x.bb * r) * r};
}

// Whether multiplying by this factor leaves h and its derivatives as they are.
bool settled(const Jet& h, const Jet& factor) {
  const auto small = [&](double change, double derivative) {
    return std::abs(change) < 4 * kPrecision * std::max(1.0, std::abs(derivative / h.v));
  };
  return small(factor.v - 1.0, 0) && small(factor.a, h.a) && small(factor.b, h.b) && small(factor.aa, h.aa) &&
         small(factor.ab, h.ab) && small(factor.bb, h.bb);
}

struct Pair {
  Jet numerator, denominator;
};

// 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))) by Lentz's method. step(i) gives a_i and b_i.
template <class Step>
Jet continued_fraction(const Jet& b0, int limit, const Step& step) {
  Jet c = b0;
  Jet d = reciprocal(b0);
  Jet h = d;
  for (int i = 1; i <= limit; ++i) {
    const Pair next = step(i);
    c = i == 1 ? next.denominator : next.denominator + next.numerator * reciprocal(c);
    d = next.numerator * d + next.denominator;
    if (std::abs(c.v) < kTiny) c.v = kTiny;
    if (std::abs(d.v) < kTiny) d.v = kTiny;
    d = reciprocal(d);
    const Jet factor = c * d;
    h = h * factor;
    if (settled(h, factor) || std::isnan(h.v)) break;
  }
  return h;
}

// P = density K with K = sum of x^n / (a (a + 1) ... (a + n)), all terms positive.
Jet gamma_series(double a, double x) {
  double term = 1.0, down = 0.0, squares = 0.0;  // the term, its log's first derivative, minus its second
  Jet sum = {1.0};
  for (double n = a + 1.0;; n += 1.0) {
    term *= x / n;
    down -= 1.0 / n;
    squares += 1.0 / (n * n);
    const double second = term * (down * down + squares);
    sum.v += term;
    sum.a += term * down;
    sum.aa += second;
    if (n > x && term * (1.0 + down * down) < kPrecision * sum.v) break;
  }
  return sum * Jet{1.0 / a, -1.0 / (a * a), 0, 2.0 / (a * a * a)};
}

// Q = density K with Legendre's continued fraction, for x > a + 1.
Jet gamma_fraction(double a, double x) {
  return continued_fraction({x + 1.0 - a, -1.0}, 100'000, [&](int i) {
    return Pair{{-i * (i - a), static_cast<double>(i)}, {x + 1.0 - a + 2.0 * i, -1.0}};
  });
}

// F = density K for x below (a + 1) / (a + b + 2); the even and odd steps of the usual fraction.
Jet beta_fraction(double a, double b, double x) {
  const auto over = [](const Jet& top, const Jet& bottom) { return top * reciprocal(bottom); };
  const Jet inverse = continued_fraction({1.0}, 200'000, [&](int i) {
    const double m = i / 2;  // NOLINT(bugprone-integer-division): whole pairs of steps
    const Jet from = {a + 2 * m, 1.0};
    if (i % 2 == 0) {
      const Jet top = Jet{m * x} * Jet{b - m, 0.0, 1.0};
      return Pair{over(top, Jet{a + 2 * m - 1, 1.0} * from), {1.0}};
    }
    const Jet top = Jet{-x} * Jet{a + m, 1.0} * Jet{a + b + m, 1.0, 1.0};
    return Pair{over(top, from * Jet{a + 2 * m + 1, 1.0}), {1.0}};
  });
  return inverse * Jet{1.0 / a, -1.0 / (a * a), 0, 2.0 / (a * a * a)};
}

// Derivatives of (density K) / density, with the derivatives of the density's logarithm.
double slope(const Jet& k, const Jet& log_density, int by_a, int by_b) {
  const Jet& l = log_density;
  if (by_a == 1 && by_b == 0) return k.v * l.a + k.a;
  if (by_a == 0 && by_b == 1) return k.v * l.b + k.b;
  if (by_a == 2) return k.v * (l.a * l.a + l.aa) + 2 * k.a * l.a + k.aa;
  if (by_b == 2) return k.v * (l.b * l.b + l.bb) + 2 * k.b * l.b + k.bb;
  return k.v * (l.a * l.b + l.ab) + k.a * l.b + k.b * l.a + k.ab;
}

// Below this size of both parameters a beta law is two points. From here on of the larger parameter, and with
// the smaller below kLargeShape, a beta law is a gamma law to all digits; and from here on Student's t law a
// normal one.
constexpr double kTinyShape = 1e-20;
constexpr double kGammaLimit = 1e13;
constexpr double kNormalDegrees = 1e23;
constexpr double kLeastRatio = 1e-20;

// From here on Stirling's series reaches double precision.
constexpr double kStirling = 10.0;

// log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2).
double stirling_rest(double x) {
  const double inverse = 1.0 / (x * x);
  double sum = 1.0 / 156;
  for (const double c : {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12}) {
    sum = sum * inverse + c;
  }
  return sum / x;
}

}  // namespace

double log_beta(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  if (!(low > 0.0)) return kNaN;
  if (std::isinf(high)) return -high;
  if (high < kStirling) return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
  // Gamma(high) / Gamma(a + b) by Stirling's formula, and for a large `low` its gamma function as well; what
  // is large in both is taken out by hand.
  const double ratio = stirling_rest(high) - stirling_rest(a + b) - (high - 0.5) * std::log1p(low / high);
  if (low < kStirling) return log_gamma(low) + ratio + low - low * std::log(a + b);
  return ratio - low * std::log1p(high / low) + 0.5 * std::log(2.0 * std::numbers::pi / low) +
         stirling_rest(low);
}

namespace {

// Temme's expansion, which Boost uses up to sqrt(20) standard deviations from the centre, is quick, and exact
// for shapes that are not huge. Beyond, series and fractions would take thousands of terms, and give up.
bool in_gamma_tail(double a, double x) {
  constexpr double kHuge = 1e7;
  const double distance = (x - a) / a;
  return a >= kLargeShape && (a > kHuge || !(distance * distance < 20.0 / a));
}

bool are_domain(double a, double x) { return a > 0.0 && x >= 0.0; }

}  // namespace

double incomplete_gamma_p(double a, double x) {
  if (!are_domain(a, x)) return kNaN;
  if (x == kInfinity || a == kInfinity) return x == kInfinity ? 1.0 : 0.0;
  if (in_gamma_tail(a, x)) return x <= a ? gamma_tail(a, x) : 1.0 - gamma_tail(a, x);
  return boost::math::gamma_p(a, x, Quiet());
}

double incomplete_gamma_q(double a, double x) {
  if (!are_domain(a, x)) return kNaN;
  if (x == kInfinity || a == kInfinity) return x == kInfinity ? 0.0 : 1.0;
  if (in_gamma_tail(a, x)) return x <= a ? 1.0 - gamma_tail(a, x) : gamma_tail(a, x);
  return boost::math::gamma_q(a, x, Quiet());
}

double poisson_cdf(double k, double rate) {
  if (std::isnan(k) || !(rate >= 0.0)) return kNaN;
  if (k < 0.0) return 0.0;
  if (k == kInfinity) return 1.0;
  const double count = std::floor(k);
  // Above, a count and the next are the same number.
  if (count < 0x1p52) return incomplete_gamma_q(count + 1.0, rate);
  return incomplete_gamma_q(count, rate) + std::exp(log_poisson(0, count, std::log(rate), rate));
}

double incomplete_beta(double a, double b, double x) {
  if (!(a > 0.0) || !(b > 0.0) || !(x >= 0.0 && x <= 1.0)) return kNaN;
  if (x == 0.0 || x == 1.0) return x;
  const double y = 1.0 - x;
  if (std::max(a, b) < kTinyShape) {
    // All lies at the ends, but for as much as the parameters are.
    return b / (a + b) * (1.0 + a * (std::log(x) - std::log1p(-x)));
  }
  if (std::min(a, b) >= kLargeShape) {
    const double tail = beta_tail(a, b, x, y);
    return beta_tail_is_lower(a, b, x, y) ? tail : 1.0 - tail;
  }
  // The smaller part of a sum 1 + (rest / b) is lost: numbers near that end are gamma numbers.
  if (b >= kGammaLimit) return incomplete_gamma_p(a, -std::log1p(-x) * (b + 0.5 * (a - 1.0)));
  if (a >= kGammaLimit) return incomplete_gamma_q(b, -std::log(x) * (a + 0.5 * (b - 1.0)));
  return boost::math::ibeta(a, b, x, Quiet());
}

double student_t_cdf(double x, double degrees) {
  if (std::isnan(x) || !(degrees > 0.0)) return kNaN;
  const double z = std::abs(x);
  // Both tails are as small as they are, in the form that keeps their digits: the beta number is on the side
  // where it is small.
  const double r = z / std::sqrt(degrees);
  double tail = 0.0;
  if (degrees >= kNormalDegrees) {
    tail = 0.5 * std::erfc(z / std::numbers::sqrt2);
  } else if (r < 1.0) {
    const double square = r * r;
    const double part = square / (1.0 + square);
    tail = z < 0.7 ? 0.5 - 0.5 * boost::math::ibeta(0.5, 0.5 * degrees, part, Quiet())
                   : 0.5 * boost::math::ibetac(0.5, 0.5 * degrees, part, Quiet());
  } else {
    const double inverse = 1.0 / r;
    const double ratio = inverse * inverse;
    if (ratio < kLeastRatio) {
      // All but the first term of the series is lost, and the power may be too small for a number.
      tail = std::exp(-degrees * std::log(r) - log_beta(0.5 * degrees, 0.5)) / degrees;
    } else {
      tail = 0.5 * boost::math::ibeta(0.5 * degrees, 0.5, ratio / (1.0 + ratio), Quiet());
    }
  }
  return x < 0.0 ? tail : 1.0 - tail;
}

double gamma_slope(int order, double a, double log_x) {
  if (!(a > 0.0) || std::isnan(log_x)) return kNaN;
  if (std::isinf(log_x)) return 0.0;
  if (a >= kLargeShape) return gamma_tail_slope(order, a, log_x);
  const double x = std::exp(log_x);
  const Jet log_density = {0, log_x - digamma(a), 0, -trigamma(a)};
  if (x <= a + 1.0) return slope(gamma_series(a, x), log_density, order, 0);
  return -slope(gamma_fraction(a, x), log_density, order, 0);
}

double beta_slope(int by_a, int by_b, double a, double b, double u) {
  if (!(a > 0.0) || !(b > 0.0) || std::isnan(u)) return kNaN;
  if (std::isinf(u)) return 0.0;
  if (std::min(a, b) >= kLargeShape) return beta_tail_slope(by_a, by_b, a, b, u);
  const double x = 1.0 / (1.0 + std::exp(-u));
  // 1 - F is that of 1 - x with the parameters exchanged.
  if (x > (a + 1.0) / (a + b + 2.0)) return -beta_slope(by_b, by_a, b, a, -u);
  const double log_x = u < 0.0 ? u - std::log1p(std::exp(u)) : -std::log1p(std::exp(-u));
  const double both = trigamma(a + b);
  const Jet log_density = {0,
                           log_x - digamma(a) + digamma(a + b),
                           log_x - u - digamma(b) + digamma(a + b),
                           both - trigamma(a),
                           both,
                           both - trigamma(b)};
  return slope(beta_fraction(a, b, x), log_density, by_a, by_b);
}

double normal_quantile(double p) {
  if (!(p >= 0.0 && p <= 1.0)) return kNaN;
  if (p == 0.0) return -std::numeric_limits<double>::infinity();
  if (p == 1.0) return std::numeric_limits<double>::infinity();
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p, Quiet());
}

}  // namespace likely::kernels
