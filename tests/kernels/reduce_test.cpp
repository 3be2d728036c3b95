#include "likely/kernels/reduce/reduce.hpp"

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

using Byte = std::uint8_t;
using Real = long double;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct View {
  std::int64_t outer, reduced, inner;
};

// Short, long, odd, narrow, wide, with and without tiles inside a row.
const View kViews[] = {{1, 1, 1},     {3, 1, 2},     {5, 7, 1},     {2, 0, 3},      {2, 0, 1},
                       {7, 16, 1},    {3, 4099, 1},  {2, 70001, 1}, {1, 300007, 1}, {40, 513, 1},
                       {1, 5, 3},     {2, 1000, 3},  {1, 50000, 5}, {3, 33, 64},    {2, 40, 100},
                       {1, 70, 129},  {4, 9, 300},   {1, 700, 130}, {20, 65, 17},   {1, 9000, 63},
                       {1, 70000, 1}, {1, 2500, 127}};

template <class T>
std::vector<T> numbers(std::int64_t n, double low, double high) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& v : values) v = static_cast<T>(uniform(random));
  return values;
}

template <class T, class Check>
void for_each_result(const View& view, const std::vector<T>& x, Check&& check) {
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t i = 0; i < view.inner; ++i) {
      std::vector<T> line;
      for (std::int64_t r = 0; r < view.reduced; ++r)
        line.push_back(x[(o * view.reduced + r) * view.inner + i]);
      check(o * view.inner + i, line);
    }
  }
}

template <class T>
void check_floating(double tolerance) {
  for (const View& view : kViews) {
    const std::vector<T> x = numbers<T>(view.outer * view.reduced * view.inner, -3.0, 3.5);
    std::vector<T> near_one(x);
    for (T& v : near_one) v = T{1} + v / T{4096};
    const std::size_t n = static_cast<std::size_t>(view.outer * view.inner);
    std::vector<T> sum(n), squares(n), magnitudes(n), product(n), largest(n), least(n), logsumexp(n);
    const auto run = [&](Reduce operation, const std::vector<T>& from, std::vector<T>& to) {
      reduce(operation, dtype_of<T>, from.data(), to.data(), view.outer, view.reduced, view.inner);
    };
    run(Reduce::sum, x, sum);
    run(Reduce::sum_of_squares, x, squares);
    run(Reduce::sum_of_magnitudes, x, magnitudes);
    run(Reduce::product, near_one, product);
    run(Reduce::maximum, x, largest);
    run(Reduce::minimum, x, least);
    run(Reduce::logsumexp, x, logsumexp);
    for_each_result(view, x, [&](std::int64_t place, const std::vector<T>& line) {
      Real s = 0, q = 0, m = 0, e = 0;
      T high = static_cast<T>(-kInfinity), low = static_cast<T>(kInfinity);
      for (const T v : line) {
        s += v;
        q += Real{v} * v;
        m += std::fabs(v);
        e += std::exp(Real{v});
        high = std::max(high, v);
        low = std::min(low, v);
      }
      const double scale = 1 + static_cast<double>(m);
      ASSERT_NEAR(sum[place], static_cast<double>(s), tolerance * scale) << view.reduced << "x" << view.inner;
      ASSERT_NEAR(squares[place], static_cast<double>(q), tolerance * (1 + static_cast<double>(q)));
      ASSERT_NEAR(magnitudes[place], static_cast<double>(m), tolerance * scale);
      ASSERT_EQ(largest[place], high);
      ASSERT_EQ(least[place], low);
      if (line.empty()) {
        ASSERT_EQ(logsumexp[place], static_cast<T>(-kInfinity));
      } else {
        const double exact = static_cast<double>(std::log(e));
        ASSERT_NEAR(logsumexp[place], exact, tolerance * (1 + std::abs(exact)));
      }
    });
    for_each_result(view, near_one, [&](std::int64_t place, const std::vector<T>& line) {
      Real p = 1;
      for (const T v : line) p *= v;
      const double exact = static_cast<double>(static_cast<T>(p));
      ASSERT_NEAR(product[place], exact,
                  30 * tolerance * (1 + static_cast<double>(line.size()) / 30) * std::abs(exact));
    });
  }
}

TEST(Reduce, FloatAgreesWithLongDouble) { check_floating<float>(1e-6); }
TEST(Reduce, DoubleAgreesWithLongDouble) { check_floating<double>(2e-15); }

