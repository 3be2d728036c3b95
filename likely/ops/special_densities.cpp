#include "likely/ops/special_densities.hpp"

#include <type_traits>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/special/density.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/special_map.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

Tensor wide(const Tensor& x) { return x.to(DType::f64); }

// log x - digamma(a) + digamma(a + b), the derivative of the logarithm of the beta density by a. Derivatives
// flow through a, b and x; y is 1 - x.
Tensor beta_score(const Tensor& a, const Tensor& b, const Tensor& x, const Tensor& y) {
  if (Tape* tape = recording_tape(a, b, x)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    const Tensor lower_x = tape->below(x);
    return tape->record("beta_score", beta_score(lower_a, lower_b, lower_x, tape->below(y)), {&a, &b, &x},
                        [a = lower_a, b = lower_b, x = lower_x](const Tensor& g, Pull& pull) {
                          const Tensor both = polygamma(1, a + b);
                          pull(0, [&] { return sum_to(g * (both - polygamma(1, a)), a.shape()); });
                          pull(1, [&] { return sum_to(g * both, b.shape()); });
                          pull(2, [&] { return sum_to(g / x, x.shape()); });
                        });
  }
  const DType dtype = promote(promote(a.dtype(), b.dtype()), x.dtype());
  const Tensor scale = map_numbers("beta_score", 20.0, kernels::beta_score_scale, a, b);
  const Tensor shift = map_numbers("beta_score", 60.0, kernels::beta_score_shift, a, b);
  // Where a is large, x (a + b) / a is near 1, and 1 more than this.
  const Tensor near = (b * x - a * y) / a;
  const Tensor is_far = logical_or(a < kernels::kLargeCount, logical_not(abs(near) < 0.5));
  return cast(where(is_far, log(x * scale), log1p(clip(near, -0.5, 0.5))) + shift, dtype);
}

// The derivative of log_student_t by the degrees of freedom.
Tensor student_t_slope(const Tensor& degrees, const Tensor& z) {
  if (Tape* tape = recording_tape(degrees, z)) {
    const Tensor lower_degrees = tape->below(degrees);
    const Tensor lower_z = tape->below(z);
    return tape->record("student_t_slope", student_t_slope(lower_degrees, lower_z), {&degrees, &z},
                        [v = lower_degrees, z = lower_z](const Tensor& g, Pull& pull) {
                          // With u = z^2 / v: the shares 1 / (1 + u) and u / (1 + u).
                          const Tensor r = z / sqrt(v);
                          const Tensor rest = reciprocal(square(r) + 1.0);
                          const Tensor share = r * log1p_square(1, r) * 0.5;
                          pull(0, [&] {
                            const Tensor bend = (square(share) - share * (rest + 1.0) / v) / v;
                            return sum_to(g * (bend * 0.5 + half_step(2, v * 0.5) * 0.25), v.shape());
                          });
                          pull(1, [&] { return sum_to(g * (z * rest / v) * (rest / v - share), z.shape()); });
                        });
  }
  return map_numbers("student_t_slope", 80.0, kernels::student_t_slope, degrees, z);
}

// A family of functions of one number, each the derivative of the one before.
using Family = double (*)(int order, double x);
template <class Next>
Tensor member_of(const char* name, double nanoseconds, Family family, const Next& next, int order,
                 const Tensor& x) {
  if (order > 4) refuse(name, "derivatives are known up to the fourth");
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record(name, next(order, lower), {&x}, [lower, order, next](const Tensor& g, Pull& pull) {
      pull(0, [&] { return g * next(order + 1, lower); });
    });
  }
  return map_numbers(
      name, nanoseconds, [order, family](double v) { return family(order, v); }, x);
}

}  // namespace

