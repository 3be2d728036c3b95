#include "likely/kernels/softmax/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> normal_values(std::size_t n, double scale, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

// The log-softmax of one row, in long double.
template <class T>
std::vector<double> reference_log_softmax(const T* x, std::size_t cols) {
  long double max = -kInfinity, sum = 0;
  for (std::size_t k = 0; k < cols; ++k) max = std::max<long double>(max, x[k]);
  for (std::size_t k = 0; k < cols; ++k) sum += std::exp(static_cast<long double>(x[k]) - max);
  std::vector<double> y(cols);
  for (std::size_t k = 0; k < cols; ++k) y[k] = static_cast<double>(x[k] - max - std::log(sum));
  return y;
}

template <class T>
class Softmax : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 2e-6 : 1e-14;
};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Softmax, FloatingTypes);

// Every way through the loops: parts of vectors, one vector, blocks of vectors.
const std::int64_t kColumns[] = {1, 2, 3, 7, 8, 10, 15, 16, 17, 31, 32, 33, 64, 65, 100, 127, 1000, 5003};

TYPED_TEST(Softmax, AgreesWithTheDefinitionAtAllSizesAndScales) {
  using T = TypeParam;
  for (const std::int64_t cols : kColumns) {
    for (const double scale : {1.0, 30.0, 1e4}) {
      const std::int64_t rows = 3;
      const auto n = static_cast<std::size_t>(rows * cols);
      const auto x = normal_values<T>(n, scale, 1);
      std::vector<T> p(n), log_p(n);
      std::vector<double> lse(3);
      ASSERT_EQ(softmax(x.data(), p.data(), rows, cols), -1);
      ASSERT_EQ(log_softmax(x.data(), log_p.data(), rows, cols), -1);
      ASSERT_EQ(log_sum_exp(x.data(), lse.data(), rows, cols), -1);
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto expected = reference_log_softmax(x.data() + r * cols, static_cast<std::size_t>(cols));
        for (std::int64_t k = 0; k < cols; ++k) {
          const auto at = static_cast<std::size_t>(r * cols + k);
          const double e = expected[static_cast<std::size_t>(k)];
          // The rounding of x - max is the error of the exponent.
          EXPECT_NEAR(p[at], std::exp(e), this->kTolerance * (1 + std::abs(e)) * std::exp(e) + 1e-37)
              << cols << " " << scale;
          EXPECT_NEAR(log_p[at], e, this->kTolerance * (1 + std::abs(e))) << cols << " " << scale;
        }
        const auto row = static_cast<std::size_t>(r);
        const double first = static_cast<double>(x[static_cast<std::size_t>(r * cols)]) - expected[0];
        EXPECT_NEAR(lse[row], first, this->kTolerance * (1 + std::abs(first)));
      }
    }
  }
}

TYPED_TEST(Softmax, MinusInfinityHasProbabilityZeroAndNoGradient) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity();
  for (const std::int64_t cols : {3, 40, 133}) {
    auto x = normal_values<T>(static_cast<std::size_t>(cols), 1, 5);
    for (std::size_t k = 0; k < x.size(); k += 2) x[k] = -inf;
    const std::vector<T> g = normal_values<T>(x.size(), 1, 6);
    std::vector<T> p(x.size()), dx(x.size());
    ASSERT_EQ(softmax(x.data(), p.data(), 1, cols), -1);
    softmax_backward(p.data(), g.data(), dx.data(), 1, cols);
    const auto expected = reference_log_softmax(x.data(), x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_NEAR(p[k], std::exp(expected[k]), this->kTolerance);
      if (k % 2 == 0) {
        EXPECT_EQ(p[k], T{0});
        EXPECT_EQ(dx[k], T{0});
      }
    }
    const std::int64_t target = 1;
    const T one = 1;
    T loss = 0;
    double lse = 0;
    ASSERT_EQ(cross_entropy(x.data(), &target, &loss, &lse, 1, cols), -1);
    cross_entropy_backward(x.data(), &target, &lse, &one, 0, dx.data(), 1, cols);
    EXPECT_NEAR(loss, -expected[1], this->kTolerance * (1 + std::abs(expected[1])));
    for (std::size_t k = 0; k < x.size(); k += 2) EXPECT_EQ(dx[k], T{0});
  }
}

