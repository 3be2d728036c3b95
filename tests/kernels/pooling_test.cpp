#include "likely/kernels/pooling/pooling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

// planes, in_height, in_width, kernel 2x, stride 2x, pads top left bottom right
const std::vector<Pool2dShape> kShapes = {
    {3, 24, 24, 2, 2, 2, 2},
    {2, 8, 8, 2, 2, 2, 2},
    {5, 7, 9, 2, 2, 2, 2},
    {1, 2, 2, 2, 2, 2, 2},
    {2, 3, 75, 2, 2, 2, 2},
    {2, 1, 1, 1, 1, 1, 1},
    {4, 9, 10, 3, 3, 2, 2},
    {3, 8, 11, 3, 2, 1, 3, 1, 0, 2, 1},
    {2, 6, 6, 2, 2, 2, 2, 1, 1, 1, 1},
    {2, 5, 4, 5, 4, 1, 1},
    {1, 12, 7, 3, 3, 1, 1, 1, 1, 1, 1},
    {0, 4, 4, 2, 2, 2, 2},
    {2, 1, 20, 1, 3, 1, 2, 0, 1, 0, 0},
};

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> small(-9, 9);  // coarse, so that ties happen
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(small(generator)) / 4;
  return values;
}

// Calls visit(input position) for each input of one window, all positions within the whole array.
template <class Visit>
void visit_window(const Pool2dShape& s, std::int64_t plane, std::int64_t row, std::int64_t column,
                  const Visit& visit) {
  for (std::int64_t i = 0; i < s.kernel_height; ++i) {
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
      const std::int64_t y = row * s.stride_h - s.pad_top + i;
      const std::int64_t x = column * s.stride_w - s.pad_left + j;
      if (y < 0 || y >= s.in_height || x < 0 || x >= s.in_width) continue;
      visit(static_cast<std::size_t>((plane * s.in_height + y) * s.in_width + x));
    }
  }
}

template <class Visit>
void visit_outputs(const Pool2dShape& s, const Visit& visit) {
  std::size_t out = 0;
  for (std::int64_t plane = 0; plane < s.planes; ++plane) {
    for (std::int64_t row = 0; row < s.out_height(); ++row) {
      for (std::int64_t column = 0; column < s.out_width(); ++column) visit(out++, plane, row, column);
    }
  }
}

template <class T>
class PoolingTest : public testing::Test {};
using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(PoolingTest, ElementTypes);

TYPED_TEST(PoolingTest, MaximumAndItsGradient) {
  for (const Pool2dShape& s : kShapes) {
    const auto input = random_values<TypeParam>(s.planes * s.in_height * s.in_width, 1);
    const std::int64_t outputs = s.planes * s.out_height() * s.out_width();
    std::vector<TypeParam> output(static_cast<std::size_t>(outputs));
    std::vector<std::int64_t> index(output.size());
    max_pool2d_forward(s, input.data(), output.data(), index.data());
    const auto gradient = random_values<TypeParam>(outputs, 2);
    std::vector<TypeParam> expected_gradient(input.size(), 0);
    visit_outputs(s, [&](std::size_t out, std::int64_t plane, std::int64_t row, std::int64_t column) {
      TypeParam largest = -std::numeric_limits<TypeParam>::infinity();
      std::size_t first = 0;
      visit_window(s, plane, row, column, [&](std::size_t in) {
        if (input[in] > largest) {
          largest = input[in];
          first = in;
        }
      });
      EXPECT_EQ(output[out], largest);
      EXPECT_EQ(static_cast<std::size_t>(plane * s.in_height * s.in_width + index[out]), first);
      expected_gradient[first] += gradient[out];
    });
    std::vector<TypeParam> grad_input(input.size(), 99);
    max_pool2d_backward(s, gradient.data(), index.data(), grad_input.data());
    EXPECT_EQ(grad_input, expected_gradient);
    std::vector<TypeParam> again(output.size());
    max_pool2d_forward(s, input.data(), again.data(), nullptr);
    EXPECT_EQ(again, output);
  }
}

