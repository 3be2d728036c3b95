#include "likely/kernels/special/tail.hpp"

#include <cmath>

#include "likely/kernels/special/density.hpp"
#include "likely/kernels/special/quadrature-inl.hpp"
#include "likely/kernels/special/special.hpp"

namespace likely::kernels {

namespace {

// e^w - 1 - w for |w| < 1/2
double bend(double w) {
  double sum = 0.0;
  for (int n = 16; n >= 2; --n) sum = (sum + 1.0) * w / n;
  return sum * w;
}

// w - log(1 + w) for |w| < 1/5
double log_bend(double w) {
  const double v = w / (2.0 + w);
  const double z = v * v;
  double sum = 0.0;
  for (int j = 17; j >= 3; j -= 2) sum = sum * z + 1.0 / j;
  return w * v - 2.0 * v * z * sum;
}

// Where first s + second s^2 / 2 is 46, so that a density has fallen to 1e-20.
double reach(double first, double second) {
  return 92.0 / (first + std::sqrt(first) * std::sqrt(first + 92.0 * (second / first)));
}

double reach_of(double first, double second) {
  return first > 0.0 && first * first > 1e-6 * second ? reach(first, second) : std::sqrt(92.0 / second);
}

// A tail of the law of log x for gamma numbers x. Its density at log x - side s, divided by that at log x, is
// e^-fall(s).
struct GammaTail {
  double x, side, first, end;

  GammaTail(double a, double at)
      : x(at), side(at <= a ? 1.0 : -1.0), first(std::abs(a - at)), end(reach_of(first, at)) {}
  double fall(double s) const { return first * s + x * bend(-side * s); }
};

// A tail of the law of u = log(x / y) for beta numbers x, x + y = 1.
struct BetaTail {
  double x, total, side, first, end;
  bool mirrored;

  BetaTail(double a, double b, double at, double rest) : total(a + b), mirrored(at > rest) {
    const double difference = a * rest - b * at;
    side = difference >= 0.0 ? 1.0 : -1.0;
    first = std::abs(difference);
    end = reach_of(first, total * at * rest);
    x = mirrored ? rest : at;
  }
  // How u changes, seen from the end that x is nearer to.
  double moved(double s) const { return (mirrored ? -side : side) * s; }
  double fall(double s) const {
    const double m = moved(s);
    return first * s + total * (x * bend(-m) - log_bend(x * std::expm1(-m)));
  }
  // log x(u - side s) - log x(u), or, of y.
  double log_change(double s, bool of_x) const {
    const double m = moved(s);
    const double both = -std::log1p(x * std::expm1(-m));
    return of_x != mirrored ? both - m : both;
  }
};

}  // namespace

double gamma_tail(double a, double x) {
  const GammaTail tail(a, x);
  const double weight = gamma_weight(a, x);
  if (weight == 0.0) return 0.0;
  return weight * integral(0.0, tail.end, [&](double s) { return std::exp(-tail.fall(s)); });
}

bool beta_tail_is_lower(double a, double b, double x, double y) { return a * y >= b * x; }

double beta_tail(double a, double b, double x, double y) {
  const BetaTail tail(a, b, x, y);
  const double weight = beta_weight(a, b, x, y);
  if (weight == 0.0) return 0.0;
  return weight * integral(0.0, tail.end, [&](double s) { return std::exp(-tail.fall(s)); });
}

double gamma_tail_slope(int order, double a, double log_x) {
  const double x = std::exp(log_x);
  const GammaTail tail(a, x);
  const double score = log_poisson(1, a, log_x, x) + 1.0 / a;
  const double variance = order == 2 ? trigamma(a) : 0.0;
  return tail.side * integral(0.0, tail.end, [&](double s) {
           const double here = score - tail.side * s;
           return std::exp(-tail.fall(s)) * (order == 1 ? here : here * here - variance);
         });
}

double beta_tail_slope(int by_a, int by_b, double a, double b, double u) {
  const double x = 1.0 / (1.0 + std::exp(-u)), y = 1.0 / (1.0 + std::exp(u));
  const BetaTail tail(a, b, x, y);
  const double score_a = std::log(x * beta_score_scale(a, b)) + beta_score_shift(a, b);
  const double score_b = std::log(y * beta_score_scale(b, a)) + beta_score_shift(b, a);
  const double both = trigamma(a + b);
  return tail.side * integral(0.0, tail.end, [&](double s) {
           const double here_a = score_a + tail.log_change(s, true);
           const double here_b = score_b + tail.log_change(s, false);
           double weight = by_a > 0 ? here_a : here_b;
           if (by_a == 2) weight = here_a * here_a + both - trigamma(a);
           if (by_b == 2) weight = here_b * here_b + both - trigamma(b);
           if (by_a == 1 && by_b == 1) weight = here_a * here_b + both;
           return std::exp(-tail.fall(s)) * weight;
         });
}

}  // namespace likely::kernels
