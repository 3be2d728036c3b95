#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
T evaluate(Binary operation, double a, double b, double p = 0.0) {
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  T out = 99;
  binary_row(operation, dtype_of<T>)(&x, &y, &out, 1, 1, 1, p);
  return out;
}

template <class T>
void check_arithmetic() {
  for (double a = -3.3; a < 4; a += 0.7) {
    for (double b = -2.9; b < 4; b += 0.6) {
      const T x = static_cast<T>(a);
      const T y = static_cast<T>(b);
      EXPECT_EQ(evaluate<T>(Binary::add, a, b), x + y);
      EXPECT_EQ(evaluate<T>(Binary::subtract, a, b), x - y);
      EXPECT_EQ(evaluate<T>(Binary::multiply, a, b), x * y);
      EXPECT_EQ(evaluate<T>(Binary::divide, a, b), x / y);
      EXPECT_EQ(evaluate<T>(Binary::maximum, a, b), x > y ? x : y);
      EXPECT_EQ(evaluate<T>(Binary::minimum, a, b), x > y ? y : x);
    }
  }
  for (const Binary operation : {Binary::maximum, Binary::minimum}) {
    EXPECT_TRUE(std::isnan(evaluate<T>(operation, kNaN, 1)));
    EXPECT_TRUE(std::isnan(evaluate<T>(operation, 1, kNaN)));
  }
}

TEST(ElementwiseBinary, FloatArithmetic) { check_arithmetic<float>(); }
TEST(ElementwiseBinary, DoubleArithmetic) { check_arithmetic<double>(); }

template <class T>
void check_power() {
  const double values[] = {0.0,  -0.0, 1.0,  -1.0,      2.0,        -2.0, 0.5,  3.0,  -3.0,
                           2.25, -7.5, 30.0, kInfinity, -kInfinity, kNaN, 1e-3, 11.5, 1e10};
  for (const double a : values) {
    for (const double b : values) {
      const T exact = static_cast<T>(
          std::pow(static_cast<double>(static_cast<T>(a)), static_cast<double>(static_cast<T>(b))));
      const T got = evaluate<T>(Binary::power, a, b);
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(got)) << a << " ^ " << b;
      } else if (std::isinf(exact) || exact == 0) {
        EXPECT_EQ(got, exact) << a << " ^ " << b;
        EXPECT_EQ(std::signbit(got), std::signbit(exact)) << a << " ^ " << b;
      } else {
        EXPECT_NEAR(got / exact, 1, 2 * std::numeric_limits<T>::epsilon()) << a << " ^ " << b;
      }
    }
  }
}

TEST(ElementwiseBinary, FloatPowerFollowsTheCRules) { check_power<float>(); }
TEST(ElementwiseBinary, DoublePowerFollowsTheCRules) { check_power<double>(); }

// Central differences of an exact function of one variable, in long double.
using Real = long double;
Real slope(Real (*f)(Real), Real x) {
  const Real h = 1e-6L * (1 + std::fabs(x));
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}
Real exact_sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }

struct Gradient {
  const char* name;
  Binary operation;
  Real (*function)(Real);
  bool of_output;  // the helper takes f(x) instead of x
  double p = 0.0;
};

const Gradient kGradients[] = {
    {"tanh", Binary::tanh_gradient, [](Real x) { return std::tanh(x); }, true},
    {"sigmoid", Binary::sigmoid_gradient, exact_sigmoid, true},
    {"relu", Binary::relu_gradient, [](Real x) { return std::fmax(x, Real{0}); }, false},
    {"leaky_relu", Binary::leaky_relu_gradient, [](Real x) { return x > 0 ? x : x / 8; }, false, 0.125},
    {"elu", Binary::elu_gradient, [](Real x) { return x > 0 ? x : 2 * std::expm1(x); }, false, 2.0},
    {"gelu", Binary::gelu_gradient, [](Real x) { return x * std::erfc(-x / std::sqrt(Real{2})) / 2; }, false},
    {"gelu_tanh", Binary::gelu_tanh_gradient,
     [](Real x) {
       return x * exact_sigmoid(2 * std::sqrt(2 / std::acos(Real{-1})) * (x + Real{0.044715} * x * x * x));
     },
     false},
    {"silu", Binary::silu_gradient, [](Real x) { return x * exact_sigmoid(x); }, false},
    {"hardswish", Binary::hardswish_gradient, [](Real x) { return x < -3  ? 0
                                                                  : x > 3 ? x
                                                                          : x * (x + 3) / 6; },
     false},
    {"softplus", Binary::softplus_gradient, [](Real x) { return std::log1p(std::exp(x)); }, false},
    {"abs", Binary::abs_gradient, [](Real x) { return std::fabs(x); }, false},
};

template <class T>
void check_gradients(double tolerance) {
  for (const Gradient& gradient : kGradients) {
    for (double x = -8.013; x < 8; x += 0.0517) {
      const Real kept = gradient.of_output ? gradient.function(x) : Real{x};
      const double got = evaluate<T>(gradient.operation, static_cast<double>(kept), 1.5, gradient.p);
      EXPECT_NEAR(got, static_cast<double>(1.5L * slope(gradient.function, x)), tolerance)
          << gradient.name << " at " << x;
    }
  }
}

