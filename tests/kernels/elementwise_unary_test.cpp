#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "likely/kernels/elementwise/elementwise.hpp"
#include "likely/kernels/special/special.hpp"

namespace likely::kernels {
namespace {

using Real = long double;

Real exact_sigmoid(Real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
Real exact_softplus(Real x) { return std::fmax(x, Real{0}) + std::log1p(std::exp(-std::fabs(x))); }
Real exact_gelu(Real x) { return x * std::erfc(-x / std::sqrt(Real{2})) / 2; }
Real exact_gelu_tanh(Real x) {
  return x * exact_sigmoid(2 * std::sqrt(2 / std::acos(Real{-1})) * (x + Real{0.044715} * x * x * x));
}

Real exact_digamma(Real x) { return boost::math::digamma(x); }

struct Function {
  const char* name;
  Unary operation;
  Real (*exact)(Real);
  double low, high;    // the range swept, in f32
  double wide_high;    // and in f64, whose exponents reach further (from -wide_high if low < -1)
  double float_error;  // relative
  double double_error;
  double p = 0.0;
};

// Beyond +-88 (+-708) results leave the normal numbers, which the edges below look at.
const Function kFunctions[] = {
    {"exp", Unary::exp, [](Real x) { return std::exp(x); }, -87, 88, 708, 2e-7, 4e-16},
    {"expm1", Unary::expm1, [](Real x) { return std::expm1(x); }, -87, 88, 708, 2e-7, 5e-16},
    {"log", Unary::log, [](Real x) { return std::log(x); }, 0, 3e38, 1e300, 2e-7, 4e-16},
    {"log1p", Unary::log1p, [](Real x) { return std::log1p(x); }, -0.9999, 3e38, 1e300, 2e-7, 4e-16},
    {"sin", Unary::sin, [](Real x) { return std::sin(x); }, -1e4, 1e4, 1e4, 2e-7, 4e-16},
    {"cos", Unary::cos, [](Real x) { return std::cos(x); }, -1e6, 1e6, 1e6, 2e-7, 4e-16},
    {"tanh", Unary::tanh, [](Real x) { return std::tanh(x); }, -12, 12, 22, 3e-7, 6e-16},
    {"erf", Unary::erf, [](Real x) { return std::erf(x); }, -5, 5, 7, 3e-7, 6e-16},
    {"erfc", Unary::erfc, [](Real x) { return std::erfc(x); }, -9, 9, 26, 1e-6, 4e-15},
    {"gelu", Unary::gelu, exact_gelu, -12, 12, 36, 1e-6, 4e-15},
    {"gelu_tanh", Unary::gelu_tanh, exact_gelu_tanh, -4, 10, 4, 2e-6, 4e-15},
    {"silu", Unary::silu, [](Real x) { return x * exact_sigmoid(x); }, -85, 88, 700, 4e-7, 1e-15},
    {"softplus", Unary::softplus, exact_softplus, -85, 88, 700, 4e-7, 1e-15},
    {"sigmoid", Unary::sigmoid, exact_sigmoid, -85, 88, 700, 3e-7, 6e-16},
    {"logsigmoid", Unary::logsigmoid, [](Real x) { return -exact_softplus(-x); }, -88, 85, 700, 4e-7, 1e-15},
    {"elu", Unary::elu, [](Real x) { return x > 0 ? x : Real{0.5} * std::expm1(x); }, -88, 88, 88, 3e-7,
     6e-16, 0.5},
    {"leaky_relu", Unary::leaky_relu, [](Real x) { return x > 0 ? x : x / 8; }, -9, 9, 9, 0, 0, 0.125},
    {"sqrt", Unary::sqrt, [](Real x) { return std::sqrt(x); }, 0, 3e38, 1e300, 1e-7, 2e-16},
    {"rsqrt", Unary::rsqrt, [](Real x) { return 1 / std::sqrt(x); }, 1e-30, 3e38, 1e300, 2e-7, 4e-16},
    {"reciprocal", Unary::reciprocal, [](Real x) { return 1 / x; }, 1e-30, 1e30, 1e30, 1e-7, 2e-16},
    {"square", Unary::square, [](Real x) { return x * x; }, -1e15, 1e15, 1e15, 1e-7, 2e-16},
    {"cube", Unary::power_scalar, [](Real x) { return x * x * x; }, -1e9, 1e9, 1e9, 2e-7, 4e-16, 3.0},
    {"power 1.75", Unary::power_scalar, [](Real x) { return std::pow(x, Real{1.75}); }, 0, 1e20, 1e20, 1e-7,
     4e-16, 1.75},
    {"power -2", Unary::power_scalar, [](Real x) { return 1 / (x * x); }, 1e-9, 1e9, 1e9, 2e-7, 4e-16, -2.0},
    {"lgamma", Unary::lgamma, [](Real x) { return std::lgamma(x); }, 1e-35, 1e35, 1e35, 1e-6, 1e-14},
    {"lgamma left", Unary::lgamma, [](Real x) { return std::lgamma(x); }, -0.9, -0.1, -0.1, 1e-6, 1e-14},
    {"lgamma near", Unary::lgamma, [](Real x) { return std::lgamma(x); }, 0.9, 2.2, 2.2, 1e-6, 1e-14},
    {"digamma", Unary::digamma, exact_digamma, 1e-35, 1e35, 1e35, 3e-7, 1e-14},
    {"digamma near", Unary::digamma, exact_digamma, 1.3, 1.6, 1.6, 1e-6, 2e-14},
    {"digamma left", Unary::digamma, exact_digamma, -0.4, -0.1, -0.1, 3e-6, 1e-13},
};

// Evenly spaced values and values spaced by their logarithm on both sides of zero.
template <class T>
std::vector<T> sweep(double low, double high) {
  std::vector<T> values;
  const auto keep = [&](double v) {
    if (v >= low && v <= high && std::abs(v) >= std::numeric_limits<T>::min())
      values.push_back(static_cast<T>(v));
  };
  for (int i = 0; i < 20000; ++i) keep(low + (high - low) * (i + 0.37) / 20000);
  const double decades = sizeof(T) == 4 ? 38 : 307;
  for (int i = 0; i < 20000; ++i) {
    const double magnitude = std::pow(10.0, -decades + 2 * decades * (i + 0.5) / 20000);
    keep(magnitude);
    keep(-magnitude);
  }
  return values;
}

template <class T>
void check_sweep(const Function& f, double low, double high, double tolerance) {
  const std::vector<T> x = sweep<T>(low, high);
  std::vector<T> y(x.size());
  unary_row(f.operation, dtype_of<T>)(x.data(), y.data(), static_cast<std::int64_t>(x.size()), f.p, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real exact = f.exact(static_cast<Real>(x[i]));
    // A result below the normal numbers has fewer digits to be right in.
    const Real allowed = tolerance * std::fabs(exact) + std::numeric_limits<T>::denorm_min();
    ASSERT_LE(std::fabs(y[i] - exact), allowed)
        << f.name << "(" << x[i] << ") = " << y[i] << ", exactly " << exact << ", " << name_of(dtype_of<T>);
  }
}

TEST(ElementwiseUnary, FloatIsWithinTwoUnitsOverTheWholeRange) {
  for (const Function& f : kFunctions) check_sweep<float>(f, f.low, f.high, f.float_error);
}

TEST(ElementwiseUnary, DoubleIsWithinAFewUnitsOverTheWholeRange) {
  for (const Function& f : kFunctions) {
    check_sweep<double>(f, f.low < -1 ? -f.wide_high : f.low, f.wide_high, f.double_error);
  }
}

template <class T>
T evaluate(Unary operation, double x, double p = 0.0, double q = 0.0) {
  const T in = static_cast<T>(x);
  T out = 99;
  unary_row(operation, dtype_of<T>)(&in, &out, 1, p, q);
  return out;
}

template <class T>
void check_edges() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](Unary operation, double x, double p = 0.0, double q = 0.0) {
    return static_cast<double>(evaluate<T>(operation, x, p, q));
  };
  EXPECT_EQ(of(Unary::exp, 0), 1);
  EXPECT_EQ(of(Unary::exp, inf), inf);
  EXPECT_EQ(of(Unary::exp, -inf), 0);
  EXPECT_EQ(of(Unary::exp, 1e4), inf);
  EXPECT_EQ(of(Unary::exp, -1e4), 0);
  EXPECT_EQ(of(Unary::expm1, 0), 0);
  EXPECT_EQ(of(Unary::expm1, -inf), -1);
  EXPECT_EQ(of(Unary::expm1, -1e4), -1);
  EXPECT_EQ(of(Unary::expm1, inf), inf);
  EXPECT_EQ(of(Unary::log, 0), -inf);
  EXPECT_EQ(of(Unary::log, 1), 0);
  EXPECT_EQ(of(Unary::log, inf), inf);
  EXPECT_TRUE(std::isnan(of(Unary::log, -1)));
  EXPECT_TRUE(std::isnan(of(Unary::log, -inf)));
  EXPECT_EQ(of(Unary::log1p, -1), -inf);
  EXPECT_EQ(of(Unary::log1p, 0), 0);
  EXPECT_EQ(of(Unary::log1p, inf), inf);
  EXPECT_TRUE(std::isnan(of(Unary::log1p, -1.5)));
  EXPECT_TRUE(std::isnan(of(Unary::sin, inf)));
  EXPECT_TRUE(std::isnan(of(Unary::cos, -inf)));
  EXPECT_EQ(of(Unary::cos, 0), 1);
  EXPECT_EQ(of(Unary::tanh, inf), 1);
  EXPECT_EQ(of(Unary::tanh, -1e4), -1);
  EXPECT_TRUE(std::signbit(of(Unary::tanh, -0.0)));
  EXPECT_EQ(of(Unary::erf, inf), 1);
  EXPECT_EQ(of(Unary::erf, -100), -1);
  EXPECT_EQ(of(Unary::erfc, 100), 0);
  EXPECT_EQ(of(Unary::erfc, inf), 0);
  EXPECT_EQ(of(Unary::erfc, -inf), 2);
  EXPECT_EQ(of(Unary::sigmoid, 0), 0.5);
  EXPECT_GT(of(Unary::sigmoid, -100), 0);
  EXPECT_EQ(of(Unary::sigmoid, 1e4), 1);
  EXPECT_EQ(of(Unary::sigmoid, -inf), 0);
  EXPECT_EQ(of(Unary::softplus, 1e4), 1e4);
  EXPECT_EQ(of(Unary::softplus, -1e4), 0);
  EXPECT_EQ(of(Unary::softplus, inf), inf);
  EXPECT_EQ(of(Unary::logsigmoid, -1e4), -1e4);
  EXPECT_EQ(of(Unary::logsigmoid, 1e4), 0);
  EXPECT_EQ(of(Unary::logsigmoid, -inf), -inf);
  for (const Unary operation : {Unary::gelu, Unary::gelu_tanh, Unary::silu, Unary::hardswish}) {
    EXPECT_EQ(of(operation, 0), 0);
    EXPECT_EQ(of(operation, -1e4), 0);
    EXPECT_EQ(of(operation, -inf), 0);
    EXPECT_EQ(of(operation, 1e4), 1e4);
    EXPECT_EQ(of(operation, inf), inf);
  }
  EXPECT_EQ(of(Unary::elu, -inf, 1.0), -1);
  EXPECT_EQ(of(Unary::elu, inf, 1.0), inf);
  EXPECT_EQ(of(Unary::relu, -3), 0);
  EXPECT_EQ(of(Unary::relu, 3), 3);
  EXPECT_EQ(of(Unary::hardswish, -3), 0);
  EXPECT_EQ(of(Unary::hardswish, 3), 3);
  EXPECT_NEAR(of(Unary::hardswish, 1), 4.0 / 6.0, 1e-7);
  EXPECT_EQ(of(Unary::heaviside, -1e-30), 0);
  EXPECT_EQ(of(Unary::heaviside, 0), 1);
  EXPECT_EQ(of(Unary::rect, -0.5), 0);
  EXPECT_EQ(of(Unary::rect, 0), 1);
  EXPECT_EQ(of(Unary::rect, 1), 1);
  EXPECT_EQ(of(Unary::rect, 1.5), 0);
  EXPECT_EQ(of(Unary::sign, -2), -1);
  EXPECT_EQ(of(Unary::sign, 0), 0);
  EXPECT_EQ(of(Unary::sign, inf), 1);
  EXPECT_EQ(of(Unary::clip, 5, -1, 2), 2);
  EXPECT_EQ(of(Unary::clip, -5, -1, 2), -1);
  EXPECT_EQ(of(Unary::clip, 0.5, -1, 2), 0.5);
  EXPECT_EQ(of(Unary::floor, -1.5), -2);
  EXPECT_EQ(of(Unary::ceil, -1.5), -1);
  EXPECT_EQ(of(Unary::round, 2.5), 2);
  EXPECT_EQ(of(Unary::round, 3.5), 4);
  EXPECT_EQ(of(Unary::negative, 2), -2);
  EXPECT_EQ(of(Unary::absolute, -2), 2);
  EXPECT_EQ(of(Unary::add_scalar, 2, 0.5), 2.5);
  EXPECT_EQ(of(Unary::multiply_scalar, 2, 0.5), 1);
  EXPECT_EQ(of(Unary::power_scalar, -2, 5.0), -32);
  EXPECT_EQ(of(Unary::power_scalar, 7, 0.0), 1);
  EXPECT_TRUE(std::isnan(of(Unary::power_scalar, -2, 0.3)));
  for (int i = 0; i < kUnaryCount; ++i) {
    const Unary operation = static_cast<Unary>(i);
    EXPECT_TRUE(std::isnan(of(operation, nan, 0.7, 2.0))) << "operation " << i;
  }
  // The smallest denormal, where a function is its own argument or half of it.
  const double tiny = static_cast<double>(std::numeric_limits<T>::denorm_min()) * 5;
  for (const Unary operation : {Unary::expm1, Unary::log1p, Unary::tanh, Unary::sin}) {
    EXPECT_EQ(of(operation, tiny), tiny) << "operation " << static_cast<int>(operation);
  }
  EXPECT_NEAR(of(Unary::log, tiny), std::log(tiny), 1e-6 * std::abs(std::log(tiny)));
}

TEST(ElementwiseUnary, FloatEdges) { check_edges<float>(); }
TEST(ElementwiseUnary, DoubleEdges) { check_edges<double>(); }

TEST(ElementwiseUnary, FloatDenormalResultsAreKept) {
  EXPECT_NEAR(evaluate<float>(Unary::exp, -100) / std::exp(-100.0), 1.0, 0.02);
  EXPECT_NEAR(evaluate<float>(Unary::sigmoid, -100) / std::exp(-100.0), 1.0, 0.02);
  EXPECT_NEAR(evaluate<double>(Unary::exp, -740) / 4.1997e-322, 1.0, 0.02);
}

TEST(ElementwiseUnary, DigammaAndItsDerivativesAgreeWithBoost) {
  for (double x = -20.3; x < 60; x += 0.0713) {
    if (std::abs(x - std::round(x)) < 1e-3 && x < 0.5) continue;
    EXPECT_NEAR(digamma(x), boost::math::digamma(x), 3e-14 * (1 + std::abs(boost::math::digamma(x)))) << x;
    EXPECT_NEAR(trigamma(x) / boost::math::trigamma(x), 1.0, 1e-12) << x;
    for (const int order : {2, 3, 5}) {
      if (x < 0) continue;
      EXPECT_NEAR(polygamma(order, x) / boost::math::polygamma(order, x), 1.0, 1e-13) << order << " " << x;
    }
  }
  for (double h = 1e-12; h < 0.1; h *= 3) {
    const double x = 1.4616321449683623 + h;
    EXPECT_NEAR(digamma(x) / boost::math::digamma(x), 1.0, 1e-13) << x;
  }
  EXPECT_NEAR(polygamma(2, -3.7) / boost::math::polygamma(2, -3.7), 1.0, 1e-11);
  EXPECT_NEAR(polygamma(3, -0.3) / boost::math::polygamma(3, -0.3), 1.0, 1e-12);
  EXPECT_TRUE(std::isnan(digamma(0.0)));
  EXPECT_TRUE(std::isnan(digamma(-3.0)));
}

TEST(ElementwiseUnary, AnElementHasTheSameBitsWhereverItStands) {
  for (const DType type : {DType::f32, DType::f64}) {
    const std::size_t size = size_of(type);
    for (int i = 0; i < kUnaryCount; ++i) {
      const UnaryRow row = unary_row(static_cast<Unary>(i), type);
      ASSERT_NE(row, nullptr) << i;
      constexpr std::int64_t n = 137;
      std::vector<double> values(n);
      for (std::int64_t k = 0; k < n; ++k) values[k] = 0.05 + 0.083 * static_cast<double>((k * 53) % n);
      std::vector<std::byte> x(n * size), whole(n * size), single(size);
      for (std::int64_t k = 0; k < n; ++k) {
        if (type == DType::f32) {
          const float v = static_cast<float>(values[k]);
          std::memcpy(&x[k * size], &v, size);
        } else {
          std::memcpy(&x[k * size], &values[k], size);
        }
      }
      row(x.data(), whole.data(), n, 0.9, 2.0);
      for (std::int64_t k = 0; k < n; ++k) {
        row(&x[k * size], single.data(), 1, 0.9, 2.0);
        ASSERT_EQ(std::memcmp(single.data(), &whole[k * size], size), 0) << "operation " << i << " at " << k;
      }
      // In place, and without touching what lies behind the end.
      std::vector<std::byte> place(x);
      row(place.data(), place.data(), n - 5, 0.9, 2.0);
      ASSERT_EQ(std::memcmp(place.data(), whole.data(), (n - 5) * size), 0) << i;
      ASSERT_EQ(std::memcmp(&place[(n - 5) * size], &x[(n - 5) * size], 5 * size), 0) << i;
    }
  }
}

// Some functions have a short way for vectors of ordinary values only: a neighbour must not change an
// element.
template <class T>
void check_neighbours() {
  const double extremes[] = {100.0,
                             -100.0,
                             1e4,
                             -1e4,
                             1e-42,
                             -1e-310,
                             0.0,
                             1e30,
                             -1e30,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  for (int i = 0; i < kUnaryCount; ++i) {
    const UnaryRow row = unary_row(static_cast<Unary>(i), dtype_of<T>);
    for (const double extreme : extremes) {
      std::vector<T> x;
      for (int k = 0; k < 64; ++k) {
        x.push_back(k % 9 == 4 ? static_cast<T>(extreme) : static_cast<T>(0.173 * ((k * 37) % 64) - 4.0));
      }
      std::vector<T> whole(x.size());
      row(x.data(), whole.data(), static_cast<std::int64_t>(x.size()), 0.9, 2.0);
      for (std::size_t k = 0; k < x.size(); ++k) {
        T single;
        row(&x[k], &single, 1, 0.9, 2.0);
        if (std::isnan(single) && std::isnan(whole[k])) continue;
        ASSERT_EQ(std::memcmp(&single, &whole[k], sizeof(T)), 0)
            << "operation " << i << " of " << x[k] << " beside " << extreme;
      }
    }
  }
}

TEST(ElementwiseUnary, NeighboursDoNotChangeAFloat) { check_neighbours<float>(); }
TEST(ElementwiseUnary, NeighboursDoNotChangeADouble) { check_neighbours<double>(); }

TEST(ElementwiseUnary, WholeNumbers) {
  const auto of = [](Unary operation, std::int64_t x, double p = 0.0, double q = 0.0) {
    std::int64_t y = 99;
    unary_row(operation, DType::i64)(&x, &y, 1, p, q);
    return y;
  };
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(of(Unary::negative, 5), -5);
  EXPECT_EQ(of(Unary::negative, least), least);
  EXPECT_EQ(of(Unary::absolute, -5), 5);
  EXPECT_EQ(of(Unary::sign, -5), -1);
  EXPECT_EQ(of(Unary::square, -5), 25);
  EXPECT_EQ(of(Unary::clip, 50, -3, 7), 7);
  EXPECT_EQ(of(Unary::clip, 50, -3, std::numeric_limits<double>::infinity()), 50);
  EXPECT_EQ(of(Unary::add_scalar, 50, -3), 47);
  EXPECT_EQ(of(Unary::multiply_scalar, 50, -3), -150);
  EXPECT_EQ(unary_row(Unary::exp, DType::i64), nullptr);
  EXPECT_EQ(unary_row(Unary::negative, DType::boolean), nullptr);
}

}  // namespace
}  // namespace likely::kernels
