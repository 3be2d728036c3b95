#include "likely/kernels/gather.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

std::vector<std::int64_t> random_indices(std::size_t count, std::int64_t limit, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<std::int64_t> uniform(0, limit - 1);
  std::vector<std::int64_t> indices(count);
  for (auto& i : indices) i = uniform(generator);
  return indices;
}

template <class T>
std::vector<T> normal_values(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

TEST(Gather, FindsTheFirstIndexOutOfRange) {
  std::vector<std::int64_t> indices(1000, 3);
  EXPECT_EQ(first_outside(indices.data(), 1000, 4), -1);
  EXPECT_EQ(first_outside(indices.data(), 0, 0), -1);
  EXPECT_EQ(first_outside(indices.data(), 1000, 3), 0);
  indices[700] = -1;
  indices[701] = 9;
  EXPECT_EQ(first_outside(indices.data(), 1000, 4), 700);
  indices[700] = 4;
  EXPECT_EQ(first_outside(indices.data(), 1000, 4), 700);
}

TEST(Gather, RowsOfAnySize) {
  const std::vector<std::int64_t> indices = random_indices(5000, 100, 1);
  for (const std::int64_t bytes : {1, 3, 4, 8, 16, 64, 100, 512}) {
    std::vector<std::uint8_t> table(static_cast<std::size_t>(100 * bytes));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint8_t>(i * 37 + i / 256);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(5000 * bytes));
    gather_rows(table.data(), bytes, indices.data(), 5000, out.data());
    for (std::int64_t i = 0; i < 5000; ++i) {
      for (std::int64_t k = 0; k < bytes; ++k) {
        ASSERT_EQ(out[static_cast<std::size_t>(i * bytes + k)],
                  table[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)] * bytes + k)]);
      }
    }
  }
}

template <class T>
class GatherFloating : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(GatherFloating, FloatingTypes);

TYPED_TEST(GatherFloating, ScatterAddRowsSumsInTheOrderOfTheIndices) {
  using T = TypeParam;
  const int saved = threads();
  for (const std::int64_t width : {1, 7, 64, 130, 300}) {
    const std::size_t count = 3000;
    const auto indices = random_indices(count, 50, 2);
    const auto rows = normal_values<T>(count * static_cast<std::size_t>(width), 3);
    const auto start = normal_values<T>(50 * static_cast<std::size_t>(width), 4);
    std::vector<T> expected = start;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::int64_t k = 0; k < width; ++k) {
        expected[static_cast<std::size_t>(indices[i] * width + k)] +=
            rows[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(k)];
      }
    }
    for (const int n : {1, 2, 3}) {
      set_threads(n);
      std::vector<T> out = start;
      scatter_add_rows(rows.data(), width, indices.data(), static_cast<std::int64_t>(count), out.data());
      EXPECT_EQ(out, expected) << width << " on " << n;
    }
  }
  set_threads(saved);
}

TYPED_TEST(GatherFloating, AlongAnAxisAndBack) {
  using T = TypeParam;
  const int saved = threads();
  for (const AxisShape shape : {AxisShape{3, 5, 4, 2}, {1, 10, 1, 30}, {200, 7, 1, 1}, {2, 4, 700, 9}}) {
    const auto count = static_cast<std::size_t>(shape.outer * shape.indices * shape.inner);
    const auto size = static_cast<std::size_t>(shape.outer * shape.length * shape.inner);
    const auto indices = random_indices(count, shape.length, 5);
    const auto x = normal_values<T>(size, 6), g = normal_values<T>(count, 7);
    std::vector<T> expected(count), expected_sums(size);
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      for (std::int64_t j = 0; j < shape.indices; ++j) {
        for (std::int64_t i = 0; i < shape.inner; ++i) {
          const auto at = static_cast<std::size_t>((o * shape.indices + j) * shape.inner + i);
          const auto from = static_cast<std::size_t>((o * shape.length + indices[at]) * shape.inner + i);
          expected[at] = x[from];
          expected_sums[from] += g[at];
        }
      }
    }
    for (const int n : {1, 2, 3}) {
      set_threads(n);
      std::vector<T> out(count), sums(size);
      gather_along(x.data(), shape, sizeof(T), indices.data(), out.data());
      scatter_add_along(g.data(), shape, indices.data(), sums.data());
      EXPECT_EQ(out, expected);
      EXPECT_EQ(sums, expected_sums);
    }
  }
  set_threads(saved);
}

TEST(Gather, AlongAnAxisOfBytes) {
  const std::vector<std::uint8_t> x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> indices = {2, 0, 1, 1};
  std::vector<std::uint8_t> out(4);
  gather_along(x.data(), {2, 3, 1, 2}, 1, indices.data(), out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{3, 1, 5, 5}));
}

}  // namespace
}  // namespace likely::kernels
