#include "likely/ops/activation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
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
using testing::numbers;
using In = const std::vector<Tensor>&;

constexpr double kInf = std::numeric_limits<double>::infinity();

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

struct Activation {
  std::string name;
  std::function<Tensor(const Tensor&)> f;
  std::function<double(double)> expected;
};

std::vector<Activation> activations() {
  return {
      {"relu", relu, [](double x) { return std::max(0.0, x); }},
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x); },
       [](double x) { return x > 0 ? x : 0.01 * x; }},
      {"leaky_relu 0.2", [](const Tensor& x) { return leaky_relu(x, 0.2); },
       [](double x) { return x > 0 ? x : 0.2 * x; }},
      {"elu", [](const Tensor& x) { return elu(x); }, [](double x) { return x > 0 ? x : std::expm1(x); }},
      {"elu 1.3", [](const Tensor& x) { return elu(x, 1.3); },
       [](double x) { return x > 0 ? x : 1.3 * std::expm1(x); }},
      {"gelu", gelu, [](double x) { return x * normal_cdf(x); }},
      {"gelu_tanh", gelu_tanh,
       [](double x) {
         return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
       }},
      {"silu", silu, [](double x) { return x * logistic(x); }},
      {"hardswish", hardswish, [](double x) { return x < -3  ? 0.0
                                                     : x > 3 ? x
                                                             : x * (x + 3) / 6; }},
      {"sigmoid", sigmoid, logistic},
      {"logsigmoid", logsigmoid,
       [](double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }},
      {"softplus", softplus, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
      {"heaviside", heaviside, [](double x) { return x < 0 ? 0.0 : 1.0; }},
      {"rect", rect, [](double x) { return x >= 0 && x <= 1 ? 1.0 : 0.0; }},
  };
}

TEST(Activation, Gradients) {
  for (const Activation& c : activations()) {
    const auto f = [&](In x) { return c.f(x[0]); };
    check_gradients(c.name, f, {numbers({2, 3}, 2.0)});
    check_gradients(c.name, f, {numbers({3}, 6.0, 3)});
    check_gradients(c.name, f, {numbers({}, 1.0)});
    check_gradients(c.name, f, {numbers({1, 1}, 1.0, 2)});
    check_gradients(c.name, f, {numbers({0})});
    check_gradients(c.name, [&](In x) { return c.f(transpose(x[0])); }, {numbers({2, 3}, 2.0, 1)});
  }
  check_gradients("logit", [](In x) { return logit(x[0]); }, {numbers({2, 3}, 0.4) + 0.5},
                  {.tolerance = 1e-5});
  const std::vector<Tensor> pair = {numbers({2, 3}, 0.9), numbers({2, 3}, 1.0, 1)};
  check_gradients(
      "tanh_gradient", [](In x) { return tanh_gradient(x[0], x[1]); }, pair);
  check_gradients(
      "sigmoid_gradient", [](In x) { return sigmoid_gradient(x[0], x[1]); }, pair);
  check_gradients(
      "relu_gradient", [](In x) { return relu_gradient(x[0], x[1]); }, pair);
}

TEST(Activation, ThirdDerivatives) {
  for (const Activation& c : activations()) {
    if (c.name == "heaviside" || c.name == "rect" || c.name == "relu") continue;
    check_gradients(c.name, [&](In x) { return grad(x[0], [&](const Tensor& t) { return sum(c.f(t)); }); },
                    {numbers({4}, 1.5)}, {.tolerance = 1e-5});
  }
}

TEST(Activation, ValuesAgainstTheirFormulas) {
  for (const Activation& c : activations()) {
    std::vector<double> points;
    for (double x = -7.0; x < 7.0; x += 0.1375) points.push_back(x);
    const std::vector<double> wide = c.f(tensor(points)).to_vector<double>();
    const std::vector<double> narrow = c.f(tensor(points).to(DType::f32)).to_vector<double>();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double expected = c.expected(points[i]);
      EXPECT_NEAR(wide[i], expected, 1e-13 * std::max(1.0, std::abs(expected))) << c.name << " " << points[i];
      EXPECT_NEAR(narrow[i], expected, 2e-6 * std::max(1.0, std::abs(expected)))
          << c.name << " " << points[i];
    }
  }
}

