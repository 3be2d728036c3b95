#include "likely/ops/special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/kernels/special/bessel.hpp"
#include "likely/kernels/special/incomplete.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/ops/special_map.hpp"
#include "likely/ops/special_slopes.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::map_numbers;

namespace {

const double kRootTwoPi = std::sqrt(2.0 * std::numbers::pi);

// e^(a log x - x) / Gamma(a): the density of log x of gamma numbers x.
Tensor log_gamma_density(const Tensor& a, const Tensor& log_x, const Tensor& x) {
  return exp(detail::log_poisson(0, a, log_x, x)) * a;
}

// x^(a - 1) e^-x / Gamma(a), the density of x.
Tensor gamma_density(const Tensor& a, const Tensor& x) {
  const Tensor at_zero = x <= 0.0;
  const Tensor inside = masked_fill(x, at_zero, 1.0);
  const Tensor log_x = log(inside);
  const Tensor density = exp(detail::log_poisson(0, a, log_x, inside) + (log(a) - log_x));
  return where(at_zero, pow(masked_fill(x, logical_not(at_zero), 1.0), a - 1.0), density);
}

// Both incomplete gamma functions have the same derivatives but for the sign.
Tensor incomplete_gamma(bool upper, const Tensor& a, const Tensor& x) {
  const char* name = upper ? "gamma_q" : "gamma_p";
  if (Tape* tape = recording_tape(a, x)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_x = tape->below(x);
    return tape->record(name, incomplete_gamma(upper, lower_a, lower_x), {&a, &x},
                        [a = lower_a, x = lower_x, upper](const Tensor& g, Pull& pull) {
                          const Tensor log_x = log(x);
                          const Tensor up = upper ? -g : g;
                          pull(0, [&] {
                            const Tensor slope = detail::gamma_slope(1, a, log_x);
                            return sum_to(up * slope * log_gamma_density(a, log_x, x), a.shape());
                          });
                          pull(1, [&] { return sum_to(up * gamma_density(a, x), x.shape()); });
                        });
  }
  return map_numbers(name, 200.0, upper ? kernels::incomplete_gamma_q : kernels::incomplete_gamma_p, a, x);
}

}  // namespace

Tensor normal_cdf(const Tensor& x) { return erfc(x * -std::numbers::sqrt2 * 0.5) * 0.5; }

Tensor normal_quantile(const Tensor& p) {
  if (Tape* tape = recording_tape(p)) {
    const Tensor y = normal_quantile(tape->below(p));
    return tape->record("normal_quantile", y, {&p}, [y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return g * exp(square(y) * 0.5) * kRootTwoPi; });
    });
  }
  return map_numbers("normal_quantile", 60.0, kernels::normal_quantile, p);
}

Tensor log_bessel_i0(const Tensor& x) { return detail::log_bessel(0, x); }

Tensor log_bessel_i0_scaled(const Tensor& x) { return detail::log_bessel(0, x, true); }

Tensor bessel_i1_over_i0(const Tensor& x) { return detail::log_bessel(1, x); }

Tensor bessel_ratio_complement(const Tensor& x) { return -detail::log_bessel(1, x, true); }

Tensor log_beta(const Tensor& a, const Tensor& b) {
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    return tape->record("log_beta", log_beta(lower_a, lower_b), {&a, &b},
                        [a = lower_a, b = lower_b](const Tensor& g, Pull& pull) {
                          const Tensor both = digamma(a + b);
                          pull(0, [&] { return sum_to(g * (digamma(a) - both), a.shape()); });
                          pull(1, [&] { return sum_to(g * (digamma(b) - both), b.shape()); });
                        });
  }
  return map_numbers("log_beta", 60.0, kernels::log_beta, a, b);
}

Tensor gamma_p(const Tensor& a, const Tensor& x) { return incomplete_gamma(false, a, x); }

Tensor gamma_q(const Tensor& a, const Tensor& x) { return incomplete_gamma(true, a, x); }

Tensor incomplete_beta(const Tensor& a, const Tensor& b, const Tensor& x) {
  if (Tape* tape = recording_tape(a, b, x)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    const Tensor lower_x = tape->below(x);
    return tape->record(
        "incomplete_beta", incomplete_beta(lower_a, lower_b, lower_x), {&a, &b, &x},
        [a = lower_a, b = lower_b, x = lower_x](const Tensor& g, Pull& pull) {
          const Tensor u = logit(x);
          const Tensor density = exp(detail::log_beta_density(a, b, x));
          const Tensor ends = logical_or(x <= 0.0, x >= 1.0);
          const Tensor density_u = masked_fill(density * (x * (1.0 - x)), ends, 0.0);
          pull(0, [&] { return sum_to(g * detail::beta_slope(1, 0, a, b, u) * density_u, a.shape()); });
          pull(1, [&] { return sum_to(g * detail::beta_slope(0, 1, a, b, u) * density_u, b.shape()); });
          pull(2, [&] { return sum_to(g * density, x.shape()); });
        });
  }
  return map_numbers("incomplete_beta", 400.0, kernels::incomplete_beta, a, b, x);
}

