#include "likely/ops/math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Function {
  const char* name;
  Tensor (*f)(const Tensor&);
  double (*expected)(double);
  bool positive;  // whether it needs positive arguments
};

const Function kFunctions[] = {
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, true},
    {"rsqrt", rsqrt, [](double x) { return 1.0 / std::sqrt(x); }, true},
    {"exp", exp, [](double x) { return std::exp(x); }, false},
    {"expm1", expm1, [](double x) { return std::expm1(x); }, false},
    {"log", log, [](double x) { return std::log(x); }, true},
    {"log1p", log1p, [](double x) { return std::log1p(x); }, true},
    {"sin", sin, [](double x) { return std::sin(x); }, false},
    {"cos", cos, [](double x) { return std::cos(x); }, false},
    {"tanh", tanh, [](double x) { return std::tanh(x); }, false},
    {"erf", erf, [](double x) { return std::erf(x); }, false},
    {"erfc", erfc, [](double x) { return std::erfc(x); }, false},
    {"lgamma", lgamma, [](double x) { return std::lgamma(x); }, true},
};

Tensor positive(const Shape& shape) { return numbers(shape, 0.9) + 1.3; }

TEST(Math, Gradients) {
  for (const Function& c : kFunctions) {
    const auto f = [&](In x) { return c.f(x[0]); };
    const auto at = [&](const Shape& shape) { return c.positive ? positive(shape) : numbers(shape, 1.7); };
    check_gradients(c.name, f, {at({2, 3})});
    check_gradients(c.name, f, {at({})});
    check_gradients(c.name, f, {at({1})});
    check_gradients(c.name, f, {at({3, 0})});
    check_gradients(c.name, [&](In x) { return c.f(transpose(x[0])); }, {at({2, 3})});
    check_gradients(c.name, [&](In x) { return c.f(slice(x[0], 0, {.step = -2})); }, {at({5})});
  }
  check_gradients("digamma", [](In x) { return digamma(x[0]); }, {positive({2, 3})});
  for (const int order : {0, 1, 2, 3}) {
    check_gradients("polygamma", [&](In x) { return polygamma(order, x[0]); }, {positive({4})},
                    {.tolerance = 1e-5});
  }
}

TEST(Math, ValuesAgainstTheStandardLibrary) {
  for (const Function& c : kFunctions) {
    std::vector<double> points;
    for (double x = c.positive ? 0.01 : -8.0; x < 8.0; x += 0.137) points.push_back(x);
    const std::vector<double> wide = c.f(tensor(points)).to_vector<double>();
    const std::vector<double> narrow = c.f(tensor(points).to(DType::f32)).to_vector<double>();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double expected = c.expected(points[i]);
      EXPECT_NEAR(wide[i], expected, 1e-13 * std::max(1.0, std::abs(expected))) << c.name << points[i];
      const double rounded = c.expected(static_cast<float>(points[i]));
      EXPECT_NEAR(narrow[i], rounded, 2e-6 * std::max(1.0, std::abs(rounded))) << c.name << points[i];
    }
  }
}

