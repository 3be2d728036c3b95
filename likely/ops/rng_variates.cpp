// The draws of Rng that take more than one uniform number, or a table of probabilities.
#include <fmt/format.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/random/variates.hpp"
#include "likely/kernels/softmax/softmax.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/rng_draws.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::checked_parameters;
using detail::fill_floating;
using detail::for_each_element;
using kernels::ElementSource;
using kernels::RandomKey;

namespace {

bool positive(double x) { return x > 0.0 && std::isfinite(x); }

// Whole numbers as parameters make f32 results.
DType result_type(DType parameters) { return is_floating(parameters) ? parameters : DType::f32; }

double lower_tail(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// The index of the first class whose cumulated probability passes u, u in (0, 1).
template <class T>
std::int64_t pick(const T* p, std::int64_t classes, double u) {
  double total = 0.0;
  for (std::int64_t k = 0; k < classes; ++k) total += static_cast<double>(p[k]);
  const double goal = u * total;
  double cumulated = 0.0;
  std::int64_t last = 0;
  for (std::int64_t k = 0; k < classes; ++k) {
    if (p[k] == T{0}) continue;
    last = k;
    cumulated += static_cast<double>(p[k]);
    if (cumulated > goal) break;
  }
  return last;
}

template <class T>
void draw_classes(RandomKey key, const Tensor& logits, Tensor& result) {
  const std::int64_t classes = logits.shape().back();
  const std::int64_t rows = result.size();
  Tensor probabilities = Tensor::uninitialized(logits.shape(), logits.dtype());
  T* p = probabilities.mutable_data<T>();
  const std::int64_t bad = kernels::softmax(logits.data<T>(), p, rows, classes);
  detail::check_bad_row("categorical", "logits", logits.shape(), bad);
  std::int64_t* out = result.mutable_data<std::int64_t>();
  for_each_element(rows, 2.0 * static_cast<double>(classes), [=](std::int64_t row) {
    out[row] = pick(p + row * classes, classes, ElementSource(key, row).uniform());
  });
}

}  // namespace

Tensor Rng::categorical(const Tensor& logits) {
  detail::check_rows("categorical", "logits", logits);
  const Tensor dense = logits.with_track({}).contiguous();
  Tensor result = Tensor::uninitialized(dense.shape().sub(0, dense.rank() - 1), DType::i64);
  detail::with_floating("categorical", dense.dtype(),
                        [&]<class T>(T) { draw_classes<T>(draw(), dense, result); });
  return result;
}

Tensor Rng::truncated_normal(const Shape& shape, double low, double high, double mean, double stddev,
                             DType dtype) {
  if (!positive(stddev)) {
    refuse("truncated_normal", fmt::format("stddev must be finite and above 0, got {}", stddev));
  }
  if (!std::isfinite(mean)) refuse("truncated_normal", fmt::format("mean must be finite, got {}", mean));
  if (!(low < high)) {
    refuse("truncated_normal", fmt::format("low must be below high, got {} and {}", low, high));
  }
  // In the lower tail a double keeps all its digits, so an interval above the mean is mirrored.
  const double sign = low > mean ? -1.0 : 1.0;
  const double a = (sign > 0 ? low - mean : mean - high) / stddev;
  const double b = (sign > 0 ? high - mean : mean - low) / stddev;
  const double from = lower_tail(a);
  const double mass = lower_tail(b) - from;
  if (!(mass > 0.0)) {
    refuse("truncated_normal", fmt::format("no probability between {} and {} for mean {} and stddev {}", low,
                                           high, mean, stddev));
  }
  return fill_floating("truncated_normal", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    const RandomKey key = draw();
    for_each_element(n, 80.0, [=](std::int64_t i) {
      const double p = std::clamp(from + mass * ElementSource(key, i).uniform(), 0x1p-1070, 1.0 - 0x1p-53);
      const double z = -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p);
      out[i] = static_cast<T>(std::clamp(mean + sign * stddev * z, low, high));
    });
  });
}

Tensor Rng::gamma(const Tensor& alpha) {
  const Tensor shape_of_each =
      checked_parameters("gamma", "alpha must be finite and above 0", alpha, positive);
  return fill_floating("gamma", alpha.shape(), result_type(alpha.dtype()),
                       [&]<class T>(T* out, std::int64_t n) {
                         const double* a = shape_of_each.data<double>();
                         const RandomKey key = draw();
                         for_each_element(n, 150.0, [=](std::int64_t i) {
                           ElementSource source(key, i);
                           out[i] = static_cast<T>(std::exp(kernels::log_gamma_variate(a[i], source)));
                         });
                       });
}

Tensor Rng::gamma(const Shape& shape, double alpha, DType dtype) {
  return gamma(constant(shape, alpha, dtype));
}

Tensor Rng::beta(const Tensor& alpha, const Tensor& beta) {
  const Shape shape = broadcast_shapes("beta", alpha.shape(), beta.shape());
  const Tensor first =
      checked_parameters("beta", "alpha must be finite and above 0", expand(alpha, shape), positive);
  const Tensor second =
      checked_parameters("beta", "beta must be finite and above 0", expand(beta, shape), positive);
  const DType dtype = result_type(promote(alpha.dtype(), beta.dtype()));
  return fill_floating("beta", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    const double* a = first.data<double>();
    const double* b = second.data<double>();
    const RandomKey key = draw();
    for_each_element(n, 300.0, [=](std::int64_t i) {
      // G_a / (G_a + G_b), in logarithms: both gamma variates may be too small for a double.
      ElementSource source(key, i);
      const double log_a = kernels::log_gamma_variate(a[i], source);
      const double log_b = kernels::log_gamma_variate(b[i], source);
      out[i] = static_cast<T>(1.0 / (1.0 + std::exp(log_b - log_a)));
    });
  });
}

Tensor Rng::beta(const Shape& shape, double alpha, double beta, DType dtype) {
  return this->beta(constant(shape, alpha, dtype), constant(shape, beta, dtype));
}

Tensor Rng::poisson(const Tensor& rate) {
  const Tensor rates = checked_parameters("poisson", "the rate must lie in [0, 2^53]", rate,
                                          [](double x) { return x >= 0.0 && x <= 0x1p53; });
  Tensor result = Tensor::uninitialized(rate.shape(), DType::i64);
  const double* mean = rates.data<double>();
  std::int64_t* out = result.mutable_data<std::int64_t>();
  const RandomKey key = draw();
  for_each_element(result.size(), 150.0, [=](std::int64_t i) {
    ElementSource source(key, i);
    out[i] = kernels::poisson_variate(mean[i], source);
  });
  return result;
}

Tensor Rng::poisson(const Shape& shape, double rate) { return poisson(constant(shape, rate, DType::f64)); }

}  // namespace likely