TEST(Reduce, SumOfTenMillionFloatsKeepsItsDigits) {
  const std::vector<float> x = numbers<float>(10'000'000, 0.0, 1.0);
  Real exact = 0;
  for (const float v : x) exact += v;
  float total = 0;
  reduce(Reduce::sum, DType::f32, x.data(), &total, 1, 10'000'000, 1);
  EXPECT_NEAR(total / static_cast<double>(exact), 1.0, 1.2e-7);
  // The same numbers as columns.
  std::vector<float> columns(100);
  reduce(Reduce::sum, DType::f32, x.data(), columns.data(), 1, 100'000, 100);
  Real first = 0;
  for (std::size_t i = 0; i < x.size(); i += 100) first += x[i];
  EXPECT_NEAR(columns[0] / static_cast<double>(first), 1.0, 1.2e-7);
}

TEST(Reduce, BitsDoNotDependOnThreads) {
  for (const View& view : kViews) {
    const std::vector<float> x = numbers<float>(view.outer * view.reduced * view.inner, -1.0, 1.0);
    const std::size_t n = static_cast<std::size_t>(view.outer * view.inner);
    for (const Reduce operation : {Reduce::sum, Reduce::product, Reduce::sum_of_squares, Reduce::logsumexp}) {
      std::vector<float> one(n), several(n);
      set_threads(1);
      reduce(operation, DType::f32, x.data(), one.data(), view.outer, view.reduced, view.inner);
      for (const int threads_used : {2, 3}) {
        set_threads(threads_used);
        reduce(operation, DType::f32, x.data(), several.data(), view.outer, view.reduced, view.inner);
        ASSERT_EQ(std::memcmp(one.data(), several.data(), n * sizeof(float)), 0);
      }
    }
  }
  set_threads(1);
}

template <class T>
void check_edges() {
  const auto of = [](Reduce operation, std::vector<double> values, std::int64_t inner = 1) {
    // Each value is repeated along the inner dimension, so that rows and columns see the same line.
    std::vector<T> x;
    for (const double v : values) x.insert(x.end(), static_cast<std::size_t>(inner), static_cast<T>(v));
    std::vector<T> out(static_cast<std::size_t>(inner));
    reduce(operation, dtype_of<T>, x.data(), out.data(), 1, static_cast<std::int64_t>(values.size()), inner);
    return static_cast<double>(out.back());
  };
  for (const std::int64_t inner : {1, 3, 200}) {
    EXPECT_EQ(of(Reduce::logsumexp, {-kInfinity, -kInfinity}, inner), -kInfinity);
    EXPECT_EQ(of(Reduce::logsumexp, {0, kInfinity}, inner), kInfinity);
    EXPECT_TRUE(std::isnan(of(Reduce::logsumexp, {0, kNaN, kInfinity}, inner)));
    EXPECT_EQ(of(Reduce::logsumexp, {1e4, -kInfinity, -1e4}, inner), 1e4);
    EXPECT_NEAR(of(Reduce::logsumexp, {-1e4, -1e4}, inner), -1e4 + std::log(2.0), 1e-3);
    EXPECT_TRUE(std::isnan(of(Reduce::maximum, {1, kNaN, 2, 3}, inner)));
    EXPECT_TRUE(std::isnan(of(Reduce::minimum, {kNaN, 2, 3}, inner)));
    EXPECT_EQ(of(Reduce::maximum, {-kInfinity, -kInfinity}, inner), -kInfinity);
    EXPECT_EQ(of(Reduce::sum, {kInfinity, 1, 2}, inner), kInfinity);
    EXPECT_EQ(of(Reduce::sum, {1, -kInfinity}, inner), -kInfinity);
    EXPECT_TRUE(std::isnan(of(Reduce::sum, {kInfinity, -kInfinity}, inner)));
    EXPECT_TRUE(std::isnan(of(Reduce::sum, {1, kNaN}, inner)));
    EXPECT_EQ(of(Reduce::product, {}, inner), 1);
    EXPECT_EQ(of(Reduce::product, {2, 0, kInfinity}, inner) == 0, false);
  }
  // A NaN anywhere in a long row is found.
  for (const std::size_t place : {std::size_t{0}, std::size_t{77}, std::size_t{4999}}) {
    std::vector<double> line(5000, 1.0);
    line[place] = kNaN;
    EXPECT_TRUE(std::isnan(of(Reduce::maximum, line)));
    EXPECT_TRUE(std::isnan(of(Reduce::maximum, line, 2)));
  }
}

TEST(Reduce, FloatEdges) { check_edges<float>(); }
TEST(Reduce, DoubleEdges) { check_edges<double>(); }

TEST(Reduce, WholeNumbersAndTruth) {
  for (const View& view : kViews) {
    const std::vector<std::int64_t> x =
        numbers<std::int64_t>(view.outer * view.reduced * view.inner, -2.9, 3.9);
    const std::size_t n = static_cast<std::size_t>(view.outer * view.inner);
    std::vector<std::int64_t> sum(n), squares(n), magnitudes(n), largest(n), least(n), count(n);
    std::vector<Byte> any(n), all(n);
    set_threads(2);
    const auto run = [&](Reduce operation, void* to) {
      reduce(operation, DType::i64, x.data(), to, view.outer, view.reduced, view.inner);
    };
    run(Reduce::sum, sum.data());
    run(Reduce::sum_of_squares, squares.data());
    run(Reduce::sum_of_magnitudes, magnitudes.data());
    run(Reduce::maximum, largest.data());
    run(Reduce::minimum, least.data());
    run(Reduce::count_nonzero, count.data());
    run(Reduce::any, any.data());
    run(Reduce::all, all.data());
    for_each_result(view, x, [&](std::int64_t place, const std::vector<std::int64_t>& line) {
      std::int64_t s = 0, q = 0, m = 0, c = 0;
      std::int64_t high = std::numeric_limits<std::int64_t>::min(),
                   low = std::numeric_limits<std::int64_t>::max();
      for (const std::int64_t v : line) {
        s += v;
        q += v * v;
        m += std::abs(v);
        c += v != 0;
        high = std::max(high, v);
        low = std::min(low, v);
      }
      ASSERT_EQ(sum[place], s);
      ASSERT_EQ(squares[place], q);
      ASSERT_EQ(magnitudes[place], m);
      ASSERT_EQ(largest[place], high);
      ASSERT_EQ(least[place], low);
      ASSERT_EQ(count[place], c);
      ASSERT_EQ(any[place], c > 0 ? 1 : 0);
      ASSERT_EQ(all[place], c == static_cast<std::int64_t>(line.size()) ? 1 : 0);
    });
  }
  set_threads(1);
  const Byte flags[] = {1, 0, 1, 1, 1, 1};
  Byte all[3];
  std::int64_t count[3];
  reduce(Reduce::all, DType::boolean, flags, all, 1, 2, 3);
  reduce(Reduce::count_nonzero, DType::boolean, flags, count, 3, 2, 1);
  EXPECT_EQ(std::vector<Byte>(all, all + 3), (std::vector<Byte>{1, 0, 1}));
  EXPECT_EQ(std::vector<std::int64_t>(count, count + 3), (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(reduced_type(Reduce::any, DType::f32), DType::boolean);
  EXPECT_EQ(reduced_type(Reduce::count_nonzero, DType::f32), DType::i64);
  EXPECT_EQ(reduced_type(Reduce::sum, DType::f64), DType::f64);
  std::int64_t value = 0;
  EXPECT_THROW(reduce(Reduce::logsumexp, DType::i64, &value, &value, 1, 1, 1), Error);
}

template <class T>
void check_arguments(DType type) {
  for (const View& view : kViews) {
    if (view.reduced == 0) continue;
    // Few different values, so that there are ties.
    std::vector<T> x = numbers<T>(view.outer * view.reduced * view.inner, 0.0, sizeof(T) == 1 ? 1.99 : 40.0);
    if constexpr (std::is_floating_point_v<T>) {
      for (T& v : x) v = std::floor(v);
      if (x.size() > 5000) x[4321] = x[4400] = static_cast<T>(kNaN);
    }
    const std::size_t n = static_cast<std::size_t>(view.outer * view.inner);
    std::vector<std::int64_t> largest(n), least(n);
    for_each_result(view, x, [&](std::int64_t place, const std::vector<T>& line) {
      std::size_t high = 0, low = 0;
      for (std::size_t i = 1; i < line.size(); ++i) {
        const bool nan = line[i] != line[i];
        if (line[high] == line[high] && (nan || line[i] > line[high])) high = i;
        if (line[low] == line[low] && (nan || line[i] < line[low])) low = i;
      }
      largest[place] = static_cast<std::int64_t>(high);
      least[place] = static_cast<std::int64_t>(low);
    });
    for (const int threads_used : {1, 2}) {
      set_threads(threads_used);
      std::vector<std::int64_t> found(n, -1);
      arg_reduce(ArgReduce::argmax, type, x.data(), found.data(), view.outer, view.reduced, view.inner);
      ASSERT_EQ(found, largest) << view.reduced << " x " << view.inner;
      arg_reduce(ArgReduce::argmin, type, x.data(), found.data(), view.outer, view.reduced, view.inner);
      ASSERT_EQ(found, least) << view.reduced << " x " << view.inner;
    }
  }
  set_threads(1);
}

TEST(Reduce, ArgumentsOfExtremes) {
  check_arguments<float>(DType::f32);
  check_arguments<double>(DType::f64);
  check_arguments<std::int64_t>(DType::i64);
  check_arguments<Byte>(DType::boolean);
  float value = 0;
  std::int64_t place = 0;
  EXPECT_THROW(arg_reduce(ArgReduce::argmax, DType::f32, &value, &place, 1, 0, 1), Error);
}

}  // namespace
}  // namespace likely::kernels
