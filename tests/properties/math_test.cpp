#include "likely/ops/math.hpp"

#include <cmath>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"
#include "tests/support/plain_special.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Real;

PlainUnary smooth(Real (*f)(Real)) {
  return [f](const Number& x) { return plain::apply(f, x); };
}

Op gamma_op(const std::string& name, std::function<Tensor(const Tensor&)> call, const PlainUnary& loop) {
  Op op = unary_op(name, std::move(call), loop, 0.3, 9.0);
  op.specials = false;
  op.sizes = {"a=7 b=13", "a=3 b=21"};
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
      gamma_op("digamma", digamma, smooth([](Real x) { return plain::polygamma(0, x); })),
      gamma_op(
          "polygamma of order 1", [](const Tensor& x) { return polygamma(1, x); },
          smooth([](Real x) { return plain::polygamma(1, x); })),
      gamma_op(
          "polygamma of order 3", [](const Tensor& x) { return polygamma(3, x); },
          smooth([](Real x) { return plain::polygamma(3, x); })),
  };
  for (Op& op : ops) {
    if (op.name == "erfc") op.slack = 16;  // without fused products
  }
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
