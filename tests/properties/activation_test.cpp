#include "likely/ops/activation.hpp"

#include <cmath>
#include <numbers>

#include "likely/ops/linear.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Real;

PlainUnary smooth(Real (*f)(Real)) {
  return [f](const Number& x) { return plain::apply(f, x); };
}

Real sigmoid_of(Real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
Real softplus_of(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
Real normal_cdf_of(Real x) { return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<Real>); }
Real tanh_cdf_of(Real x) {
  return (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<Real>) * (x + 0.044715L * x * x * x))) / 2;
}

// x f(x), where f falls to 0 faster than x can rise.
PlainUnary times_itself(Real (*f)(Real)) {
  return [f](const Number& x) {
    return std::isinf(x.value) ? Number(x.value > 0 ? x.value : 0) : x * plain::apply(f, x);
  };
}

Number relu_of(const Number& x) { return x.value > 0 || std::isnan(x.value) ? x : Number(0); }

Op option(Op op, const std::string& declared) {
  op.declares = {declared};
  return op;
}

PlainUnary plain_activation(Activation activation) {
  switch (activation) {
    case Activation::none: return [](const Number& x) { return x; };
    case Activation::relu: return relu_of;
    case Activation::tanh: return smooth(std::tanh);
    case Activation::sigmoid: return smooth(sigmoid_of);
    case Activation::gelu: return times_itself(normal_cdf_of);
    case Activation::silu: return times_itself(sigmoid_of);
  }
  return {};
}

}  // namespace

Ops activation_ops() {
  Ops ops = {
      unary_op("relu", relu, relu_of),
      option(unary_op(
                 "leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.125); },
                 [](const Number& x) { return x.value > 0 ? x : x * Number(0.125L); }),
             "leaky_relu(Tensor, number)"),
      option(unary_op(
                 "elu", [](const Tensor& x) { return elu(x, 1.5); },
                 [](const Number& x) {
                   return x.value > 0 ? x : plain::apply([](Real y) { return 1.5L * std::expm1(y); }, x);
                 }),
             "elu(Tensor, number)"),
      unary_op("gelu", gelu, times_itself(normal_cdf_of)),
      unary_op("gelu_tanh", gelu_tanh, times_itself(tanh_cdf_of)),
      unary_op("silu", silu, times_itself(sigmoid_of)),
      unary_op(
          "hardswish", hardswish,
          [](const Number& x) {
            if (x.value < -3) return Number(0);
            return x.value > 3 ? x : x * (x + Number(3)) / Number(6);
          },
          -4.0, 4.0),
      unary_op("sigmoid", sigmoid, smooth(sigmoid_of)),
      unary_op("logsigmoid", logsigmoid, smooth([](Real x) { return -softplus_of(-x); })),
      unary_op("softplus", softplus, smooth(softplus_of)),
      unary_op(
          "logit", logit, [](const Number& p) { return log(p) - log(Number(1) - p); }, 0.02, 0.98),
      unary_op("heaviside", heaviside,
               [](const Number& x) {
                 return x.value != x.value ? Number(x.value) : Number(x.value >= 0 ? 1 : 0);
               }),
      unary_op("rect", rect,
               [](const Number& x) {
                 return x.value != x.value ? Number(x.value) : Number(x.value >= 0 && x.value <= 1 ? 1 : 0);
               }),
      binary_op(
          "tanh_gradient", tanh_gradient,
          [](const Number& y, const Number& g) { return g * (Number(1) - y * y); }, -0.9, 0.9),
      binary_op(
          "sigmoid_gradient", sigmoid_gradient,
          [](const Number& y, const Number& g) { return g * y * (Number(1) - y); }, 0.1, 0.9),
      binary_op("relu_gradient", relu_gradient,
                [](const Number& x, const Number& g) { return x.value > 0 ? g : Number(0); }),
  };
  for (const Activation activation : {Activation::none, Activation::relu, Activation::tanh,
                                      Activation::sigmoid, Activation::gelu, Activation::silu}) {
    Op op = unary_op(
        "activate with " + std::string(name_of(activation)),
        [activation](const Tensor& x) { return activate(x, activation); }, plain_activation(activation));
    op.declares = {"activate(Tensor, Activation)", "name_of(Activation)"};
    op.sizes = kElementSizes;
    op.specials = false;
    ops.push_back(op);
  }
  for (Op& op : ops) {
    if (op.name == "relu") op.sizes = kManyElementSizes;
    // Their first argument is a value of tanh or sigmoid, never large.
    if (op.name == "tanh_gradient" || op.name == "sigmoid_gradient") op.specials = false;
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Activation, OpProperties, ::testing::ValuesIn(activation_ops()), name_of_op);

}  // namespace likely::testing
