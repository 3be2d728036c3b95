#include "likely/ops/math.hpp"

#include <numbers>

#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/elementwise.hpp"

namespace likely {

using detail::Save;
using detail::unary;
using kernels::Unary;

namespace {
using T = const Tensor&;
constexpr double kTwoOverSqrtPi = 2.0 * std::numbers::inv_sqrtpi;
}  // namespace

Tensor sqrt(const Tensor& x) {
  return unary(
      "sqrt", Unary::sqrt, Save::output, [](T y, T g, double, double) { return g / (y * 2.0); }, x);
}

Tensor rsqrt(const Tensor& x) {
  return unary(
      "rsqrt", Unary::rsqrt, Save::output,
      [](T y, T g, double, double) { return g * (y * square(y)) * -0.5; }, x);
}

Tensor exp(const Tensor& x) {
  return unary(
      "exp", Unary::exp, Save::output, [](T y, T g, double, double) { return g * y; }, x);
}

Tensor expm1(const Tensor& x) {
  return unary(
      "expm1", Unary::expm1, Save::output, [](T y, T g, double, double) { return g * (y + 1.0); }, x);
}

Tensor log(const Tensor& x) {
  return unary(
      "log", Unary::log, Save::input, [](T saved, T g, double, double) { return g / saved; }, x);
}

Tensor log1p(const Tensor& x) {
  return unary(
      "log1p", Unary::log1p, Save::input, [](T saved, T g, double, double) { return g / (saved + 1.0); }, x);
}

Tensor sin(const Tensor& x) {
  return unary(
      "sin", Unary::sin, Save::input, [](T saved, T g, double, double) { return g * cos(saved); }, x);
}

Tensor cos(const Tensor& x) {
  return unary(
      "cos", Unary::cos, Save::input, [](T saved, T g, double, double) { return -(g * sin(saved)); }, x);
}

Tensor tanh(const Tensor& x) {
  return unary(
      "tanh", Unary::tanh, Save::output, [](T y, T g, double, double) { return tanh_gradient(y, g); }, x);
}

Tensor erf(const Tensor& x) {
  return unary(
      "erf", Unary::erf, Save::input,
      [](T saved, T g, double, double) { return g * exp(-square(saved)) * kTwoOverSqrtPi; }, x);
}

Tensor erfc(const Tensor& x) {
  return unary(
      "erfc", Unary::erfc, Save::input,
      [](T saved, T g, double, double) { return g * exp(-square(saved)) * -kTwoOverSqrtPi; }, x);
}

Tensor lgamma(const Tensor& x) {
  return unary(
      "lgamma", Unary::lgamma, Save::input, [](T saved, T g, double, double) { return g * digamma(saved); },
      x);
}

Tensor digamma(const Tensor& x) {
  return unary(
      "digamma", Unary::digamma, Save::input,
      [](T saved, T g, double, double) { return g * polygamma(1, saved); }, x);
}

Tensor polygamma(int order, const Tensor& x) {
  if (order < 0) refuse("polygamma", "the order must not be negative, got " + std::to_string(order));
  if (order == 0) return digamma(x);
  return unary(
      "polygamma", order == 1 ? Unary::trigamma : Unary::polygamma, Save::input,
      [](T saved, T g, double, double q) { return g * polygamma(static_cast<int>(q) + 1, saved); }, x, 0.0,
      order);
}

}  // namespace likely