Tensor poisson_cdf(const Tensor& k, const Tensor& rate) {
  if (Tape* tape = recording_tape(rate)) {
    const Tensor lower = tape->below(rate);
    return tape->record(
        "poisson_cdf", poisson_cdf(k, lower), {&rate}, [k, rate = lower](const Tensor& g, Pull& pull) {
          pull(0, [&] {
            const Tensor none = logical_or(k < 0.0, k == std::numeric_limits<double>::infinity());
            const Tensor count = masked_fill(floor(k), none, 0.0);
            const Tensor falls = exp(detail::log_poisson(0, count, log(rate), rate));
            return sum_to(-(g * masked_fill(falls, none, 0.0)), rate.shape());
          });
        });
  }
  return map_numbers("poisson_cdf", 200.0, kernels::poisson_cdf, k, rate);
}

Tensor cauchy_cdf(const Tensor& x) {
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record("cauchy_cdf", cauchy_cdf(lower), {&x}, [lower](const Tensor& g, Pull& pull) {
      pull(0, [&] { return g / ((square(lower) + 1.0) * std::numbers::pi); });
    });
  }
  // As an angle from the negative axis, which keeps the digits of the lower tail.
  return map_numbers(
      "cauchy_cdf", 20.0, [](double v) { return std::atan2(1.0, -v) / std::numbers::pi; }, x);
}

Tensor student_t_cdf(const Tensor& x, const Tensor& degrees) {
  if (Tape* tape = recording_tape(x, degrees)) {
    const Tensor lower_x = tape->below(x);
    const Tensor lower_degrees = tape->below(degrees);
    return tape->record(
        "student_t_cdf", student_t_cdf(lower_x, lower_degrees), {&x, &degrees},
        [x = lower_x, degrees = lower_degrees](const Tensor& g, Pull& pull) {
          const Tensor a = full_like(degrees, 0.5);
          const Tensor b = degrees * 0.5;
          pull(0, [&] { return sum_to(g * exp(detail::log_student_t(degrees, x)) / kRootTwoPi, x.shape()); });
          pull(1, [&] {
            // F = (1 + sign(x) I_v(1/2, degrees/2)) / 2 with logit v = u = log(x^2 / degrees).
            const Tensor u = log(square(x) / degrees);
            const Tensor density_u = exp(a * logsigmoid(u) + b * logsigmoid(-u) - log_beta(a, b));
            const Tensor change = detail::beta_slope(0, 1, a, b, u) * 0.5 - reciprocal(degrees);
            return sum_to(g * sign(x) * 0.5 * density_u * change, degrees.shape());
          });
        });
  }
  return map_numbers("student_t_cdf", 400.0, kernels::student_t_cdf, x, degrees);
}

Tensor poisson_entropy(const Tensor& rate) {
  // A sum, and for large rates its asymptotic series.
  constexpr double kLarge = 300.0;
  const Tensor large = rate > kLarge;
  const Tensor r = masked_fill(rate, large, 1.0);
  const Tensor s = masked_fill(rate, logical_not(large), kLarge);
  const Tensor inverse = reciprocal(s);
  const Tensor series =
      log(s) * 0.5 + 0.5 * (std::log(2.0 * std::numbers::pi) + 1.0) -
      inverse * (1.0 / 12.0 +
                 inverse * (1.0 / 24.0 +
                            inverse * (19.0 / 360.0 + inverse * (9.0 / 80.0 + inverse * (863.0 / 2520.0)))));
  return where(large, series, detail::poisson_entropy(0, r));
}

Tensor von_mises_cdf(const Tensor& t, const Tensor& kappa) {
  if (Tape* tape = recording_tape(t, kappa)) {
    const Tensor lower_t = tape->below(t);
    const Tensor lower_kappa = tape->below(kappa);
    return tape->record(
        "von_mises_cdf", von_mises_cdf(lower_t, lower_kappa), {&t, &kappa},
        [t = lower_t, kappa = lower_kappa](const Tensor& g, Pull& pull) {
          const Tensor log_density = kappa * (square(sin(t * 0.5)) * -2.0) - log_bessel_i0_scaled(kappa) -
                                     std::log(2.0 * std::numbers::pi);
          const Tensor inside = abs(t) < std::numbers::pi;
          const Tensor density = where(inside, exp(log_density), 0.0);
          pull(0, [&] { return sum_to(g * density, t.shape()); });
          pull(1, [&] { return sum_to(g * density * detail::von_mises_slope(1, t, kappa), kappa.shape()); });
        });
  }
  return map_numbers("von_mises_cdf", 2000.0, kernels::von_mises_cdf, t, kappa);
}

}  // namespace likely
