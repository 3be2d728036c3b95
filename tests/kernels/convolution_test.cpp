#include "likely/kernels/convolution/convolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"
#include "tests/kernels/convolution_shapes.hpp"

namespace likely::kernels {
namespace {

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = uniform(generator);
  return values;
}

std::int64_t input_size(const Conv2dShape& s) { return s.batch * s.in_channels * s.in_height * s.in_width; }
std::int64_t output_size(const Conv2dShape& s) {
  return s.batch * s.out_channels * s.out_height() * s.out_width();
}
std::int64_t weight_size(const Conv2dShape& s) {
  return s.out_channels * (s.in_channels / s.groups) * s.kernel_height * s.kernel_width;
}

// Calls visit(output, input, weight) with the positions of each product in the definition of the convolution.
template <class Visit>
void visit_products(const Conv2dShape& s, const Visit& visit) {
  const std::int64_t group_in = s.in_channels / s.groups;
  const std::int64_t group_out = s.out_channels / s.groups;
  std::size_t out = 0;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    for (std::int64_t o = 0; o < s.out_channels; ++o) {
      for (std::int64_t y = 0; y < s.out_height(); ++y) {
        for (std::int64_t x = 0; x < s.out_width(); ++x, ++out) {
          for (std::int64_t c = 0; c < group_in; ++c) {
            for (std::int64_t i = 0; i < s.kernel_height; ++i) {
              for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                const std::int64_t row = y * s.stride_h - s.pad_top + i * s.dilation_h;
                const std::int64_t column = x * s.stride_w - s.pad_left + j * s.dilation_w;
                if (row < 0 || row >= s.in_height || column < 0 || column >= s.in_width) continue;
                const std::int64_t channel = o / group_out * group_in + c;
                visit(out,
                      static_cast<std::size_t>(
                          ((b * s.in_channels + channel) * s.in_height + row) * s.in_width + column),
                      static_cast<std::size_t>(((o * group_in + c) * s.kernel_height + i) * s.kernel_width +
                                               j));
              }
            }
          }
        }
      }
    }
  }
}

// A sum and the sum of the sizes of its terms, which bounds its rounding error.
struct Sum {
  double value = 0;
  double size = 0;
  void add(double term) {
    value += term;
    size += std::fabs(term);
  }
};

template <class T>
void expect_close(const std::vector<T>& actual, const std::vector<Sum>& expected, const char* what) {
  ASSERT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual[i]) - expected[i].value);
    const double relative = error / (expected[i].size + 1e-30);
    worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(worst, relative);
  }
  // Direct sums stay below 8 epsilon here. Minimal filtering F(4x4, 3x3) rounds like a whole tile, also where
  // a window at the border has few terms: its worst case is some hundreds (the product of the absolute row
  // sums of its three transforms), what it does on these numbers, on every instruction set, is 18.
  EXPECT_LT(worst, 32 * std::numeric_limits<T>::epsilon()) << what;
}

template <class T>
class ConvolutionTest : public testing::Test {};
using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ConvolutionTest, ElementTypes);

TYPED_TEST(ConvolutionTest, AllDirectionsFollowTheDefinition) {
  using T = TypeParam;
  for (std::size_t index = 0; index < kConvolutionShapes.size(); ++index) {
    SCOPED_TRACE(index);
    const Conv2dShape& s = kConvolutionShapes[index];
    const auto input = random_values<T>(input_size(s), 1);
    const auto weights = random_values<T>(weight_size(s), 2);
    const auto gradient = random_values<T>(output_size(s), 3);
    std::vector<Sum> output_sum(gradient.size());
    std::vector<Sum> input_sum(input.size());
    std::vector<Sum> weight_sum(weights.size());
    visit_products(s, [&](std::size_t out, std::size_t in, std::size_t weight) {
      output_sum[out].add(static_cast<double>(input[in]) * static_cast<double>(weights[weight]));
      input_sum[in].add(static_cast<double>(gradient[out]) * static_cast<double>(weights[weight]));
      weight_sum[weight].add(static_cast<double>(gradient[out]) * static_cast<double>(input[in]));
    });
    const T nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> output(gradient.size(), nan);
    conv2d_forward(s, input.data(), weights.data(), nullptr, false, output.data());
    expect_close(output, output_sum, "forward");
    std::vector<T> grad_input(input.size(), nan);
    conv2d_backward_input(s, gradient.data(), weights.data(), grad_input.data());
    expect_close(grad_input, input_sum, "backward_input");
    std::vector<T> grad_weights(weights.size(), nan);
    std::vector<T> grad_bias(static_cast<std::size_t>(s.out_channels), nan);
    conv2d_backward_weights(s, input.data(), gradient.data(), grad_weights.data(), grad_bias.data());
    expect_close(grad_weights, weight_sum, "backward_weights");
    const auto plane = static_cast<std::size_t>(s.out_height() * s.out_width());
    std::vector<Sum> bias_sum(grad_bias.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      bias_sum[i / plane % grad_bias.size()].add(static_cast<double>(gradient[i]));
    }
    expect_close(grad_bias, bias_sum, "grad_bias");
  }
}