TEST(Math, EdgesOfTheRange) {
  struct Edge {
    const char* name;
    Tensor (*f)(const Tensor&);
    std::vector<std::pair<double, double>> values;
  };
  const std::vector<Edge> edges = {
      {"exp", exp, {{0, 1}, {-kInf, 0}, {kInf, kInf}, {1e4, kInf}, {-1e4, 0}, {kNan, kNan}}},
      {"expm1", expm1, {{0, 0}, {-kInf, -1}, {kInf, kInf}, {-100, -1}}},
      {"log", log, {{0, -kInf}, {1, 0}, {kInf, kInf}, {-1, kNan}, {kNan, kNan}}},
      {"log1p", log1p, {{0, 0}, {-1, -kInf}, {-2, kNan}, {kInf, kInf}}},
      {"sqrt", sqrt, {{0, 0}, {kInf, kInf}, {-1, kNan}}},
      {"rsqrt", rsqrt, {{0, kInf}, {kInf, 0}, {-1, kNan}, {4, 0.5}}},
      {"tanh", tanh, {{0, 0}, {100, 1}, {-1e4, -1}, {kInf, 1}, {-kInf, -1}, {kNan, kNan}}},
      {"erf", erf, {{0, 0}, {100, 1}, {-100, -1}, {kInf, 1}}},
      {"erfc", erfc, {{0, 1}, {100, 0}, {-100, 2}, {-kInf, 2}}},
      {"sin", sin, {{0, 0}, {kInf, kNan}}},
      {"cos", cos, {{0, 1}, {-kInf, kNan}}},
      {"lgamma", lgamma, {{0, kInf}, {-1, kInf}, {kInf, kInf}}},
      {"digamma", digamma, {{0, kNan}, {-1, kNan}, {-3, kNan}, {kInf, kInf}}},
  };
  for (const Edge& edge : edges) {
    for (const auto& [x, y] : edge.values) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        const double result = edge.f(full({3}, x, dtype)).at({1});
        if (std::isnan(y)) {
          EXPECT_TRUE(std::isnan(result)) << edge.name << "(" << x << ") = " << result;
        } else {
          EXPECT_EQ(result, y) << edge.name << "(" << x << ")";
        }
      }
    }
  }
}

TEST(Math, SmallArgumentsKeepTheirDigits) {
  EXPECT_NEAR(expm1(tensor(1e-10, DType::f64)).item(), 1e-10, 1e-19);
  EXPECT_NEAR(log1p(tensor(1e-10, DType::f64)).item(), 1e-10, 1e-19);
  EXPECT_NEAR(expm1(tensor(1e-6)).item(), 1.0000005e-6, 1e-12);
  EXPECT_NEAR(erfc(tensor(5.0, DType::f64)).item(), 1.5374597944280349e-12, 1e-24);
}

TEST(Math, SlopesAtTheEnds) {
  const auto slope = [](Tensor (*f)(const Tensor&), double at) {
    return grad(tensor({at}, DType::f64), [&](const Tensor& x) { return sum(f(x)); }).item();
  };
  EXPECT_EQ(slope(sqrt, 0.0), kInf);
  EXPECT_EQ(slope(log, 0.0), kInf);
  EXPECT_EQ(slope(tanh, 1e4), 0.0);
  EXPECT_EQ(slope(exp, -1e4), 0.0);
  EXPECT_EQ(slope(erf, 100.0), 0.0);
  EXPECT_NEAR(slope(lgamma, 1.0), -0.57721566490153286, 1e-14);
}

TEST(Math, KnownDerivativesOfLogGamma) {
  const double pi = 3.14159265358979323846;
  EXPECT_EQ(lgamma(tensor(1.0, DType::f64)).item(), 0.0);
  EXPECT_EQ(lgamma(tensor(2.0, DType::f64)).item(), 0.0);
  EXPECT_NEAR(digamma(tensor(0.5, DType::f64)).item(), -1.9635100260214235, 1e-13);
  EXPECT_NEAR(polygamma(1, tensor(1.0, DType::f64)).item(), pi * pi / 6, 1e-13);
  EXPECT_NEAR(polygamma(2, tensor(1.0, DType::f64)).item(), -2.4041138063191885, 1e-12);
  EXPECT_NEAR(polygamma(3, tensor(1.0, DType::f64)).item(), std::pow(pi, 4) / 15, 1e-11);
}

TEST(Math, WholeNumbersBecomeFloating) {
  EXPECT_EQ(sqrt(tensor({4, 9})).dtype(), DType::f32);
  EXPECT_EQ(sqrt(tensor({4, 9})).to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(exp(tensor({false, false})).to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Math, Refusals) {
  expect_refusal([] { polygamma(-1, zeros({2})); }, "[polygamma] the order must not be negative, got -1");
  expect_refusal([] { exp(Tensor()); },
                 "[tensor] an empty tensor was used where one with elements is needed");
}

}  // namespace
}  // namespace likely
