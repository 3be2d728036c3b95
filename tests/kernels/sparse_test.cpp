#include "likely/kernels/sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

template <class T>
std::vector<T> normal_values(std::int64_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

// A random pattern: rows hold 0 to 6 entries, in any order of columns and possibly twice the same.
template <class T>
struct Example {
  std::int64_t rows, cols;
  std::vector<std::int64_t> pointers{0}, columns, entry_rows;
  std::vector<T> values;

  Example(std::int64_t r, std::int64_t c) : rows(r), cols(c) {
    std::mt19937 generator(9);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto count = generator() % 7;
      for (unsigned k = 0; k < count; ++k) {
        columns.push_back(static_cast<std::int64_t>(generator()) % cols);
        entry_rows.push_back(row);
      }
      pointers.push_back(static_cast<std::int64_t>(columns.size()));
    }
    values = normal_values<T>(static_cast<std::int64_t>(columns.size()), 10);
  }
  SparseRows<T> view() const { return {rows, pointers.data(), columns.data(), values.data(), nullptr}; }
};

template <class T>
class Sparse : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 1e-5 : 1e-13;
};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Sparse, FloatingTypes);

TYPED_TEST(Sparse, ProductsAgreeWithTheDenseMatrix) {
  using T = TypeParam;
  const Example<T> example(150, 90);
  std::vector<std::int64_t> pointers(91), rows(example.columns.size()), positions(example.columns.size());
  sparse_transpose(150, 90, example.pointers.data(), example.columns.data(), pointers.data(), rows.data(),
                   positions.data());
  const SparseRows<T> transposed{90, pointers.data(), rows.data(), example.values.data(), positions.data()};
  for (const std::int64_t d : {1, 7, 16, 33, 130}) {
    const auto x = normal_values<T>(90 * d, 1), g = normal_values<T>(150 * d, 2);
    std::vector<T> out(static_cast<std::size_t>(150 * d)), dx(static_cast<std::size_t>(90 * d)),
        dvalues(example.values.size());
    sparse_multiply(example.view(), x.data(), d, out.data());
    sparse_multiply(transposed, g.data(), d, dx.data());
    sparse_multiply_values_gradient(example.view(), g.data(), x.data(), d, dvalues.data());
    std::vector<double> expected(out.size()), expected_dx(dx.size());
    for (std::size_t e = 0; e < example.values.size(); ++e) {
      double dot = 0;
      for (std::int64_t k = 0; k < d; ++k) {
        const auto to = static_cast<std::size_t>(example.entry_rows[e] * d + k);
        const auto from = static_cast<std::size_t>(example.columns[e] * d + k);
        const auto value = static_cast<double>(example.values[e]);
        expected[to] += value * static_cast<double>(x[from]);
        expected_dx[from] += value * static_cast<double>(g[to]);
        dot += static_cast<double>(g[to]) * static_cast<double>(x[from]);
      }
      EXPECT_NEAR(dvalues[e], dot, this->kTolerance * (1 + std::abs(dot)));
    }
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], this->kTolerance * 10);
    for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], expected_dx[i], this->kTolerance * 10);
  }
}

TYPED_TEST(Sparse, WithoutValuesEntriesCountOne) {
  using T = TypeParam;
  Example<T> example(20, 10);
  const auto x = normal_values<T>(10 * 3, 1);
  std::vector<T> out(60), expected(60);
  SparseRows<T> ones = example.view();
  ones.values = nullptr;
  sparse_multiply(ones, x.data(), 3, out.data());
  std::fill(example.values.begin(), example.values.end(), T{1});
  sparse_multiply(example.view(), x.data(), 3, expected.data());
  EXPECT_EQ(out, expected);
}

TYPED_TEST(Sparse, MaximumAndItsGradient) {
  using T = TypeParam;
  const Example<T> example(150, 90);
  for (const std::int64_t d : {1, 5, 16, 100}) {
    auto x = normal_values<T>(90 * d, 3);
    for (T& v : x) v = std::round(v * 2);  // ties
    const auto g = normal_values<T>(150 * d, 4);
    const auto n = static_cast<std::size_t>(150 * d);
    std::vector<T> out(n), dx(static_cast<std::size_t>(90 * d)), expected_dx(dx.size());
    std::vector<std::int64_t> argmax(n);
    sparse_max(example.view(), x.data(), d, out.data(), argmax.data());
    sparse_max_backward(g.data(), argmax.data(), 150, d, dx.data());
    for (std::int64_t r = 0; r < 150; ++r) {
      for (std::int64_t k = 0; k < d; ++k) {
        T best = 0;
        std::int64_t which = -1;
        for (std::int64_t e = example.pointers[static_cast<std::size_t>(r)];
             e < example.pointers[static_cast<std::size_t>(r + 1)]; ++e) {
          const std::int64_t column = example.columns[static_cast<std::size_t>(e)];
          const T v = x[static_cast<std::size_t>(column * d + k)];
          if (which < 0 || v > best) {
            best = v;
            which = column;
          }
        }
        const auto at = static_cast<std::size_t>(r * d + k);
        ASSERT_EQ(out[at], best);
        ASSERT_EQ(argmax[at], which);
        if (which >= 0) expected_dx[static_cast<std::size_t>(which * d + k)] += g[at];
      }
    }
    EXPECT_EQ(dx, expected_dx);
  }
}

TYPED_TEST(Sparse, MaximumKeepsNaNAndNegativeInfinity) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  const std::vector<std::int64_t> pointers = {0, 3, 4}, columns = {0, 1, 2, 3};
  const std::vector<T> x = {1, nan, 2, -inf};
  std::vector<T> out(2);
  std::vector<std::int64_t> argmax(2);
  sparse_max(SparseRows<T>{2, pointers.data(), columns.data(), nullptr, nullptr}, x.data(), 1, out.data(),
             argmax.data());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(argmax[0], 1);
  EXPECT_EQ(out[1], -inf);
  EXPECT_EQ(argmax[1], 3);
}

TYPED_TEST(Sparse, SameBitsForAnyThreadCount) {
  using T = TypeParam;
  const Example<T> example(3000, 1000);
  const std::int64_t d = 100;
  const auto x = normal_values<T>(1000 * d, 5), g = normal_values<T>(3000 * d, 6);
  const auto run = [&] {
    std::vector<T> out(static_cast<std::size_t>(3000 * d)), dx(static_cast<std::size_t>(1000 * d)),
        dvalues(example.values.size());
    std::vector<std::int64_t> argmax(out.size());
    sparse_multiply(example.view(), x.data(), d, out.data());
    sparse_multiply_values_gradient(example.view(), g.data(), x.data(), d, dvalues.data());
    std::vector<T> all = out;
    all.insert(all.end(), dvalues.begin(), dvalues.end());
    sparse_max(example.view(), x.data(), d, out.data(), argmax.data());
    sparse_max_backward(g.data(), argmax.data(), 3000, d, dx.data());
    all.insert(all.end(), out.begin(), out.end());
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
}

}  // namespace
}  // namespace likely::kernels