TYPED_TEST(ConvolutionTest, BiasAndReluAreFused) {
  using T = TypeParam;
  for (const Conv2dShape& s : kConvolutionShapes) {
    const auto input = random_values<T>(input_size(s), 4);
    const auto weights = random_values<T>(weight_size(s), 5);
    const auto bias = random_values<T>(s.out_channels, 6);
    std::vector<T> plain(static_cast<std::size_t>(output_size(s)));
    auto fused = plain;
    conv2d_forward(s, input.data(), weights.data(), nullptr, false, plain.data());
    const auto plane = static_cast<std::size_t>(s.out_height() * s.out_width());
    for (const bool with_bias : {false, true}) {
      for (const bool relu : {false, true}) {
        conv2d_forward(s, input.data(), weights.data(), with_bias ? bias.data() : nullptr, relu,
                       fused.data());
        for (std::size_t i = 0; i < plain.size(); ++i) {
          const T shift = with_bias ? bias[i / plane % bias.size()] : T(0);
          const T expected = relu ? std::max(T(0), plain[i] + shift) : plain[i] + shift;
          const T scale = T(1) + std::fabs(plain[i]);
          ASSERT_NEAR(fused[i], expected, 40 * std::numeric_limits<T>::epsilon() * scale) << i;
        }
      }
    }
  }
}

TYPED_TEST(ConvolutionTest, EveryPathTakesEmptySizes) {
  using T = TypeParam;
  for (const Conv2dShape& full : kConvolutionShapes) {
    const auto values = [](std::int64_t size, int seed) {
      return random_values<T>(std::max<std::int64_t>(size, 1), seed);  // nothing has an address, too
    };
    std::vector<T> weights = values(weight_size(full), 2);
    // Leaves numbers in the working memory, which nobody may take for his own.
    conv2d_backward_weights(full, values(input_size(full), 1).data(), values(output_size(full), 3).data(),
                            weights.data(), nullptr);
    std::vector<Conv2dShape> empty(5, full);
    empty[0].batch = 0;
    empty[1].in_channels = 0;
    empty[2].out_channels = 0;
    empty[3].in_height = 0;
    empty[4].in_width = 0;
    for (const Conv2dShape& s : empty) {
      const auto input = values(input_size(s), 4);
      const auto gradient = values(output_size(s), 5);
      const auto bias = values(s.out_channels, 6);
      const auto of = [](std::int64_t size) { return std::vector<T>(static_cast<std::size_t>(size), 7); };
      const auto zeros = [](std::int64_t size) { return std::vector<T>(static_cast<std::size_t>(size), 0); };
      auto output = of(output_size(s));
      conv2d_forward(s, input.data(), weights.data(), bias.data(), false, output.data());
      const std::int64_t plane = s.out_height() * s.out_width();
      for (std::int64_t i = 0; i < output_size(s); ++i) {
        ASSERT_EQ(output[static_cast<std::size_t>(i)],
                  bias[static_cast<std::size_t>(i / plane % s.out_channels)]);
      }
      auto grad_input = of(input_size(s));
      conv2d_backward_input(s, gradient.data(), weights.data(), grad_input.data());
      EXPECT_EQ(grad_input, zeros(input_size(s)));
      auto grad_weights = of(weight_size(s));
      conv2d_backward_weights(s, input.data(), gradient.data(), grad_weights.data(), nullptr);
      EXPECT_EQ(grad_weights, zeros(weight_size(s)));
    }
  }
}

TYPED_TEST(ConvolutionTest, EmptySizesGiveZeros) {
  using T = TypeParam;
  Conv2dShape no_channels{.batch = 2,
                          .in_channels = 0,
                          .in_height = 4,
                          .in_width = 4,
                          .out_channels = 3,
                          .kernel_height = 3,
                          .kernel_width = 3};
  const std::vector<T> nothing(1);
  std::vector<T> output(2 * 3 * 2 * 2, 7);
  conv2d_forward(no_channels, nothing.data(), nothing.data(), nullptr, false, output.data());
  for (const T value : output) EXPECT_EQ(value, 0);

  const Conv2dShape no_output{.batch = 1,
                              .in_channels = 1,
                              .in_height = 2,
                              .in_width = 2,
                              .out_channels = 1,
                              .kernel_height = 3,
                              .kernel_width = 3};
  EXPECT_EQ(no_output.out_height(), 0);
  std::vector<T> grad_input(4, 7);
  std::vector<T> grad_weights(9, 7);
  std::vector<T> grad_bias(1, 7);
  conv2d_forward(no_output, grad_input.data(), grad_weights.data(), nullptr, false, output.data());
  conv2d_backward_input(no_output, nothing.data(), grad_weights.data(), grad_input.data());
  conv2d_backward_weights(no_output, grad_input.data(), nothing.data(), grad_weights.data(),
                          grad_bias.data());
  EXPECT_EQ(grad_input, std::vector<T>(4, 0));
  EXPECT_EQ(grad_weights, std::vector<T>(9, 0));
  EXPECT_EQ(grad_bias, std::vector<T>(1, 0));

  const Conv2dShape no_batch{.batch = 0,
                             .in_channels = 1,
                             .in_height = 4,
                             .in_width = 4,
                             .out_channels = 1,
                             .kernel_height = 3,
                             .kernel_width = 3};
  grad_weights.assign(9, 7);
  conv2d_backward_weights(no_batch, nothing.data(), nothing.data(), grad_weights.data(), nullptr);
  EXPECT_EQ(grad_weights, std::vector<T>(9, 0));
}