TYPED_TEST(Softmax, ReportsTheFirstRowWithoutASoftmax) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::int64_t rows = 2000, cols = 37;
  for (const T poison : {nan, inf}) {
    for (const std::int64_t place : {0, 20, 36}) {
      auto x = normal_values<T>(static_cast<std::size_t>(rows * cols), 1, 7);
      std::vector<T> y(x.size()), loss(rows);
      std::vector<double> lse(rows);
      std::vector<std::int64_t> targets(rows, 0);
      x[static_cast<std::size_t>(1234 * cols + place)] = poison;
      x[static_cast<std::size_t>(1700 * cols + place)] = poison;
      EXPECT_EQ(softmax(x.data(), y.data(), rows, cols), 1234);
      EXPECT_EQ(log_softmax(x.data(), y.data(), rows, cols), 1234);
      EXPECT_EQ(log_sum_exp(x.data(), lse.data(), rows, cols), 1234);
      EXPECT_EQ(cross_entropy(x.data(), targets.data(), loss.data(), lse.data(), rows, cols), 1234);
      EXPECT_EQ(cross_entropy_soft(x.data(), x.data(), loss.data(), lse.data(), rows, cols), 1234);
    }
  }
  std::vector<T> empty(static_cast<std::size_t>(cols), -inf), y(empty.size());
  EXPECT_EQ(softmax(empty.data(), y.data(), 1, cols), 0);
  EXPECT_EQ(log_softmax(empty.data(), y.data(), 0, cols), -1);
}

// dx_k = sum_j g_j dy_j/dx_k by the full Jacobians.
TYPED_TEST(Softmax, BackwardIsTheJacobianProduct) {
  using T = TypeParam;
  for (const std::int64_t cols : {1, 5, 16, 70, 200}) {
    const auto n = static_cast<std::size_t>(cols);
    const auto x = normal_values<T>(n, 2, 8), g = normal_values<T>(n, 1, 9);
    std::vector<T> p(n), log_p(n), dx(n), log_dx(n);
    softmax(x.data(), p.data(), 1, cols);
    log_softmax(x.data(), log_p.data(), 1, cols);
    softmax_backward(p.data(), g.data(), dx.data(), 1, cols);
    log_softmax_backward(log_p.data(), g.data(), log_dx.data(), 1, cols);
    const auto exact = reference_log_softmax(x.data(), n);
    for (std::size_t k = 0; k < n; ++k) {
      double expected = 0, log_expected = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double pj = std::exp(exact[j]), pk = std::exp(exact[k]), same = j == k ? 1 : 0;
        expected += static_cast<double>(g[j]) * pj * (same - pk);
        log_expected += static_cast<double>(g[j]) * (same - pk);
      }
      EXPECT_NEAR(dx[k], expected, 3 * this->kTolerance);
      EXPECT_NEAR(log_dx[k], log_expected, 10 * this->kTolerance);
    }
  }
}

TYPED_TEST(Softmax, CrossEntropyAndItsGradientAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const std::int64_t cols : kColumns) {
    for (const double scale : {1.0, 1e4}) {
      const std::int64_t rows = 4;
      const auto n = static_cast<std::size_t>(rows * cols);
      const auto x = normal_values<T>(n, scale, 10);
      const std::vector<T> factors = {T(0.5), T(-2), T(0), T(1)};
      std::vector<std::int64_t> targets;
      for (std::int64_t r = 0; r < rows; ++r) targets.push_back(r * 13 % cols);
      std::vector<T> loss(4), dx(n), soft_loss(4), soft_dx(n), one_hot(n, T{0});
      std::vector<double> lse(4);
      for (std::int64_t r = 0; r < rows; ++r) {
        one_hot[static_cast<std::size_t>(r * cols + targets[static_cast<std::size_t>(r)])] = 1;
      }
      ASSERT_EQ(cross_entropy(x.data(), targets.data(), loss.data(), lse.data(), rows, cols), -1);
      cross_entropy_backward(x.data(), targets.data(), lse.data(), factors.data(), 1, dx.data(), rows, cols);
      ASSERT_EQ(cross_entropy_soft(x.data(), one_hot.data(), soft_loss.data(), lse.data(), rows, cols), -1);
      cross_entropy_soft_backward(x.data(), one_hot.data(), lse.data(), factors.data(), 1, soft_dx.data(),
                                  rows, cols);
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const auto exact = reference_log_softmax(x.data() + r * cols, static_cast<std::size_t>(cols));
        const double expected = -exact[static_cast<std::size_t>(targets[row])];
        EXPECT_NEAR(loss[row], expected, this->kTolerance * (1 + expected));
        EXPECT_NEAR(soft_loss[row], expected, this->kTolerance * (1 + expected));
        for (std::int64_t k = 0; k < cols; ++k) {
          const double hit = k == targets[row] ? 1 : 0;
          const double gradient =
              (std::exp(exact[static_cast<std::size_t>(k)]) - hit) * static_cast<double>(factors[row]);
          EXPECT_NEAR(dx[static_cast<std::size_t>(r * cols + k)], gradient, 2 * this->kTolerance);
          EXPECT_NEAR(soft_dx[static_cast<std::size_t>(r * cols + k)], gradient, 2 * this->kTolerance);
        }
      }
    }
  }
}

