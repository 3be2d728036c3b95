#include "likely/kernels/reduce/cumulative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

using Real = long double;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct View {
  std::int64_t outer, length, inner;
};
const View kViews[] = {{1, 1, 1},  {3, 7, 1},   {2, 1000, 1}, {1, 50000, 1}, {300, 9, 1},
                       {2, 40, 3}, {1, 30, 64}, {2, 20, 100}, {2, 0, 3},     {1, 700, 65}};

template <class T>
void check(double tolerance) {
  for (const View& view : kViews) {
    const std::int64_t n = view.outer * view.length * view.inner;
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(-2.0, 2.5);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& v : x) v = static_cast<T>(uniform(random));
    for (const bool reversed : {false, true}) {
      for (const Cumulative operation : {Cumulative::sum, Cumulative::product, Cumulative::logsumexp}) {
        std::vector<T> y(x.size()), place(x);
        set_threads(1);
        cumulate(operation, dtype_of<T>, x.data(), y.data(), view.outer, view.length, view.inner, reversed);
        set_threads(2);
        cumulate(operation, dtype_of<T>, place.data(), place.data(), view.outer, view.length, view.inner,
                 reversed);
        if (n > 0) {
          ASSERT_EQ(std::memcmp(y.data(), place.data(), y.size() * sizeof(T)), 0);
        }
        for (std::int64_t o = 0; o < view.outer; ++o) {
          for (std::int64_t j = 0; j < view.inner; ++j) {
            Real sum = 0, product = 1, exponentials = 0, weight = 0;
            for (std::int64_t i = 0; i < view.length; ++i) {
              const std::int64_t step = reversed ? view.length - 1 - i : i;
              const std::int64_t at = (o * view.length + step) * view.inner + j;
              const Real v = x[at];
              sum += v;
              weight += std::fabs(v);
              product *= v;
              exponentials += std::exp(v);
              const Real exact = operation == Cumulative::sum       ? sum
                                 : operation == Cumulative::product ? product
                                                                    : std::log(exponentials);
              const Real scale = operation == Cumulative::sum ? 1 + weight
                                 : operation == Cumulative::product
                                     ? std::fabs(exact) * static_cast<Real>(i + 1)
                                     : 1 + std::fabs(exact);
              if (std::fabs(exact) > 1e30L) continue;
              ASSERT_LE(std::fabs(y[at] - exact), tolerance * scale + std::numeric_limits<T>::min())
                  << static_cast<int>(operation) << " at " << at;
            }
          }
        }
      }
    }
  }
  set_threads(1);
}

TEST(Cumulative, FloatAgreesWithLongDouble) { check<float>(2e-7); }
TEST(Cumulative, DoubleAgreesWithLongDouble) { check<double>(1e-14); }

TEST(Cumulative, WholeNumbers) {
  const std::int64_t x[] = {1, -2, 3, 4};
  std::int64_t y[4];
  cumulate(Cumulative::sum, DType::i64, x, y, 1, 4, 1);
  EXPECT_EQ(std::vector<std::int64_t>(y, y + 4), (std::vector<std::int64_t>{1, -1, 2, 6}));
  cumulate(Cumulative::product, DType::i64, x, y, 1, 4, 1, true);
  EXPECT_EQ(std::vector<std::int64_t>(y, y + 4), (std::vector<std::int64_t>{-24, -24, 12, 4}));
  cumulate(Cumulative::sum, DType::i64, x, y, 1, 2, 2);
  EXPECT_EQ(std::vector<std::int64_t>(y, y + 4), (std::vector<std::int64_t>{1, -2, 4, 2}));
}

TEST(Cumulative, LogSumExpEdges) {
  const double x[] = {-kInfinity, -kInfinity, 1e4, -1e4, 1e4, kInfinity, 0, kNaN, 0};
  double y[9];
  cumulate(Cumulative::logsumexp, DType::f64, x, y, 1, 9, 1);
  EXPECT_EQ(y[0], -kInfinity);
  EXPECT_EQ(y[1], -kInfinity);
  EXPECT_EQ(y[2], 1e4);
  EXPECT_EQ(y[3], 1e4);
  EXPECT_NEAR(y[4], 1e4 + std::log(2.0), 1e-11);
  EXPECT_EQ(y[5], kInfinity);
  EXPECT_EQ(y[6], kInfinity);
  EXPECT_TRUE(std::isnan(y[7]));
  EXPECT_TRUE(std::isnan(y[8]));
}

TEST(Cumulative, RefusesTypesWithoutTotals) {
  std::int64_t x = 1;
  EXPECT_THROW(cumulate(Cumulative::logsumexp, DType::i64, &x, &x, 1, 1, 1), Error);
  EXPECT_THROW(cumulate(Cumulative::sum, DType::boolean, &x, &x, 1, 1, 1), Error);
}

}  // namespace
}  // namespace likely::kernels