Tensor log_poisson(int order, const Tensor& k, const Tensor& log_t, const Tensor& t) {
  if (Tape* tape = recording_tape(k, log_t)) {
    const Tensor lower_k = tape->below(k);
    const Tensor lower_log = tape->below(log_t);
    const Tensor lower_t = tape->below(t);
    return tape->record(
        "log_poisson", log_poisson(order, lower_k, lower_log, lower_t), {&k, &log_t},
        [order, k = lower_k, log_t = lower_log, t = lower_t](const Tensor& g, Pull& pull) {
          pull(0, [&] {
            return sum_to(g * (order == 0 ? log_poisson(1, k, log_t, t) : -polygamma(1, k + 1.0)), k.shape());
          });
          pull(1, [&] { return sum_to(order == 0 ? g * (k - t) : g, log_t.shape()); });
        });
  }
  const DType dtype = promote(promote(k.dtype(), log_t.dtype()), t.dtype());
  const bool narrow =
      with_floating("log_poisson", dtype, []<class T>(T) { return std::is_same_v<T, float>; });
  const auto rest_of = [&](const double* x, double* out, std::int64_t n) {
    kernels::count_rest(order, narrow, x, out, n);
  };
  const Tensor rest = map_rows("log_poisson", narrow ? 4.0 : 20.0, DType::f64, rest_of, k);
  const auto rows = [&](const double* a, const double* b, const double* c, const double* d, double* out,
                        std::int64_t n) { kernels::log_poisson(order, narrow, a, b, c, d, out, n); };
  return map_rows("log_poisson", 4.0, dtype, rows, k, rest, log_t, t);
}

Tensor rate_of(const Tensor& log_rate, const Tensor& rate) {
  if (Tape* tape = recording_tape(log_rate)) {
    const Tensor y = rate_of(tape->below(log_rate), rate);
    return tape->record("exp", y, {&log_rate},
                        [y](const Tensor& g, Pull& pull) { pull(0, [&] { return g * y; }); });
  }
  return rate;
}

Tensor log_beta_density(const Tensor& a, const Tensor& b, const Tensor& x) {
  if (Tape* tape = recording_tape(a, b, x)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    const Tensor lower_x = tape->below(x);
    return tape->record("log_beta_density", log_beta_density(lower_a, lower_b, lower_x), {&a, &b, &x},
                        [a = lower_a, b = lower_b, x = lower_x](const Tensor& g, Pull& pull) {
                          const Tensor y = 1.0 - x;
                          pull(0, [&] { return sum_to(g * beta_score(a, b, x, y), a.shape()); });
                          pull(1, [&] { return sum_to(g * beta_score(b, a, y, x), b.shape()); });
                          pull(2, [&] { return sum_to(g * ((a - 1.0) / x - (b - 1.0) / y), x.shape()); });
                        });
  }
  const DType dtype = promote(promote(a.dtype(), b.dtype()), x.dtype());
  const Tensor rest = map_numbers("log_beta_density", 60.0, kernels::beta_rest, wide(a), wide(b));
  const auto rows = [](const double* p, const double* q, const double* r, const double* s, double* out,
                       std::int64_t n) { kernels::log_beta_density(p, q, r, s, out, n); };
  return map_rows("log_beta_density", 8.0, dtype, rows, a, b, rest, x);
}

Tensor log_student_t(const Tensor& degrees, const Tensor& z) {
  if (Tape* tape = recording_tape(degrees, z)) {
    const Tensor lower_degrees = tape->below(degrees);
    const Tensor lower_z = tape->below(z);
    return tape->record("log_student_t", log_student_t(lower_degrees, lower_z), {&degrees, &z},
                        [v = lower_degrees, z = lower_z](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return sum_to(g * student_t_slope(v, z), v.shape()); });
                          pull(1, [&] {
                            const Tensor root = sqrt(v);
                            const Tensor steep = (v + 1.0) / root * -0.5;
                            return sum_to(g * steep * log1p_square(1, z / root), z.shape());
                          });
                        });
  }
  return log1p_square(0, z / sqrt(degrees)) * ((degrees + 1.0) * -0.5) + half_step(0, degrees * 0.5);
}