// Rows of one vector go four at a time, pieces of 64 rows together: all remainders of both.
TYPED_TEST(Softmax, CrossEntropyWithItsGradientAgreesWithTheDefinition) {
  using T = TypeParam;
  for (const std::int64_t cols : kColumns) {
    if (!cross_entropy_makes_both(cols)) continue;
    for (const std::int64_t rows : {1, 4, 7, 64, 66}) {
      const auto width = static_cast<std::size_t>(cols);
      auto x = normal_values<T>(static_cast<std::size_t>(rows) * width, 3.0, 5);
      const T scale = T(0.25);
      std::vector<std::int64_t> targets(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<std::int64_t>(i * 7) % cols;
      std::vector<T> loss(targets.size()), dx(x.size());
      std::vector<double> lse(targets.size());
      ASSERT_EQ(cross_entropy_with_gradient(x.data(), targets.data(), scale, loss.data(), lse.data(),
                                            dx.data(), rows, cols),
                -1);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const auto log_p = reference_log_softmax(x.data() + i * width, width);
        const auto target = static_cast<std::size_t>(targets[i]);
        ASSERT_NEAR(loss[i], -log_p[target], 10 * this->kTolerance) << rows << " x " << cols << ", row " << i;
        ASSERT_NEAR(lse[i], static_cast<double>(x[i * width]) - log_p[0], 10 * this->kTolerance);
        for (std::size_t k = 0; k < width; ++k) {
          ASSERT_NEAR(dx[i * width + k], 0.25 * (std::exp(log_p[k]) - (k == target ? 1.0 : 0.0)),
                      this->kTolerance)
              << rows << " x " << cols << ", row " << i << ", column " << k;
        }
      }
      for (std::size_t k = 0; k < width; ++k) x[x.size() - 1 - k] = static_cast<T>(-kInfinity);
      EXPECT_EQ(cross_entropy_with_gradient(x.data(), targets.data(), scale, loss.data(), lse.data(),
                                            dx.data(), rows, cols),
                rows - 1);
    }
  }
}

TYPED_TEST(Softmax, SoftTargetsNeedNotSumToOneAndSkipImpossibleClasses) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity();
  const std::vector<T> x = {T(1), -inf, T(2), T(0.5)}, t = {T(0.75), T(0), T(2), T(0.5)};
  std::vector<T> dx(4);
  T loss = 0;
  const T scale = 3;
  double lse = 0;
  ASSERT_EQ(cross_entropy_soft(x.data(), t.data(), &loss, &lse, 1, 4), -1);
  cross_entropy_soft_backward(x.data(), t.data(), &lse, &scale, 0, dx.data(), 1, 4);
  const double expected_lse = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(0.5));
  EXPECT_NEAR(loss, expected_lse * 3.25 - (0.75 * 1 + 2 * 2 + 0.5 * 0.5), 4 * this->kTolerance);
  EXPECT_NEAR(dx[0], 3 * (std::exp(1 - expected_lse) * 3.25 - 0.75), 20 * this->kTolerance);
  EXPECT_EQ(dx[1], T{0});
}

TYPED_TEST(Softmax, LogSumExpGradientIsTheSoftmax) {
  using T = TypeParam;
  const auto x = normal_values<T>(2 * 50, 3, 11);
  const std::vector<T> scale = {T(2), T(-1)};
  std::vector<T> p(100), dx(100);
  std::vector<double> lse(2);
  log_sum_exp(x.data(), lse.data(), 2, 50);
  log_sum_exp_backward(x.data(), lse.data(), scale.data(), 1, dx.data(), 2, 50);
  softmax(x.data(), p.data(), 2, 50);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(dx[i], scale[i / 50] * p[i], 2 * this->kTolerance);
  }
}

