#include "likely/ops/special.hpp"

#include <cmath>
#include <numbers>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"
#include "tests/support/plain_special.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Number;
using plain::Real;
using Arguments = std::vector<Real>;

// f32 to some roundings, since some are composed of several f32 operations; f64 to the 1e-13 that special.hpp
// promises, and its derivatives to about as much.
void add(Ops& ops, const std::string& name, const std::string& declared, const std::vector<Input>& inputs,
         const std::function<Tensor(const Tensors&)>& call, const std::function<Real(const Arguments&)>& f) {
  for (const DType type : {DType::f32, DType::f64}) {
    ops.push_back({.name = name + ", " + std::string(likely::name_of(type)),
                   .declares = {declared},
                   .inputs = inputs,
                   .sizes = {"a=3 b=5", "a=7 b=9"},
                   .call = call,
                   .loop =
                       [f](const Arrays& x) {
                         plain::Extents shape;
                         for (const Array& input : x) shape = plain::broadcast(shape, input.shape);
                         Arrays whole;
                         for (const Array& input : x) whole.push_back(plain::expanded(input, shape));
                         Array y(shape);
                         for (std::int64_t i = 0; i < y.size(); ++i) {
                           plain::Numbers at;
                           for (const Array& input : whole) at.push_back(input[i]);
                           y[i] = plain::apply(f, at);
                         }
                         return y;
                       },
                   .types = {type},
                   .second = false,
                   .same_bits = true,
                   .slack = type == DType::f32 ? 64.0 : 2000.0,
                   .gradient_slack = type == DType::f32 ? 64.0 : 20000.0});
  }
}

void add_one(Ops& ops, const std::string& name, Unary call, double low, double high, Real (*f)(Real)) {
  add(
      ops, name, name + "(Tensor)", {{.axes = "ab", .low = low, .high = high, .draw = Draw::apart}},
      [call](const Tensors& x) { return call(x[0]); }, [f](const Arguments& x) { return f(x[0]); });
}

}  // namespace

Ops special_ops() {
  Ops ops;
  add_one(ops, "normal_cdf", normal_cdf, -4.0, 4.0, plain::normal_cdf);
  add_one(ops, "normal_quantile", normal_quantile, 0.05, 0.95, plain::normal_quantile);
  add_one(ops, "log_bessel_i0", log_bessel_i0, -9.0, 9.0,
          [](Real x) { return std::log(plain::bessel_i(0, x)); });
  add_one(ops, "log_bessel_i0_scaled", log_bessel_i0_scaled, 0.5, 20.0,
          [](Real x) { return std::log(plain::bessel_i(0, x)) - std::abs(x); });
  add_one(ops, "bessel_i1_over_i0", bessel_i1_over_i0, -9.0, 9.0,
          [](Real x) { return plain::bessel_i(1, x) / plain::bessel_i(0, x); });
  add_one(ops, "bessel_ratio_complement", bessel_ratio_complement, 0.5, 9.0,
          [](Real x) { return 1 - plain::bessel_i(1, x) / plain::bessel_i(0, x); });
  add_one(ops, "cauchy_cdf", cauchy_cdf, -4.0, 4.0,
          [](Real x) { return 0.5L + std::atan(x) / std::numbers::pi_v<Real>; });
  add_one(ops, "poisson_entropy", poisson_entropy, 0.3, 20.0, plain::poisson_entropy);
  const Input shape{.axes = "ab", .low = 0.5, .high = 6.0};
  const Input column{.axes = "a1", .low = 0.5, .high = 6.0};
  add(
      ops, "log_beta", "log_beta(Tensor, Tensor)", {shape, column},
      [](const Tensors& x) { return log_beta(x[0], x[1]); },
      [](const Arguments& x) { return std::lgamma(x[0]) + std::lgamma(x[1]) - std::lgamma(x[0] + x[1]); });
  add(
      ops, "gamma_p", "gamma_p(Tensor, Tensor)", {column, shape},
      [](const Tensors& x) { return gamma_p(x[0], x[1]); },
      [](const Arguments& x) { return plain::gamma_p(x[0], x[1]); });
  add(
      ops, "gamma_q", "gamma_q(Tensor, Tensor)", {shape, shape},
      [](const Tensors& x) { return gamma_q(x[0], x[1]); },
      [](const Arguments& x) { return 1 - plain::gamma_p(x[0], x[1]); });
  add(
      ops, "poisson_cdf", "poisson_cdf(Tensor, Tensor)", {constant_input("ab", 0.0, 7.0), column},
      [](const Tensors& x) { return poisson_cdf(x[0], x[1]); },
      [](const Arguments& x) { return 1 - plain::gamma_p(std::floor(x[0]) + 1, x[1]); });
  add(
      ops, "incomplete_beta", "incomplete_beta(Tensor, Tensor, Tensor)",
      {shape, column, {.axes = "b", .low = 0.1, .high = 0.9}},
      [](const Tensors& x) { return incomplete_beta(x[0], x[1], x[2]); },
      [](const Arguments& x) { return plain::incomplete_beta(x[0], x[1], x[2]); });
  add(
      ops, "student_t_cdf", "student_t_cdf(Tensor, Tensor)", {{.axes = "ab", .draw = Draw::apart}, column},
      [](const Tensors& x) { return student_t_cdf(x[0], x[1]); },
      [](const Arguments& x) { return plain::student_t_cdf(x[0], x[1]); });
  add(
      ops, "von_mises_cdf", "von_mises_cdf(Tensor, Tensor)",
      {{.axes = "ab", .low = -3.0, .high = 3.0}, column},
      [](const Tensors& x) { return von_mises_cdf(x[0], x[1]); },
      [](const Arguments& x) { return plain::von_mises_cdf(x[0], x[1]); });
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Special, OpProperties, ::testing::ValuesIn(special_ops()), name_of_op);

}  // namespace likely::testing