Tensor log_gap(const Tensor& a, const Tensor& b) {
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    return tape->record("log_gap", log_gap(lower_a, lower_b), {&a, &b},
                        [a = lower_a, b = lower_b](const Tensor& g, Pull& pull) {
                          const Tensor growth = (a - b) / b;
                          pull(0, [&] { return sum_to(g * (growth / a), a.shape()); });
                          pull(1, [&] { return sum_to(-g * (growth / b), b.shape()); });
                        });
  }
  const auto rows = [](const double* x, const double* y, double* out, std::int64_t n) {
    kernels::log_gap(x, y, out, n);
  };
  return map_rows("log_gap", 4.0, promote(a.dtype(), b.dtype()), rows, a, b);
}

Tensor deviance(const Tensor& k, const Tensor& a, const Tensor& s, const Tensor& t) {
  if (Tape* tape = recording_tape(k, a, s, t)) {
    const Tensor lower_k = tape->below(k);
    const Tensor lower_a = tape->below(a);
    const Tensor lower_s = tape->below(s);
    const Tensor lower_t = tape->below(t);
    return tape->record(
        "deviance", deviance(lower_k, lower_a, lower_s, lower_t), {&k, &a, &s, &t},
        [k = lower_k, a = lower_a, s = lower_s, t = lower_t](const Tensor& g, Pull& pull) {
          // r = other / k
          const Tensor other = a * (s / t);
          const Tensor slope = g * (other - k);
          pull(0, [&] { return sum_to(g * ((log(k) - log(a)) + (log(t) - log(s))), k.shape()); });
          pull(1, [&] { return sum_to(slope / a, a.shape()); });
          pull(2, [&] { return sum_to(slope / s, s.shape()); });
          pull(3, [&] { return sum_to(-slope / t, t.shape()); });
        });
  }
  const auto number = [](double w, double x, double y, double z) { return kernels::deviance(w, x, y, z); };
  return map_numbers("deviance", 40.0, number, k, a, s, t);
}

Tensor exp_gap(const Tensor& x) {
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record("exp_gap", exp_gap(lower), {&x},
                        [lower](const Tensor& g, Pull& pull) { pull(0, [&] { return g * expm1(lower); }); });
  }
  return map_row("exp_gap", 2.0, kernels::exp_gap_row(x.dtype()), x);
}

Tensor log1p_square(int order, const Tensor& r) {
  if (Tape* tape = recording_tape(r)) {
    const Tensor lower = tape->below(r);
    return tape->record("log1p_square", log1p_square(order, lower), {&r},
                        [order, lower](const Tensor& g, Pull& pull) {
                          pull(0, [&] {
                            if (order == 0) return g * log1p_square(1, lower);
                            const Tensor rest = reciprocal(square(lower) + 1.0);
                            return g * rest * (rest * 4.0 - 2.0);
                          });
                        });
  }
  return map_row("log1p_square", 2.0, kernels::log1p_square_row(order, r.dtype()), r);
}

Tensor gamma_bregman(const Tensor& a, const Tensor& b) {
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    return tape->record(
        "gamma_bregman", gamma_bregman(lower_a, lower_b), {&a, &b},
        [a = lower_a, b = lower_b](const Tensor& g, Pull& pull) {
          pull(0, [&] { return sum_to(g * (a - b) * (polygamma(1, a) - reciprocal(a)), a.shape()); });
          pull(1, [&] { return sum_to(g * ((digamma(b) - log(b)) - (digamma(a) - log(a))), b.shape()); });
        });
  }
  return map_numbers("gamma_bregman", 100.0, kernels::gamma_bregman, a, b);
}

Tensor half_step(int order, const Tensor& h) {
  return member_of("half_step", 100.0, kernels::half_step, half_step, order, h);
}

Tensor gamma_entropy(int order, const Tensor& a) {
  return member_of("gamma_entropy", 60.0, kernels::gamma_entropy, gamma_entropy, order, a);
}

}  // namespace likely::detail