TYPED_TEST(Softmax, BinaryCrossEntropyAgreesWithTheDefinition) {
  using T = TypeParam;
  auto x = normal_values<T>(1003, 20, 12);
  x[0] = 0;
  x[1] = T(1e4);
  x[2] = T(-1e4);
  auto t = normal_values<T>(1003, 1, 13);
  for (T& v : t) v = v > 0 ? T(1) : (v > -1 ? T(0) : T(0.25));
  std::vector<T> loss(1003), dx(1003), dx_each(1003), each(1003, T(0.5));
  const T scale = T(0.5);
  binary_cross_entropy(x.data(), t.data(), loss.data(), 1003);
  binary_cross_entropy_backward(x.data(), t.data(), &scale, 0, dx.data(), 1003);
  binary_cross_entropy_backward(x.data(), t.data(), each.data(), 1, dx_each.data(), 1003);
  EXPECT_EQ(dx, dx_each);
  for (std::size_t i = 0; i < 1003; ++i) {
    const auto v = static_cast<long double>(x[i]), target = static_cast<long double>(t[i]);
    const auto expected = std::max(v, 0.0L) - v * target + std::log1p(std::exp(-std::abs(v)));
    EXPECT_NEAR(loss[i], static_cast<double>(expected),
                this->kTolerance * (1 + std::abs(static_cast<double>(v))));
    EXPECT_NEAR(dx[i], static_cast<double>(0.5L * (1 / (1 + std::exp(-v)) - target)), this->kTolerance);
  }
}

TYPED_TEST(Softmax, SameBitsForAnyThreadCountAndInPlace) {
  using T = TypeParam;
  const std::int64_t rows = 700, cols = 333;
  const auto n = static_cast<std::size_t>(rows * cols);
  const auto x = normal_values<T>(n, 3, 14), g = normal_values<T>(n, 1, 15);
  const std::vector<std::int64_t> targets(700, 5);
  const T scale = T(0.1);
  const auto run = [&] {
    std::vector<T> y(n), dx(n), loss(700), all;
    std::vector<double> lse(700);
    softmax(x.data(), y.data(), rows, cols);
    softmax_backward(y.data(), g.data(), dx.data(), rows, cols);
    all.insert(all.end(), dx.begin(), dx.end());
    log_softmax(x.data(), y.data(), rows, cols);
    log_softmax_backward(y.data(), g.data(), dx.data(), rows, cols);
    all.insert(all.end(), dx.begin(), dx.end());
    cross_entropy(x.data(), targets.data(), loss.data(), lse.data(), rows, cols);
    all.insert(all.end(), loss.begin(), loss.end());
    cross_entropy_backward(x.data(), targets.data(), lse.data(), &scale, 0, dx.data(), rows, cols);
    all.insert(all.end(), dx.begin(), dx.end());
    return all;
  };
  const int saved = threads();
  set_threads(1);
  const auto one = run();
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(run(), one) << count;
  }
  set_threads(saved);
  std::vector<T> separate(n), same = x;
  softmax(x.data(), separate.data(), rows, cols);
  softmax(same.data(), same.data(), rows, cols);
  EXPECT_EQ(same, separate);
}

// Large outputs are written around the caches by other instructions: the numbers must be the same.
TYPED_TEST(Softmax, LargeOutputsHoldTheSameBits) {
  using T = TypeParam;
  const std::int64_t cols = 1003, rows = (8 << 20) / static_cast<std::int64_t>(sizeof(T)) / cols + 1;
  const auto n = static_cast<std::size_t>(rows * cols);
  auto x = normal_values<T>(static_cast<std::size_t>(7 * cols), 3, 16);
  x.resize(n);
  for (std::size_t i = static_cast<std::size_t>(7 * cols); i < n; ++i)
    x[i] = x[i - static_cast<std::size_t>(7 * cols)];
  std::vector<T> large(n), small(static_cast<std::size_t>(7 * cols));
  softmax(x.data(), large.data(), rows, cols);
  softmax(x.data(), small.data(), 7, cols);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(large[i], small[i % small.size()]) << i;
}

}  // namespace
}  // namespace likely::kernels
