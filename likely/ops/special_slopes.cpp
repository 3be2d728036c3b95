#include "likely/ops/special_slopes.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/kernels/special/bessel.hpp"
#include "likely/kernels/special/incomplete.hpp"
#include "likely/kernels/special/poisson.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_map.hpp"

// For a law with density p(x; theta) and H_n = (d/dtheta)^n F / p:
//   d H_n / dx     = (d/dtheta)^n p / p - H_n d/dx log p
//   d H_n / dtheta = H_(n+1) - H_n d/dtheta log p
namespace likely::detail {

namespace {

void check_order(const char* name, int order) {
  if (order > 2) refuse(name, "derivatives by the parameters are known up to the second");
}

}  // namespace

Tensor log_bessel(int order, const Tensor& x, bool scaled) {
  if (order > 4) refuse("log_bessel_i0", "derivatives are known up to the fourth");
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record("log_bessel_i0", log_bessel(order, lower, scaled), {&x},
                        [lower, order, scaled](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return g * log_bessel(order + 1, lower, scaled); });
                        });
  }
  const double nanoseconds = order < 2 ? 50.0 : 5000.0;
  return map_numbers(
      "log_bessel_i0", nanoseconds,
      [order, scaled](double v) {
        return scaled ? kernels::log_bessel_i0_scaled(order, v) : kernels::log_bessel_i0(order, v);
      },
      x);
}

Tensor poisson_entropy(int order, const Tensor& rate) {
  if (order > 4) refuse("poisson_entropy", "derivatives are known up to the fourth");
  if (Tape* tape = recording_tape(rate)) {
    const Tensor lower = tape->below(rate);
    return tape->record("poisson_entropy", poisson_entropy(order, lower), {&rate},
                        [lower, order](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return g * poisson_entropy(order + 1, lower); });
                        });
  }
  return map_numbers(
      "poisson_entropy", 2000.0, [order](double v) { return kernels::poisson_entropy(order, v); }, rate);
}

Tensor gamma_slope(int order, const Tensor& a, const Tensor& log_x) {
  check_order("gamma_p", order);
  if (Tape* tape = recording_tape(a, log_x)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_x = tape->below(log_x);
    const Tensor h = gamma_slope(order, lower_a, lower_x);
    return tape->record(
        "gamma_slope", h, {&a, &log_x},
        [order, h, a = lower_a, log_x = lower_x](const Tensor& g, Pull& pull) {
          const Tensor score = log_x - digamma(a);
          pull(0, [&] { return sum_to(g * (gamma_slope(order + 1, a, log_x) - h * score), a.shape()); });
          pull(1, [&] {
            const Tensor p = order == 1 ? score : square(score) - polygamma(1, a);
            return sum_to(g * (p - h * (a - exp(log_x))), log_x.shape());
          });
        });
  }
  return map_numbers(
      "gamma_slope", 500.0, [order](double v, double w) { return kernels::gamma_slope(order, v, w); }, a,
      log_x);
}

Tensor beta_slope(int by_a, int by_b, const Tensor& a, const Tensor& b, const Tensor& u) {
  check_order("incomplete_beta", by_a + by_b);
  if (Tape* tape = recording_tape(a, b, u)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    const Tensor lower_u = tape->below(u);
    const Tensor h = beta_slope(by_a, by_b, lower_a, lower_b, lower_u);
    return tape->record(
        "beta_slope", h, {&a, &b, &u},
        [by_a, by_b, h, a = lower_a, b = lower_b, u = lower_u](const Tensor& g, Pull& pull) {
          const Tensor both = digamma(a + b);
          const Tensor score_a = logsigmoid(u) - digamma(a) + both;
          const Tensor score_b = logsigmoid(-u) - digamma(b) + both;
          pull(0, [&] { return sum_to(g * (beta_slope(by_a + 1, by_b, a, b, u) - h * score_a), a.shape()); });
          pull(1, [&] { return sum_to(g * (beta_slope(by_a, by_b + 1, a, b, u) - h * score_b), b.shape()); });
          pull(2, [&] {
            Tensor p = by_a > 0 ? score_a : score_b;
            if (by_a + by_b == 2) {
              const Tensor curve = polygamma(1, a + b);
              p = by_a == 2   ? square(score_a) + curve - polygamma(1, a)
                  : by_b == 2 ? square(score_b) + curve - polygamma(1, b)
                              : score_a * score_b + curve;
            }
            return sum_to(g * (p - h * (a - (a + b) * sigmoid(u))), u.shape());
          });
        });
  }
  return map_numbers(
      "beta_slope", 2000.0,
      [by_a, by_b](double v, double w, double x) { return kernels::beta_slope(by_a, by_b, v, w, x); }, a, b,
      u);
}

Tensor von_mises_slope(int order, const Tensor& t, const Tensor& kappa) {
  check_order("von_mises_cdf", order);
  if (Tape* tape = recording_tape(t, kappa)) {
    const Tensor lower_t = tape->below(t);
    const Tensor lower_kappa = tape->below(kappa);
    const Tensor h = von_mises_slope(order, lower_t, lower_kappa);
    return tape->record(
        "von_mises_slope", h, {&t, &kappa},
        [order, h, t = lower_t, kappa = lower_kappa](const Tensor& g, Pull& pull) {
          const Tensor ratio = bessel_i1_over_i0(kappa);
          const Tensor score = cos(t) - ratio;
          pull(0, [&] {
            const Tensor p = order == 1 ? score : square(score) - log_bessel(2, kappa);
            return sum_to(g * (p + h * kappa * sin(t)), t.shape());
          });
          pull(1,
               [&] { return sum_to(g * (von_mises_slope(order + 1, t, kappa) - h * score), kappa.shape()); });
        });
  }
  return map_numbers(
      "von_mises_slope", 5000.0,
      [order](double v, double w) { return kernels::von_mises_slope(order, v, w); }, t, kappa);
}

}  // namespace likely::detail
