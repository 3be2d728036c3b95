#include "likely/ops/reparameterize.hpp"

#include <cmath>
#include <numbers>

#include "likely/autodiff/tape.hpp"
#include "likely/kernels/random/variates.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/rng_draws.hpp"
#include "likely/ops/special_slopes.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::checked_parameters;
using detail::fill_floating;
using detail::for_each_element;
using kernels::ElementSource;
using kernels::RandomKey;

namespace {

bool positive(double x) { return x > 0.0 && std::isfinite(x); }
bool not_negative(double x) { return x >= 0.0 && std::isfinite(x); }

Tensor floating(const Tensor& x) { return is_floating(x.dtype()) ? x : cast(x, DType::f32); }

// Numbers drawn with these parameters, as functions of them.
Tensor moved_log_gamma(const Tensor& drawn, const Tensor& alpha) {
  if (Tape* tape = recording_tape(alpha)) {
    const Tensor a = tape->below(alpha);
    const Tensor y = moved_log_gamma(drawn, a);
    return tape->record("random_log_gamma", y, {&alpha}, [a, y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return -(g * detail::gamma_slope(1, a, y)); });
    });
  }
  return drawn;
}

Tensor moved_logit_beta(const Tensor& drawn, const Tensor& alpha, const Tensor& beta) {
  if (Tape* tape = recording_tape(alpha, beta)) {
    const Tensor a = tape->below(alpha);
    const Tensor b = tape->below(beta);
    const Tensor y = moved_logit_beta(drawn, a, b);
    return tape->record("random_logit_beta", y, {&alpha, &beta}, [a, b, y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return -(g * detail::beta_slope(1, 0, a, b, y)); });
      pull(1, [&] { return -(g * detail::beta_slope(0, 1, a, b, y)); });
    });
  }
  return drawn;
}

Tensor moved_von_mises(const Tensor& drawn, const Tensor& kappa) {
  if (Tape* tape = recording_tape(kappa)) {
    const Tensor k = tape->below(kappa);
    const Tensor y = moved_von_mises(drawn, k);
    return tape->record("random_von_mises", y, {&kappa}, [k, y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return -(g * detail::von_mises_slope(1, y, k)); });
    });
  }
  return drawn;
}

// Best and Fisher (1979): the wrapped Cauchy law as an envelope.
double von_mises_by_wrapped_cauchy(double kappa, ElementSource& source) {
  const double tau = 1.0 + std::sqrt(1.0 + 4.0 * kappa * kappa);
  const double rho = (tau - std::sqrt(2.0 * tau)) / (2.0 * kappa);
  const double r = (1.0 + rho * rho) / (2.0 * rho);
  while (true) {
    const double z = std::cos(std::numbers::pi * source.uniform());
    const double cosine = (1.0 + r * z) / (r + z);
    const double c = kappa * (r - cosine);
    const double u = source.uniform();
    if (c * (2.0 - c) > u || std::log(c / u) + 1.0 >= c) {
      const double angle = std::acos(std::clamp(cosine, -1.0, 1.0));
      return source.uniform() < 0.5 ? -angle : angle;
    }
  }
}

// y = 2 sin(t / 2) has the density e^(-kappa y^2 / 2) / sqrt(1 - y^2 / 4), nearly normal for large kappa.
// With q = y^2 / 4 the ratio to a normal law of precision kappa - 1/2 is e^-q / sqrt(1 - q), at most 1 for q
// < 0.79; what lies beyond has a probability below e^(-1.4 kappa).
double von_mises_by_normal(double kappa, ElementSource& source) {
  while (true) {
    const double y = source.normal() / std::sqrt(kappa - 0.5);
    const double q = 0.25 * y * y;
    if (q < 0.7 && std::log(source.uniform()) < -q - 0.5 * std::log1p(-q)) return 2.0 * std::asin(0.5 * y);
  }
}

double von_mises_variate(double kappa, ElementSource& source) {
  if (kappa > 100.0) return von_mises_by_normal(kappa, source);
  if (kappa < 1e-7) return std::numbers::pi * (2.0 * source.uniform() - 1.0);
  return von_mises_by_wrapped_cauchy(kappa, source);
}

}  // namespace

Tensor random_log_gamma(Rng rng, const Tensor& alpha) {
  const Tensor parameter = floating(alpha);
  const Tensor values =
      checked_parameters("random_log_gamma", "alpha must be finite and above 0", parameter, positive);
  const double* a = values.data<double>();
  const RandomKey key = rng.draw();
  const Tensor drawn = fill_floating("random_log_gamma", parameter.shape(), parameter.dtype(),
                                     [&]<class T>(T* out, std::int64_t n) {
                                       for_each_element(n, 150.0, [=](std::int64_t i) {
                                         ElementSource source(key, i);
                                         out[i] = static_cast<T>(kernels::log_gamma_variate(a[i], source));
                                       });
                                     });
  return moved_log_gamma(drawn, parameter);
}

Tensor random_logit_beta(Rng rng, const Tensor& alpha, const Tensor& beta) {
  const Shape shape = broadcast_shapes("random_logit_beta", alpha.shape(), beta.shape());
  const DType dtype = promote(floating(alpha).dtype(), floating(beta).dtype());
  const Tensor first = expand(cast(alpha, dtype), shape);
  const Tensor second = expand(cast(beta, dtype), shape);
  const Tensor values_a =
      checked_parameters("random_logit_beta", "alpha must be finite and above 0", first, positive);
  const Tensor values_b =
      checked_parameters("random_logit_beta", "beta must be finite and above 0", second, positive);
  const double* a = values_a.data<double>();
  const double* b = values_b.data<double>();
  const RandomKey key = rng.draw();
  const Tensor drawn = fill_floating("random_logit_beta", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    for_each_element(n, 300.0, [=](std::int64_t i) {
      ElementSource source(key, i);
      const double log_a = kernels::log_gamma_variate(a[i], source);
      out[i] = static_cast<T>(log_a - kernels::log_gamma_variate(b[i], source));
    });
  });
  return moved_logit_beta(drawn, first, second);
}

Tensor random_von_mises(Rng rng, const Tensor& kappa) {
  const Tensor parameter = floating(kappa);
  const Tensor values =
      checked_parameters("random_von_mises", "kappa must be finite and not below 0", parameter, not_negative);
  const double* k = values.data<double>();
  const RandomKey key = rng.draw();
  const Tensor drawn = fill_floating("random_von_mises", parameter.shape(), parameter.dtype(),
                                     [&]<class T>(T* out, std::int64_t n) {
                                       for_each_element(n, 150.0, [=](std::int64_t i) {
                                         ElementSource source(key, i);
                                         out[i] = static_cast<T>(von_mises_variate(k[i], source));
                                       });
                                     });
  return moved_von_mises(drawn, parameter);
}

}  // namespace likely
