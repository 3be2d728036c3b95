#include "likely/kernels/elementwise/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace likely::kernels {
namespace {

using Byte = std::uint8_t;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
bool compared(Compare operation, T a, T b) {
  switch (operation) {
    case Compare::equal: return a == b;
    case Compare::not_equal: return a != b;
    case Compare::less: return a < b;
    case Compare::less_equal: return a <= b;
    case Compare::greater: return a > b;
    case Compare::greater_equal: return a >= b;
  }
  return false;
}

template <class T>
void check_compare(DType type, const std::vector<T>& values) {
  std::vector<T> a, b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const std::int64_t n = static_cast<std::int64_t>(a.size());
  for (int i = 0; i < kCompareCount; ++i) {
    const Compare operation = static_cast<Compare>(i);
    for (const int a_step : {0, 1}) {
      for (const int b_step : {0, 1}) {
        std::vector<Byte> out(n + 1, 7);
        compare_row(operation, type)(a.data(), b.data(), out.data(), n, a_step, b_step);
        for (std::int64_t k = 0; k < n; ++k) {
          ASSERT_EQ(out[k], compared(operation, a[k * a_step], b[k * b_step]) ? 1 : 0)
              << "comparison " << i << " at " << k << " of " << name_of(type);
        }
        EXPECT_EQ(out[n], 7);
      }
    }
  }
}

TEST(Compare, AllTypesAndSteps) {
  check_compare<float>(DType::f32, {0.0f, -0.0f, 1.0f, -1.0f, 2.5f, static_cast<float>(kInfinity), -1e-40f,
                                    static_cast<float>(-kInfinity), static_cast<float>(kNaN)});
  check_compare<double>(DType::f64, {0.0, -0.0, 1.0, -1.0, 2.5, kInfinity, -kInfinity, kNaN, 1e-310});
  check_compare<std::int64_t>(
      DType::i64, {0, 1, -1, std::int64_t{1} << 40, -(std::int64_t{1} << 40),
                   std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 77});
  check_compare<Byte>(DType::boolean, {0, 1, 1, 0, 0, 1, 0, 1, 1});
}

TEST(Compare, Logic) {
  std::vector<Byte> a, b;
  for (int i = 0; i < 150; ++i) {
    a.push_back(static_cast<Byte>(i % 2));
    b.push_back(static_cast<Byte>(i / 2 % 2));
  }
  std::vector<Byte> both(150), either(150), one(150), not_a(150);
  logical_row(Logical::logical_and)(a.data(), b.data(), both.data(), 150, 1, 1);
  logical_row(Logical::logical_or)(a.data(), b.data(), either.data(), 150, 1, 1);
  logical_row(Logical::logical_xor)(a.data(), b.data(), one.data(), 150, 1, 1);
  logical_not_row(a.data(), not_a.data(), 150);
  for (int i = 0; i < 150; ++i) {
    EXPECT_EQ(both[i], a[i] & b[i]);
    EXPECT_EQ(either[i], a[i] | b[i]);
    EXPECT_EQ(one[i], a[i] ^ b[i]);
    EXPECT_EQ(not_a[i], 1 - a[i]);
  }
}

template <class T>
void check_where(DType type) {
  constexpr std::int64_t n = 85;
  std::vector<Byte> condition(n);
  std::vector<T> a(n), b(n);
  for (std::int64_t i = 0; i < n; ++i) {
    condition[i] = static_cast<Byte>((i * i) % 3 == 1);
    a[i] = static_cast<T>(i % 2);
    b[i] = static_cast<T>((i + 1) % 2 + (sizeof(T) > 1 ? 5 : 0));
  }
  for (int steps = 0; steps < 8; ++steps) {
    const int c = steps & 1, x = steps >> 1 & 1, y = steps >> 2 & 1;
    std::vector<T> out(n + 1, T{1});
    where_row(type)(condition.data() + 1 - c, a.data(), b.data(), out.data(), n, c, x, y);
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], (condition[1 - c + i * c] ? a[i * x] : b[i * y])) << steps << " at " << i;
    }
    EXPECT_EQ(out[n], T{1});
  }
}

TEST(Compare, Where) {
  check_where<float>(DType::f32);
  check_where<double>(DType::f64);
  check_where<std::int64_t>(DType::i64);
  check_where<Byte>(DType::boolean);
}

template <class From, class To>
To converted(DType from, DType to, From value) {
  std::vector<From> in(37, value);
  std::vector<To> out(37);
  cast_row(from, to)(in.data(), out.data(), 37);
  EXPECT_EQ(out.front(), out.back());
  return out.back();
}

TEST(Compare, Casts) {
  EXPECT_EQ((converted<float, Byte>(DType::f32, DType::boolean, 0.5f)), 1);
  EXPECT_EQ((converted<float, Byte>(DType::f32, DType::boolean, -0.0f)), 0);
  EXPECT_EQ((converted<double, Byte>(DType::f64, DType::boolean, kNaN)), 1);
  EXPECT_EQ((converted<std::int64_t, Byte>(DType::i64, DType::boolean, 256)), 1);
  EXPECT_EQ((converted<float, std::int64_t>(DType::f32, DType::i64, -2.75f)), -2);
  EXPECT_EQ((converted<double, std::int64_t>(DType::f64, DType::i64, 2.75)), 2);
  EXPECT_EQ((converted<double, std::int64_t>(DType::f64, DType::i64, kNaN)), 0);
  EXPECT_EQ((converted<double, std::int64_t>(DType::f64, DType::i64, kInfinity)),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((converted<float, std::int64_t>(DType::f32, DType::i64, -1e30f)),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((converted<float, double>(DType::f32, DType::f64, 0.1f)), static_cast<double>(0.1f));
  EXPECT_EQ((converted<double, float>(DType::f64, DType::f32, 0.1)), 0.1f);
  EXPECT_EQ((converted<std::int64_t, float>(DType::i64, DType::f32, 16777217)), 16777216.0f);
  EXPECT_EQ((converted<std::int64_t, double>(DType::i64, DType::f64, -5)), -5.0);
  EXPECT_EQ((converted<Byte, double>(DType::boolean, DType::f64, 1)), 1.0);
  EXPECT_EQ((converted<Byte, std::int64_t>(DType::boolean, DType::i64, 1)), 1);
}

TEST(Compare, FiniteAndNaN) {
  const float values[] = {0.0f, static_cast<float>(kNaN), static_cast<float>(kInfinity), 3e38f};
  Byte finite[4], nan[4];
  is_finite_row(DType::f32)(values, finite, 4);
  is_nan_row(DType::f32)(values, nan, 4);
  EXPECT_EQ(std::vector<Byte>(finite, finite + 4), (std::vector<Byte>{1, 0, 0, 1}));
  EXPECT_EQ(std::vector<Byte>(nan, nan + 4), (std::vector<Byte>{0, 1, 0, 0}));
  EXPECT_EQ(is_finite_row(DType::i64), nullptr);

  std::vector<double> many(10007, 1e300);
  EXPECT_TRUE(all_finite(many.data(), 10007, DType::f64));
  for (const std::size_t place : {std::size_t{0}, std::size_t{4095}, std::size_t{10006}}) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      many[place] = bad;
      EXPECT_FALSE(all_finite(many.data(), 10007, DType::f64));
    }
    many[place] = 0.0;
  }
  EXPECT_TRUE(all_finite(nullptr, 0, DType::f32));
}

}  // namespace
}  // namespace likely::kernels
