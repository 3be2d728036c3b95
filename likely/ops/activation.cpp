#include "likely/ops/activation.hpp"

#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/elementwise.hpp"
#include "likely/ops/math.hpp"

namespace likely {

using detail::binary;
using detail::Save;
using detail::unary;
using kernels::Binary;
using kernels::Unary;

namespace {

using T = const Tensor&;

Tensor leaky_relu_gradient(const Tensor& x, const Tensor& g, double slope) {
  return binary("leaky_relu_gradient", Binary::leaky_relu_gradient,
                {nullptr, [](T a, T, T, T gg, double p) { return leaky_relu_gradient(a, gg, p); }}, x, g,
                slope);
}

Tensor elu_gradient(const Tensor& x, const Tensor& g, double alpha) {
  return binary(
      "elu_gradient", Binary::elu_gradient,
      {[](T a, T b, T, T gg, double p) { return where(a > 0.0, 0.0, gg * b * exp(minimum(a, 0.0)) * p); },
       [](T a, T, T, T gg, double p) { return elu_gradient(a, gg, p); }},
      x, g, alpha);
}

Tensor gelu_gradient(const Tensor& x, const Tensor& g) {
  return binary("gelu_gradient", Binary::gelu_gradient,
                {[](T a, T b, T, T gg, double) {
                   const Tensor squared = square(a);
                   const Tensor density =
                       exp(squared * -0.5) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
                   return gg * b * density * (2.0 - squared);
                 },
                 [](T a, T, T, T gg, double) { return gelu_gradient(a, gg); }},
                x, g);
}

Tensor gelu_tanh_gradient(const Tensor& x, const Tensor& g) {
  return binary("gelu_tanh_gradient", Binary::gelu_tanh_gradient,
                {[](T a, T b, T, T gg, double) {
                   // f'' of x (1 + tanh u) / 2 with u = c (x + k x^3).
                   const double c = std::sqrt(2.0 * std::numbers::inv_pi);
                   constexpr double k = 0.044715;
                   const Tensor t = tanh((a + a * square(a) * k) * c);
                   const Tensor slope = (square(a) * (3.0 * k) + 1.0) * c;
                   const Tensor bend = a * (6.0 * k * c);
                   const Tensor rise = 1.0 - square(t);
                   return gg * b * rise * (slope + a * 0.5 * (bend - t * square(slope) * 2.0));
                 },
                 [](T a, T, T, T gg, double) { return gelu_tanh_gradient(a, gg); }},
                x, g);
}

Tensor silu_gradient(const Tensor& x, const Tensor& g) {
  return binary("silu_gradient", Binary::silu_gradient,
                {[](T a, T b, T, T gg, double) {
                   const Tensor s = sigmoid(a);
                   return sigmoid_gradient(s, gg * b) * (a * (1.0 - s * 2.0) + 2.0);
                 },
                 [](T a, T, T, T gg, double) { return silu_gradient(a, gg); }},
                x, g);
}

Tensor hardswish_gradient(const Tensor& x, const Tensor& g) {
  return binary("hardswish_gradient", Binary::hardswish_gradient,
                {[](T a, T b, T, T gg, double) { return where(abs(a) < 3.0, gg * b * (1.0 / 3.0), 0.0); },
                 [](T a, T, T, T gg, double) { return hardswish_gradient(a, gg); }},
                x, g);
}

Tensor softplus_gradient(const Tensor& x, const Tensor& g) {
  return binary("softplus_gradient", Binary::softplus_gradient,
                {[](T a, T b, T, T gg, double) { return sigmoid_gradient(sigmoid(a), gg * b); },
                 [](T a, T, T, T gg, double) { return softplus_gradient(a, gg); }},
                x, g);
}

}  // namespace

Tensor tanh_gradient(const Tensor& y, const Tensor& g) {
  return binary("tanh_gradient", Binary::tanh_gradient,
                {[](T a, T b, T, T gg, double) { return gg * b * a * -2.0; },
                 [](T a, T, T, T gg, double) { return tanh_gradient(a, gg); }},
                y, g);
}

Tensor sigmoid_gradient(const Tensor& y, const Tensor& g) {
  return binary("sigmoid_gradient", Binary::sigmoid_gradient,
                {[](T a, T b, T, T gg, double) { return gg * b * (1.0 - a * 2.0); },
                 [](T a, T, T, T gg, double) { return sigmoid_gradient(a, gg); }},
                y, g);
}

Tensor relu_gradient(const Tensor& x, const Tensor& g) {
  return binary("relu_gradient", Binary::relu_gradient,
                {nullptr, [](T a, T, T, T gg, double) { return relu_gradient(a, gg); }}, x, g);
}

Tensor relu(const Tensor& x) {
  // The output tells as much as the input, and is needed by the next layer anyway.
  return unary(
      "relu", Unary::relu, Save::output, [](T y, T g, double, double) { return relu_gradient(y, g); }, x);
}

Tensor leaky_relu(const Tensor& x, double slope) {
  return unary(
      "leaky_relu", Unary::leaky_relu, Save::input,
      [](T saved, T g, double p, double) { return leaky_relu_gradient(saved, g, p); }, x, slope);
}

Tensor elu(const Tensor& x, double alpha) {
  return unary(
      "elu", Unary::elu, Save::input,
      [](T saved, T g, double p, double) { return elu_gradient(saved, g, p); }, x, alpha);
}

Tensor gelu(const Tensor& x) {
  return unary(
      "gelu", Unary::gelu, Save::input, [](T saved, T g, double, double) { return gelu_gradient(saved, g); },
      x);
}

Tensor gelu_tanh(const Tensor& x) {
  return unary(
      "gelu_tanh", Unary::gelu_tanh, Save::input,
      [](T saved, T g, double, double) { return gelu_tanh_gradient(saved, g); }, x);
}

Tensor silu(const Tensor& x) {
  return unary(
      "silu", Unary::silu, Save::input, [](T saved, T g, double, double) { return silu_gradient(saved, g); },
      x);
}

Tensor hardswish(const Tensor& x) {
  return unary(
      "hardswish", Unary::hardswish, Save::input,
      [](T saved, T g, double, double) { return hardswish_gradient(saved, g); }, x);
}

Tensor sigmoid(const Tensor& x) {
  return unary(
      "sigmoid", Unary::sigmoid, Save::output,
      [](T y, T g, double, double) { return sigmoid_gradient(y, g); }, x);
}

Tensor logsigmoid(const Tensor& x) {
  return unary(
      "logsigmoid", Unary::logsigmoid, Save::input,
      [](T saved, T g, double, double) { return softplus_gradient(-saved, g); }, x);
}

Tensor softplus(const Tensor& x) {
  return unary(
      "softplus", Unary::softplus, Save::input,
      [](T saved, T g, double, double) { return softplus_gradient(saved, g); }, x);
}

Tensor logit(const Tensor& p) { return log(p) - log1p(-p); }

Tensor heaviside(const Tensor& x) { return unary("heaviside", Unary::heaviside, Save::nothing, nullptr, x); }
Tensor rect(const Tensor& x) { return unary("rect", Unary::rect, Save::nothing, nullptr, x); }

}  // namespace likely