TEST(Activation, LargeArgumentsAreFiniteWithFiniteSlopes) {
  for (const Activation& c : activations()) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const double x : {-1e4, -100.0, 100.0, 1e4}) {
        const Tensor at = full({1}, x, dtype);
        const double value = c.f(at).item();
        EXPECT_NEAR(value, c.expected(x), 1e-5 * std::max(1.0, std::abs(c.expected(x))))
            << c.name << " " << x;
        const double slope = grad(at, [&](const Tensor& t) { return sum(c.f(t)); }).item();
        EXPECT_TRUE(std::isfinite(slope)) << c.name << " " << x;
        const double bend = grad(at, [&](const Tensor& t) {
                              return sum(grad(t, [&](const Tensor& u) { return sum(c.f(u)); }));
                            }).item();
        EXPECT_TRUE(std::isfinite(bend)) << c.name << " " << x;
      }
    }
  }
}

TEST(Activation, TheTailsKeepTheirDigits) {
  EXPECT_NEAR(softplus(tensor(-40.0, DType::f64)).item() / std::exp(-40.0), 1.0, 1e-13);
  EXPECT_NEAR(logsigmoid(tensor(40.0, DType::f64)).item() / -std::exp(-40.0), 1.0, 1e-13);
  EXPECT_NEAR(sigmoid(tensor(-40.0, DType::f64)).item() / std::exp(-40.0), 1.0, 1e-13);
  EXPECT_EQ(
      logit(tensor({0.0, 1.0})).to_vector<float>(),
      (std::vector<float>{-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(relu(tensor(-kInf)).item(), 0.0);
  EXPECT_EQ(sigmoid(tensor(-kInf)).item(), 0.0);
  EXPECT_EQ(softplus(tensor(kInf)).item(), kInf);
}

TEST(Activation, SlopesAtKinksAreThoseOfTheLeft) {
  const auto slope = [](const std::function<Tensor(const Tensor&)>& f, double at) {
    return grad(tensor({at}, DType::f64), [&](const Tensor& x) { return sum(f(x)); }).item();
  };
  EXPECT_EQ(slope(relu, 0.0), 0.0);
  EXPECT_EQ(slope([](const Tensor& x) { return leaky_relu(x, 0.2); }, 0.0), 0.2);
  EXPECT_EQ(slope([](const Tensor& x) { return elu(x, 0.7); }, 0.0), 0.7);
  EXPECT_EQ(slope(hardswish, -3.0), 0.0);
  EXPECT_EQ(slope(hardswish, 3.0), 1.5);
  EXPECT_EQ(slope(heaviside, 0.0), 0.0);
  EXPECT_EQ(slope(rect, 1.0), 0.0);
}

TEST(Activation, StepsOfNanAreNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({-1.0, nan, 0.5, nan, 2.0}, dtype);
    const std::vector<double> step = heaviside(x).to_vector<double>(), box = rect(x).to_vector<double>();
    EXPECT_EQ(step[0], 0.0);
    EXPECT_EQ(step[2], 1.0);
    EXPECT_EQ(step[4], 1.0);
    EXPECT_EQ(box[0], 0.0);
    EXPECT_EQ(box[2], 1.0);
    EXPECT_EQ(box[4], 0.0);
    for (const std::size_t i : {1, 3}) {
      EXPECT_TRUE(std::isnan(step[i]));
      EXPECT_TRUE(std::isnan(box[i]));
    }
  }
}

TEST(Activation, WholeNumbersBecomeFloating) {
  EXPECT_EQ(relu(tensor({-1, 2})).dtype(), DType::f32);
  EXPECT_EQ(sigmoid(tensor({0})).item(), 0.5);
}

TEST(Activation, AnEmptyTensorIsRefused) {
  testing::expect_refusal([] { relu(Tensor()); },
                          "[tensor] an empty tensor was used where one with elements is needed");
}

}  // namespace
}  // namespace likely
