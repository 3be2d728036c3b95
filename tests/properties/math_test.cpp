#include "likely/ops/math.hpp"

#include <cmath>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Real;

PlainUnary smooth(Real (*f)(Real)) {
  return [f](const Number& x) { return plain::apply(f, x); };
}

// The derivatives of log Gamma by their series after a shift: independent of any library.
Real polygamma_series(int order, Real x) {
  Real total = 0;
  Real factorial = 1;  // of the order
  for (int i = 2; i <= order; ++i) factorial *= i;
  const Real sign = order % 2 == 0 ? -1 : 1;
  for (; x < 30; x += 1) total += order == 0 ? -1 / x : sign * factorial / std::pow(x, Real(order + 1));
  static constexpr Real kBernoulli[] = {1.0L / 6,       -1.0L / 30,      1.0L / 42, -1.0L / 30,
                                        5.0L / 66,      -691.0L / 2730,  7.0L / 6,  -3617.0L / 510,
                                        43867.0L / 798, -174611.0L / 330};
  if (order == 0) {
    total += std::log(x) - 1 / (2 * x);
    for (int k = 1; k <= 10; ++k) total -= kBernoulli[k - 1] / (2 * k * std::pow(x, Real(2 * k)));
    return total;
  }
  total +=
      sign * (factorial / order / std::pow(x, Real(order)) + factorial / (2 * std::pow(x, Real(order + 1))));
  for (int k = 1; k <= 10; ++k) {
    Real ratio = 1;  // (2k + order - 1)! / (2k)!
    for (int i = 2 * k + 1; i <= 2 * k + order - 1; ++i) ratio *= i;
    total += sign * kBernoulli[k - 1] * ratio / std::pow(x, Real(2 * k + order));
  }
  return total;
}

Op gamma_op(const std::string& name, std::function<Tensor(const Tensor&)> call, const PlainUnary& loop) {
  Op op = unary_op(name, std::move(call), loop, 0.3, 9.0);
  op.specials = false;
  op.sizes = kElementSizes;
  // Computed by a recurrence and an asymptotic series.
  op.slack = 128;
  op.gradient_slack = 128;
  return op;
}

}  // namespace

Ops math_ops() {
  Ops ops = {
      unary_op("sqrt", likely::sqrt, smooth(std::sqrt), 0.1, 4.0),
      unary_op("rsqrt", rsqrt, smooth([](Real x) { return 1 / std::sqrt(x); }), 0.1, 4.0),
      unary_op("exp", likely::exp, smooth(std::exp), -5.0, 5.0),
      unary_op("expm1", likely::expm1, smooth(std::expm1), -3.0, 3.0),
      unary_op("log", likely::log, smooth(std::log), 0.1, 5.0),
      unary_op("log1p", likely::log1p, smooth(std::log1p), -0.8, 3.0),
      unary_op("sin", likely::sin, smooth(std::sin), -9.0, 9.0),
      unary_op("cos", likely::cos, smooth(std::cos), -9.0, 9.0),
      unary_op("tanh", likely::tanh, smooth(std::tanh)),
      unary_op("erf", likely::erf, smooth(std::erf)),
      unary_op("erfc", likely::erfc, smooth(std::erfc)),
      gamma_op("lgamma", likely::lgamma, smooth(std::lgamma)),
      gamma_op("digamma", digamma, smooth([](Real x) { return polygamma_series(0, x); })),
      gamma_op(
          "polygamma of order 1", [](const Tensor& x) { return polygamma(1, x); },
          smooth([](Real x) { return polygamma_series(1, x); })),
      gamma_op(
          "polygamma of order 3", [](const Tensor& x) { return polygamma(3, x); },
          smooth([](Real x) { return polygamma_series(3, x); })),
  };
  ops[ops.size() - 2].declares = ops.back().declares = {"polygamma(int, Tensor)"};
  // Whole numbers become f32.
  for (const auto& [name, call, f] :
       {std::tuple<std::string, Unary, Real (*)(Real)>{"exp", likely::exp, std::exp},
        {"sin", likely::sin, std::sin}}) {
    Op whole = unary_op(name, call, smooth(f));
    whole.name += ", whole numbers";
    whole.types = {DType::i64, DType::boolean};
    whole.result = ResultType::floating;
    ops.push_back(whole);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Math, OpProperties, ::testing::ValuesIn(math_ops()), name_of_op);

}  // namespace likely::testing
