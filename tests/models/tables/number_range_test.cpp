#include "likely/models/tables/number_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace likely::tables {
namespace {

// 0, 1, ..., count - 1 and more.
std::vector<double> counted(int count, const std::vector<double>& more = {}) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

void expect_range(const std::vector<double>& values, double low, double high) {
  const NumberRange range = usual_range(values);
  EXPECT_EQ(range.low, low);
  EXPECT_EQ(range.high, high);
}

TEST(NumberRange, LeavesOutWhatIsFarFromAllOthers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  expect_range({}, 0, 0);
  expect_range({none, none}, 0, 0);
  expect_range(counted(100), 0, 99);
  expect_range(counted(100, {1e160, none}), 0, 99);
  expect_range(counted(100, {1e160, -1e300, 1e161}), 0, 99);
  // 20 times the width of 99 beyond 99.
  expect_range(counted(100, {99 * 21}), 0, 99 * 21);
  expect_range(counted(100, {99 * 21 + 1}), 0, 99);
  expect_range(counted(100, {-99 * 20 - 1}), 0, 99);
  // What is far from the middle may be near to others that are: no gap is too wide.
  expect_range(counted(100, {1500, 20000}), 0, 20000);
  // The same number may come again.
  expect_range(counted(100, std::vector<double>(10, 9999.0)), 0, 99);
  expect_range(counted(5, {1e6}), 0, 1e6);  // one of six
}

TEST(NumberRange, KeepsGroupsAndFewDifferentNumbers) {
  // More than a tenth are no accident.
  expect_range(counted(100, std::vector<double>(12, 9999.0)), 0, 9999);
  // Rare pixels, flags, numbers that are always the same.
  std::vector<double> rare(200, 0.0);
  rare[7] = 1.0;
  rare[9] = 1000.0;
  expect_range(rare, 0, 1000);
  expect_range(std::vector<double>(50, 3.0), 3, 3);
  // Mostly 0, and few different numbers beside it.
  for (int i = 20; i < 30; ++i) rare[static_cast<std::size_t>(i)] = i % 5 + 1;
  rare[9] = 1e6;
  expect_range(rare, 0, 5);
}

// Long tails have no gaps.
TEST(NumberRange, KeepsLongTails) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937_64 source(seed);
    std::lognormal_distribution<double> heavy(0.0, 2.0);
    std::vector<double> values;
    for (int i = 0; i < 600; ++i) values.push_back(heavy(source));
    EXPECT_EQ(usual_range(values).high, *std::max_element(values.begin(), values.end())) << seed;
  }
}

TEST(NumberRange, DrawsIn) {
  const NumberRange range{0.0, 10.0};
  EXPECT_FALSE(range.is_outside(11.0));
  EXPECT_TRUE(range.is_outside(11.5));
  EXPECT_TRUE(range.is_outside(-1.5));
  EXPECT_FALSE(range.is_far(210.0));
  EXPECT_TRUE(range.is_far(211.0));
  EXPECT_EQ(range.drawn_in(1e300), 11.0);
  EXPECT_EQ(range.drawn_in(-5.0), -1.0);
  EXPECT_EQ(range.drawn_in(4.0), 4.0);
  const double most = std::numeric_limits<double>::max();
  const NumberRange widest{-most, most};
  EXPECT_FALSE(widest.is_far(most));
  EXPECT_EQ(widest.drawn_in(most), most);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(range.is_far(none) || range.is_outside(none));
}

}  // namespace
}  // namespace likely::tables
