#include "likely/kernels/order/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

using Byte = std::uint8_t;

template <class T>
std::vector<std::int64_t> expected_order(const T* x, std::int64_t n, Direction direction) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const T u = x[a], v = x[b];
    if (u != u || v != v) return u == u && v != v;
    return direction == Direction::ascending ? u < v : u > v;
  });
  return order;
}

enum class Pattern { random, few_values, rising, falling, equal };

template <class T>
std::vector<T> numbers(std::int64_t n, Pattern pattern) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n) + 5);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    switch (pattern) {
      case Pattern::random:
        x[i] = std::is_floating_point_v<T> ? static_cast<T>(std::normal_distribution<double>(0, 10)(random))
                                           : static_cast<T>(random());
        break;
      case Pattern::few_values: x[i] = static_cast<T>(random() % 7); break;
      case Pattern::rising: x[i] = static_cast<T>(i / 3); break;
      case Pattern::falling: x[i] = static_cast<T>((n - i) / 3); break;
      case Pattern::equal: x[i] = static_cast<T>(1); break;
    }
  }
  if constexpr (sizeof(T) == 1) {
    for (T& v : x) v = static_cast<T>(v & 1);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (pattern == Pattern::random && n > 6) {
      x[1] = std::numeric_limits<T>::quiet_NaN();
      x[2] = std::numeric_limits<T>::infinity();
      x[3] = -std::numeric_limits<T>::infinity();
      x[4] = T{0};
      x[5] = -T{0};
      x[n - 1] = -std::numeric_limits<T>::quiet_NaN();
    }
  }
  return x;
}

constexpr Pattern kPatterns[] = {Pattern::random, Pattern::few_values, Pattern::rising, Pattern::falling,
                                 Pattern::equal};

template <class T>
void check(DType type) {
  for (const Pattern pattern : kPatterns) {
    for (const std::int64_t n : {1, 2, 7, 100, 767, 768, 5000}) {
      constexpr std::int64_t rows = 3;
      const std::vector<T> x = numbers<T>(rows * n, pattern);
      for (const Direction direction : {Direction::ascending, Direction::descending}) {
        std::vector<T> values(x.size());
        std::vector<std::int64_t> indices(x.size());
        set_threads(direction == Direction::ascending ? 1 : 3);
        sort_rows(type, x.data(), values.data(), indices.data(), rows, n, direction);
        std::vector<T> in_place(x);
        sort_rows(type, in_place.data(), in_place.data(), nullptr, rows, n, direction);
        EXPECT_EQ(std::memcmp(in_place.data(), values.data(), x.size() * sizeof(T)), 0);
        for (std::int64_t row = 0; row < rows; ++row) {
          const auto order = expected_order(x.data() + row * n, n, direction);
          for (std::int64_t i = 0; i < n; ++i) {
            ASSERT_EQ(indices[row * n + i], order[i]) << n << " pattern " << static_cast<int>(pattern);
            ASSERT_EQ(std::memcmp(&values[row * n + i], &x[row * n + order[i]], sizeof(T)), 0);
          }
          for (const std::int64_t k : {std::int64_t{1}, std::min<std::int64_t>(n, 10), n / 2, n}) {
            std::vector<T> best(static_cast<std::size_t>(k));
            std::vector<std::int64_t> places(static_cast<std::size_t>(k));
            top_k_rows(type, x.data() + row * n, best.data(), places.data(), 1, n, k, direction);
            for (std::int64_t i = 0; i < k; ++i) {
              ASSERT_EQ(places[i], order[i])
                  << "best " << k << " of " << n << " pattern " << static_cast<int>(pattern);
              ASSERT_EQ(std::memcmp(&best[i], &x[row * n + order[i]], sizeof(T)), 0);
            }
          }
        }
      }
    }
  }
  set_threads(1);
}

TEST(Order, Float) { check<float>(DType::f32); }
TEST(Order, Double) { check<double>(DType::f64); }
TEST(Order, WholeNumbers) { check<std::int64_t>(DType::i64); }
TEST(Order, Truth) { check<Byte>(DType::boolean); }

TEST(Order, TopKOfManyNaN) {
  std::vector<float> x(4000, std::numeric_limits<float>::quiet_NaN());
  x[3000] = -std::numeric_limits<float>::infinity();
  x[3500] = 2.0f;
  std::int64_t places[4];
  top_k_rows(DType::f32, x.data(), nullptr, places, 1, 4000, 4);
  EXPECT_EQ(places[0], 3500);
  EXPECT_EQ(places[1], 3000);
  EXPECT_EQ(places[2], 0);
  EXPECT_EQ(places[3], 1);
}

TEST(Order, RefusesWhatARowDoesNotHold) {
  float x[3] = {1, 2, 3}, values[4];
  std::int64_t indices[4];
  EXPECT_THROW(top_k_rows(DType::f32, x, values, indices, 1, 3, 4), Error);
  EXPECT_THROW(top_k_rows(DType::f32, x, values, indices, 1, 3, -1), Error);
  top_k_rows(DType::f32, x, values, indices, 1, 3, 0);
  sort_rows(DType::f32, x, values, indices, 0, 3, Direction::ascending);
}

}  // namespace
}  // namespace likely::kernels