TEST(ElementwiseBinary, FloatGradientsAreSlopes) { check_gradients<float>(2e-6); }
TEST(ElementwiseBinary, DoubleGradientsAreSlopes) { check_gradients<double>(1e-11); }

template <class T>
void check_gradient_edges() {
  EXPECT_EQ(evaluate<T>(Binary::relu_gradient, 0, 2), 0);
  EXPECT_EQ(evaluate<T>(Binary::leaky_relu_gradient, 0, 2, 0.25), T{0.5});
  EXPECT_EQ(evaluate<T>(Binary::abs_gradient, 0, 2), 0);
  EXPECT_EQ(evaluate<T>(Binary::hardswish_gradient, -3, 2), 0);
  EXPECT_EQ(evaluate<T>(Binary::hardswish_gradient, 3, 2), 3);
  for (const Binary operation : {Binary::gelu_gradient, Binary::gelu_tanh_gradient, Binary::silu_gradient,
                                 Binary::softplus_gradient, Binary::hardswish_gradient}) {
    for (const double x : {1e4, 1e30, kInfinity}) {
      EXPECT_EQ(evaluate<T>(operation, x, 2), 2) << static_cast<int>(operation) << " at " << x;
      EXPECT_EQ(evaluate<T>(operation, -x, 2), 0) << static_cast<int>(operation) << " at " << -x;
    }
    EXPECT_TRUE(std::isnan(evaluate<T>(operation, kNaN, 2)));
  }
  EXPECT_EQ(evaluate<T>(Binary::elu_gradient, -kInfinity, 2, 1.0), 0);
  EXPECT_EQ(evaluate<T>(Binary::elu_gradient, kInfinity, 2, 1.0), 2);
}

TEST(ElementwiseBinary, FloatGradientEdges) { check_gradient_edges<float>(); }
TEST(ElementwiseBinary, DoubleGradientEdges) { check_gradient_edges<double>(); }

template <class T>
void check_steps() {
  constexpr std::int64_t n = 141;
  std::vector<T> a(n), b(n);
  for (std::int64_t i = 0; i < n; ++i) {
    a[i] = static_cast<T>((i * 29) % 31 + 1) / T{7};
    b[i] = static_cast<T>((i * 17) % 23 + 1) / T{9};
  }
  for (int i = 0; i < kBinaryCount; ++i) {
    const BinaryRow row = binary_row(static_cast<Binary>(i), dtype_of<T>);
    ASSERT_NE(row, nullptr);
    for (const int a_step : {0, 1}) {
      for (const int b_step : {0, 1}) {
        std::vector<T> whole(n + 1, T{-5});
        row(a.data(), b.data(), whole.data(), n, a_step, b_step, 0.3);
        for (std::int64_t k = 0; k < n; ++k) {
          T single;
          row(&a[k * a_step], &b[k * b_step], &single, 1, 1, 1, 0.3);
          ASSERT_EQ(std::memcmp(&single, &whole[k], sizeof(T)), 0) << "operation " << i << " at " << k;
        }
        EXPECT_EQ(whole[n], T{-5});
      }
    }
  }
}

TEST(ElementwiseBinary, FloatStepsAndPositionsGiveTheSameBits) { check_steps<float>(); }
TEST(ElementwiseBinary, DoubleStepsAndPositionsGiveTheSameBits) { check_steps<double>(); }

TEST(ElementwiseBinary, WholeNumbers) {
  const auto of = [](Binary operation, std::int64_t a, std::int64_t b) {
    std::int64_t out[3] = {0, 0, 0};
    binary_row(operation, DType::i64)(&a, &b, out, 3, 0, 0, 0.0);
    EXPECT_EQ(out[0], out[2]);
    return out[0];
  };
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(of(Binary::add, most, 1), least);
  EXPECT_EQ(of(Binary::subtract, 3, 5), -2);
  EXPECT_EQ(of(Binary::multiply, -3, 5), -15);
  EXPECT_EQ(of(Binary::divide, 7, 2), 3);
  EXPECT_EQ(of(Binary::divide, -7, 2), -4);
  EXPECT_EQ(of(Binary::divide, 7, -2), -4);
  EXPECT_EQ(of(Binary::divide, -7, -2), 3);
  EXPECT_EQ(of(Binary::divide, 7, 0), 0);
  EXPECT_EQ(of(Binary::divide, least, -1), least);
  EXPECT_EQ(of(Binary::power, -3, 3), -27);
  EXPECT_EQ(of(Binary::power, 2, 62), std::int64_t{1} << 62);
  EXPECT_EQ(of(Binary::power, 0, 0), 1);
  EXPECT_EQ(of(Binary::power, 5, -1), 0);
  EXPECT_EQ(of(Binary::power, -1, -3), -1);
  EXPECT_EQ(of(Binary::maximum, -3, 3), 3);
  EXPECT_EQ(of(Binary::minimum, -3, 3), -3);
  EXPECT_EQ(binary_row(Binary::tanh_gradient, DType::i64), nullptr);
}

}  // namespace
}  // namespace likely::kernels