TYPED_TEST(PoolingTest, MaximumOfEqualValuesIsTheFirst) {
  const Pool2dShape s{1, 4, 40, 2, 2, 2, 2};
  const std::vector<TypeParam> input(160, -1);
  std::vector<TypeParam> output(40);
  std::vector<std::int64_t> index(40);
  max_pool2d_forward(s, input.data(), output.data(), index.data());
  for (std::int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(index[static_cast<std::size_t>(i)], i / 20 * 80 + i % 20 * 2);
}

TYPED_TEST(PoolingTest, NotANumberIsTheMaximum) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const std::int64_t stride : {1, 2}) {
    const Pool2dShape s{1, 4, 18, 2, 2, stride, stride};
    for (std::size_t at = 0; at < 72; ++at) {
      auto input = random_values<TypeParam>(72, 3);
      input[at] = nan;
      std::vector<TypeParam> output(static_cast<std::size_t>(s.out_height() * s.out_width()));
      std::vector<std::int64_t> index(output.size());
      max_pool2d_forward(s, input.data(), output.data(), index.data());
      visit_outputs(s, [&](std::size_t out, std::int64_t plane, std::int64_t row, std::int64_t column) {
        bool has = false;
        visit_window(s, plane, row, column, [&](std::size_t in) { has = has || in == at; });
        EXPECT_EQ(std::isnan(output[out]), has);
        EXPECT_EQ(static_cast<std::size_t>(index[out]) == at, has);
      });
    }
  }
}

TYPED_TEST(PoolingTest, AverageAndItsGradient) {
  for (const bool include_padding : {false, true}) {
    for (const Pool2dShape& s : kShapes) {
      const auto input = random_values<TypeParam>(s.planes * s.in_height * s.in_width, 4);
      const std::int64_t outputs = s.planes * s.out_height() * s.out_width();
      std::vector<TypeParam> output(static_cast<std::size_t>(outputs));
      average_pool2d_forward(s, include_padding, input.data(), output.data());
      const auto gradient = random_values<TypeParam>(outputs, 5);
      std::vector<double> expected_gradient(input.size(), 0);
      const double tolerance = 20 * std::numeric_limits<TypeParam>::epsilon();
      visit_outputs(s, [&](std::size_t out, std::int64_t plane, std::int64_t row, std::int64_t column) {
        double sum = 0;
        double count = 0;
        visit_window(s, plane, row, column, [&](std::size_t in) {
          sum += input[in];
          count += 1;
        });
        if (include_padding) count = static_cast<double>(s.kernel_height * s.kernel_width);
        EXPECT_NEAR(output[out], sum / count, tolerance);
        visit_window(s, plane, row, column,
                     [&](std::size_t in) { expected_gradient[in] += gradient[out] / count; });
      });
      std::vector<TypeParam> grad_input(input.size(), 99);
      average_pool2d_backward(s, include_padding, gradient.data(), grad_input.data());
      for (std::size_t i = 0; i < input.size(); ++i) {
        EXPECT_NEAR(grad_input[i], expected_gradient[i], tolerance);
      }
    }
  }
}

TYPED_TEST(PoolingTest, SameBitsForAnyNumberOfThreads) {
  const int saved = threads();
  const Pool2dShape s{640, 24, 24, 3, 3, 2, 2, 1, 1, 1, 1};
  const auto input = random_values<TypeParam>(s.planes * s.in_height * s.in_width, 6);
  const auto run = [&](int count) {
    set_threads(count);
    const auto size = static_cast<std::size_t>(s.planes * s.out_height() * s.out_width());
    std::vector<TypeParam> output(size);
    std::vector<std::int64_t> index(size);
    std::vector<TypeParam> results(2 * input.size());
    max_pool2d_forward(s, input.data(), output.data(), index.data());
    max_pool2d_backward(s, output.data(), index.data(), results.data());
    average_pool2d_forward(s, false, input.data(), output.data());
    average_pool2d_backward(s, false, output.data(), results.data() + input.size());
    return results;
  };
  const auto expected = run(1);
  EXPECT_EQ(run(2), expected);
  EXPECT_EQ(run(3), expected);
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