TYPED_TEST(ConvolutionTest, NotANumberReachesItsWindowAndIsKeptByRelu) {
  using T = TypeParam;
  for (const std::int64_t channels : {1, 32}) {
    const Conv2dShape s{.batch = 1,
                        .in_channels = channels,
                        .in_height = 16,
                        .in_width = 16,
                        .out_channels = channels,
                        .kernel_height = 3,
                        .kernel_width = 3,
                        .pad_top = 1,
                        .pad_left = 1,
                        .pad_bottom = 1,
                        .pad_right = 1};
    auto input = random_values<T>(input_size(s), 7);
    input[5 * 16 + 5] = std::numeric_limits<T>::quiet_NaN();
    const auto weights = random_values<T>(weight_size(s), 8);
    std::vector<T> output(static_cast<std::size_t>(output_size(s)));
    conv2d_forward(s, input.data(), weights.data(), nullptr, true, output.data());
    for (std::int64_t y = 4; y <= 6; ++y) {
      for (std::int64_t x = 4; x <= 6; ++x)
        EXPECT_TRUE(std::isnan(output[static_cast<std::size_t>(y * 16 + x)]));
    }
  }
}

TYPED_TEST(ConvolutionTest, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const int saved = threads();
  for (Conv2dShape s : kConvolutionShapes) {
    s.batch = 2 * s.batch + 5;
    const auto input = random_values<T>(input_size(s), 9);
    const auto weights = random_values<T>(weight_size(s), 10);
    const auto gradient = random_values<T>(output_size(s), 11);
    const auto run = [&](int count) {
      set_threads(count);
      std::vector<T> results(gradient.size() + input.size() + weights.size() +
                             static_cast<std::size_t>(s.out_channels));
      T* at = results.data();
      conv2d_forward(s, input.data(), weights.data(), nullptr, false, at);
      at += gradient.size();
      conv2d_backward_input(s, gradient.data(), weights.data(), at);
      at += input.size();
      conv2d_backward_weights(s, input.data(), gradient.data(), at, at + weights.size());
      return results;
    };
    const auto expected = run(1);
    EXPECT_EQ(run(2), expected);
    EXPECT_EQ(run(3), expected);
  }
  set_threads(saved);
}

// Root mean square of the errors of a result in float, next to a plain sum in float: what minimal filtering
// costs.
void expect_rounding_below_three_times_a_direct_sum(const Conv2dShape& s) {
  const auto input = random_values<float>(input_size(s), 12);
  const auto weights = random_values<float>(weight_size(s), 13);
  const auto size = static_cast<std::size_t>(output_size(s));
  std::vector<double> exact(size);
  std::vector<float> direct(size);
  visit_products(s, [&](std::size_t out, std::size_t in, std::size_t weight) {
    exact[out] += static_cast<double>(input[in]) * static_cast<double>(weights[weight]);
    direct[out] += input[in] * weights[weight];
  });
  std::vector<float> output(size);
  conv2d_forward(s, input.data(), weights.data(), nullptr, false, output.data());
  double error = 0;
  double direct_error = 0;
  for (std::size_t i = 0; i < size; ++i) {
    error += std::pow(static_cast<double>(output[i]) - exact[i], 2);
    direct_error += std::pow(static_cast<double>(direct[i]) - exact[i], 2);
  }
  EXPECT_LT(std::sqrt(error), 3 * std::sqrt(direct_error));
}

TEST(ConvolutionAccuracy, MinimalFilteringRoundsAtMostThreeTimesAsMuchAsADirectSum) {
  expect_rounding_below_three_times_a_direct_sum({.batch = 2,
                                                  .in_channels = 32,
                                                  .in_height = 16,
                                                  .in_width = 16,
                                                  .out_channels = 16,
                                                  .kernel_height = 3,
                                                  .kernel_width = 3,
                                                  .pad_top = 1,
                                                  .pad_left = 1,
                                                  .pad_bottom = 1,
                                                  .pad_right = 1});
  expect_rounding_below_three_times_a_direct_sum({.batch = 16,
                                                  .in_channels = 10,
                                                  .in_height = 12,
                                                  .in_width = 12,
                                                  .out_channels = 20,
                                                  .kernel_height = 5,
                                                  .kernel_width = 5});
}

}  // namespace
}  // namespace likely::kernels
