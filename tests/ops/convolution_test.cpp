#include "likely/ops/convolution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

// The definition, one sum an output element, with separate padding on all sides.
Tensor brute_force(const Tensor& x, const Tensor& w, const Tensor& b, Extent2d stride, Extent2d before,
                   Extent2d behind, Extent2d dilation, std::int64_t groups) {
  const std::int64_t height =
      (x.dim(2) + before.height + behind.height - dilation.height * (w.dim(2) - 1) - 1) / stride.height + 1;
  const std::int64_t width =
      (x.dim(3) + before.width + behind.width - dilation.width * (w.dim(3) - 1) - 1) / stride.width + 1;
  Tensor y = zeros({x.dim(0), w.dim(0), height, width}, DType::f64);
  for (std::int64_t n = 0; n < x.dim(0); ++n) {
    for (std::int64_t o = 0; o < w.dim(0); ++o) {
      for (std::int64_t i = 0; i < height; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          double total = b.defined() ? b.at({o}) : 0.0;
          for (std::int64_t c = 0; c < w.dim(1); ++c) {
            const std::int64_t channel = o / (w.dim(0) / groups) * w.dim(1) + c;
            for (std::int64_t k = 0; k < w.dim(2); ++k) {
              for (std::int64_t l = 0; l < w.dim(3); ++l) {
                const std::int64_t row = i * stride.height - before.height + k * dilation.height;
                const std::int64_t column = j * stride.width - before.width + l * dilation.width;
                if (row < 0 || row >= x.dim(2) || column < 0 || column >= x.dim(3)) continue;
                total += w.at({o, c, k, l}) * x.at({n, channel, row, column});
              }
            }
          }
          y.set({n, o, i, j}, total);
        }
      }
    }
  }
  return y;
}

void expect_close(const Tensor& computed, const Tensor& expected, double tolerance = 1e-12) {
  ASSERT_EQ(computed.shape().string(), expected.shape().string());
  EXPECT_TRUE(allclose(computed, expected, tolerance, tolerance)) << computed << "\nexpected\n" << expected;
}

TEST(Conv2d, IsTheSumOverTheWindow) {
  const Tensor x = numbers({2, 4, 7, 6});
  for (const std::int64_t groups : {1, 2, 4}) {
    const Tensor w = numbers({8, 4 / groups, 3, 2}, 1.0, 1);
    const Tensor b = numbers({8}, 1.0, 2);
    expect_close(conv2d(x, w, b, {.groups = groups}), brute_force(x, w, b, 1, 0, 0, 1, groups));
    expect_close(conv2d(x, w, {}, {.stride = {2, 3}, .padding = {1, 2}, .groups = groups}),
                 brute_force(x, w, {}, {2, 3}, {1, 2}, {1, 2}, 1, groups));
    expect_close(conv2d(x, w, b, {.padding = 2, .dilation = {3, 2}, .groups = groups}),
                 brute_force(x, w, b, 1, 2, 2, {3, 2}, groups));
  }
}

TEST(Conv2d, SamePaddingKeepsTheSizeAndPutsTheOddZeroBehind) {
  const Tensor x = numbers({1, 2, 5, 6});
  const Tensor w = numbers({3, 2, 3, 4}, 1.0, 1);
  expect_close(conv2d(x, w, {}, {.padding = kSame}), brute_force(x, w, {}, 1, {1, 1}, {1, 2}, 1, 1));
  expect_close(conv2d(x, w, {}, {.padding = kSame, .dilation = {1, 3}}),
               brute_force(x, w, {}, 1, {1, 4}, {1, 5}, {1, 3}, 1));
}

TEST(Conv2d, FusedReluIsReluOfTheConvolution) {
  const Tensor x = numbers({2, 3, 6, 6});
  const Tensor w = numbers({4, 3, 3, 3}, 1.0, 1);
  const Tensor b = numbers({4}, 1.0, 2);
  expect_close(conv2d(x, w, b, {.padding = 1, .relu = true}), relu(conv2d(x, w, b, {.padding = 1})));
}

TEST(Conv1d, IsATwoDimensionalOneOfHeightOne) {
  const Tensor x = numbers({2, 4, 9});
  const Tensor w = numbers({6, 2, 3}, 1.0, 1);
  const Tensor b = numbers({6}, 1.0, 2);
  const Tensor expected = brute_force(unsqueeze(x, 2), unsqueeze(w, 2), b, {1, 2}, {0, 2}, {0, 2}, {1, 2}, 2);
  expect_close(conv1d(x, w, b, {.stride = 2, .padding = 2, .dilation = 2, .groups = 2}),
               squeeze(expected, 2));
  EXPECT_EQ(conv1d(x, numbers({5, 4, 4}), {}, {.padding = kSame, .relu = true}).shape().string(),
            "(2, 5, 9)");
}

TEST(ConvTranspose2d, IsTheTransposeOfTheConvolution) {
  // <conv(x, w), y> = <x, conv_transpose(y, w)> for all x and y.
  const Tensor w = numbers({6, 2, 3, 2}, 1.0, 1);
  const Tensor x = numbers({2, 4, 8, 7});
  const Conv2dOptions options{.stride = {2, 3}, .padding = {1, 0}, .dilation = {2, 1}, .groups = 2};
  const Tensor forward = conv2d(x, w, {}, options);
  const Tensor y = numbers(forward.shape(), 1.0, 3);
  const Tensor back = conv_transpose2d(
      y, w, {},
      {.stride = {2, 3}, .padding = {1, 0}, .output_padding = {1, 2}, .dilation = {2, 1}, .groups = 2});
  ASSERT_EQ(back.shape().string(), x.shape().string());
  EXPECT_NEAR(sum(forward * y).item(), sum(x * back).item(), 1e-10);
}

TEST(ConvTranspose2d, AddsABiasAndHasTheSizeOfTheFormula) {
  const Tensor x = numbers({1, 2, 3, 3});
  const Tensor w = numbers({2, 3, 2, 2}, 1.0, 1);
  const Tensor b = numbers({3}, 1.0, 2);
  const Tensor y = conv_transpose2d(x, w, b, {.stride = 2});
  EXPECT_EQ(y.shape().string(), "(1, 3, 6, 6)");
  // With stride = kernel each output sees one input.
  const double expected =
      b.at({1}) + x.at({0, 0, 1, 2}) * w.at({0, 1, 1, 0}) + x.at({0, 1, 1, 2}) * w.at({1, 1, 1, 0});
  EXPECT_NEAR(y.at({0, 1, 3, 4}), expected, 1e-14);
  EXPECT_EQ(conv_transpose1d(numbers({1, 2, 5}), numbers({2, 3, 3}), b, {.stride = 2, .padding = 1}).dim(2),
            9);
}

TEST(Conv2d, WorksOnStridedAndSinglePrecisionInputs) {
  const Tensor x = numbers({2, 5, 6, 3});
  const Tensor w = numbers({3, 3, 2, 4}, 1.0, 1);
  const Tensor moved_x = permute(x, {0, 3, 1, 2});
  const Tensor moved_w = transpose(w);
  const Tensor expected = brute_force(moved_x.contiguous(), moved_w.contiguous(), {}, 1, 1, 1, 1, 1);
  expect_close(conv2d(moved_x, moved_w, {}, {.padding = 1}), expected);
  const Tensor single = conv2d(moved_x.to(DType::f32), moved_w.to(DType::f32), {}, {.padding = 1});
  EXPECT_EQ(single.dtype(), DType::f32);
  expect_close(single.to(DType::f64), expected, 1e-5);
  EXPECT_EQ(conv2d(moved_x.to(DType::f32), moved_w, {}, {.padding = 1}).dtype(), DType::f64);
}

TEST(Conv2d, TakesEmptyBatchesAndChannels) {
  const Tensor w = numbers({4, 3, 2, 2}, 1.0, 1);
  const Tensor b = numbers({4}, 1.0, 2);
  EXPECT_EQ(conv2d(zeros({0, 3, 5, 5}, DType::f64), w, b).shape().string(), "(0, 4, 4, 4)");
  const auto [dx, dw] = grad(std::tuple(zeros({0, 3, 5, 5}, DType::f64), w),
                             [](const Tensor& x, const Tensor& weight) { return sum(conv2d(x, weight)); });
  EXPECT_EQ(dx.shape().string(), "(0, 3, 5, 5)");
  expect_close(dw, zeros({4, 3, 2, 2}, DType::f64));
  const Tensor without_inputs = conv2d(zeros({2, 0, 3, 3}, DType::f64), zeros({4, 0, 2, 2}, DType::f64), b);
  expect_close(without_inputs, expand(reshape(b, {4, 1, 1}), {2, 4, 2, 2}));
  EXPECT_EQ(conv2d(zeros({2, 3, 3, 3}), zeros({0, 3, 2, 2})).shape().string(), "(2, 0, 2, 2)");
  expect_close(conv_transpose2d(zeros({2, 0, 3, 3}, DType::f64), zeros({0, 4, 2, 2}, DType::f64), b),
               expand(reshape(b, {4, 1, 1}), {2, 4, 4, 4}));
  EXPECT_EQ(conv_transpose2d(zeros({0, 3, 3, 3}), zeros({3, 1, 2, 2})).shape().string(), "(0, 1, 4, 4)");
}

TEST(Conv2d, HasAGradientForAnEmptyBatchInEveryPath) {
  struct Case {
    Shape x, w;
  };
  for (const Case& c : {Case{{0, 1, 28, 28}, {8, 1, 5, 5}}, Case{{0, 3, 32, 32}, {16, 3, 3, 3}},
                        Case{{0, 16, 16, 16}, {16, 16, 3, 3}}, Case{{0, 8, 12, 12}, {8, 8, 5, 5}},
                        Case{{0, 32, 32, 32}, {32, 32, 3, 3}}, Case{{0, 4, 6, 6}, {2, 4, 1, 1}}}) {
    const auto [dx, dw, db] =
        grad(std::tuple(zeros(c.x), ones(c.w), ones({c.w[0]})),
             [](const Tensor& x, const Tensor& w, const Tensor& b) { return sum(conv2d(x, w, b)); });
    EXPECT_EQ(dx.shape(), c.x);
    EXPECT_TRUE(array_equal(dw, zeros(c.w))) << c.w.string();
    EXPECT_TRUE(array_equal(db, zeros({c.w[0]})));
  }
}

TEST(Conv2d, KeepsNonFiniteValuesInTheirWindows) {
  Tensor x = ones({1, 1, 3, 3}, DType::f64);
  x.set({0, 0, 0, 0}, std::nan(""));
  x.set({0, 0, 2, 2}, INFINITY);
  const Tensor y = conv2d(x, ones({1, 1, 2, 2}, DType::f64), {}, {.relu = true});
  EXPECT_TRUE(std::isnan(y.at({0, 0, 0, 0})));
  EXPECT_EQ(y.at({0, 0, 0, 1}), 4.0);
  EXPECT_EQ(y.at({0, 0, 1, 1}), INFINITY);
}

TEST(Convolution, DerivativesOfFirstAndSecondOrder) {
  const Inputs image{numbers({2, 2, 4, 5}), numbers({4, 2, 2, 3}, 1.0, 1), numbers({4}, 1.0, 2)};
  check_gradients(
      "conv2d", [](const Inputs& in) { return conv2d(in[0], in[1], in[2]); }, image);
  check_gradients(
      "conv2d, squared",
      [](const Inputs& in) { return square(conv2d(in[0], in[1], in[2], {.stride = 2, .padding = 1})); },
      image, {.tolerance = 1e-5});
  check_gradients("conv2d, same and dilated",
                  [](const Inputs& in) {
                    return square(conv2d(in[0], in[1], in[2], {.padding = kSame, .dilation = {1, 2}}));
                  },
                  image, {.tolerance = 1e-5});
  check_gradients("conv2d, groups, strided",
                  [](const Inputs& in) { return square(conv2d(transpose(in[0]), in[1], {}, {.groups = 2})); },
                  {numbers({1, 4, 3, 4}), numbers({4, 2, 2, 2}, 1.0, 1)}, {.tolerance = 1e-5});
  check_gradients("conv2d, relu",
                  [](const Inputs& in) { return square(conv2d(in[0], in[1], in[2], {.relu = true})); }, image,
                  {.tolerance = 1e-5});
  check_gradients("conv2d, size 1", [](const Inputs& in) { return square(conv2d(in[0], in[1], in[2])); },
                  {numbers({1, 1, 1, 1}), numbers({1, 1, 1, 1}, 1.0, 1), numbers({1}, 1.0, 2)});
  check_gradients("conv1d",
                  [](const Inputs& in) {
                    return square(conv1d(in[0], in[1], in[2], {.stride = 2, .padding = 1, .dilation = 2}));
                  },
                  {numbers({2, 2, 7}), numbers({3, 2, 3}, 1.0, 1), numbers({3}, 1.0, 2)},
                  {.tolerance = 1e-5});
  check_gradients("conv_transpose2d",
                  [](const Inputs& in) {
                    return square(conv_transpose2d(in[0], in[1], in[2],
                                                   {.stride = {2, 1},
                                                    .padding = {1, 0},
                                                    .output_padding = {1, 0},
                                                    .dilation = {1, 2},
                                                    .groups = 2}));
                  },
                  {numbers({1, 2, 3, 3}), numbers({2, 2, 3, 2}, 1.0, 1), numbers({4}, 1.0, 2)},
                  {.tolerance = 1e-5});
  check_gradients(
      "conv_transpose1d",
      [](const Inputs& in) { return square(conv_transpose1d(in[0], in[1], in[2], {.stride = 3})); },
      {numbers({2, 2, 3}), numbers({2, 3, 2}, 1.0, 1), numbers({3}, 1.0, 2)}, {.tolerance = 1e-5});
  check_gradients("conv2d, one constant weight",
                  [](const Inputs& in) {
                    return square(conv2d(in[0], numbers({2, 1, 2, 2})));
                  },
                  {numbers({1, 1, 3, 3})}, {.tolerance = 1e-5});
}

TEST(Convolution, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({8, 16, 28, 28}).to(DType::f32);
  const Tensor w = numbers({32, 16, 3, 3}, 1.0, 1).to(DType::f32);
  const Tensor b = numbers({32}, 1.0, 2).to(DType::f32);
  const auto all = [&] {
    auto [value, gradients] =
        value_and_grad(std::tuple(x, w, b), [](const Tensor& a, const Tensor& c, const Tensor& d) {
          return sum(square(conv2d(a, c, d, {.padding = 1, .relu = true})));
        });
    return std::tuple(value, std::get<0>(gradients), std::get<1>(gradients), std::get<2>(gradients));
  };
  set_threads(1);
  const auto one = all();
  for (const int n : {2, 3}) {
    set_threads(n);
    const auto several = all();
    EXPECT_TRUE(array_equal(std::get<0>(one), std::get<0>(several)));
    EXPECT_TRUE(array_equal(std::get<1>(one), std::get<1>(several)));
    EXPECT_TRUE(array_equal(std::get<2>(one), std::get<2>(several)));
    EXPECT_TRUE(array_equal(std::get<3>(one), std::get<3>(several)));
  }
  set_threads(before);
}

TEST(Convolution, RefusesShapesAndOptionsThatDoNotFit) {
  const Tensor x = zeros({1, 4, 5, 5});
  const Tensor w = zeros({6, 4, 3, 3});
  expect_refusal(
      [&] {
        conv2d(zeros({4, 5, 5}), w);
      },
      "[conv2d] the input must be (batch, channels, height, width), got shape (4, 5, 5)");
  expect_refusal([&] { conv1d(x, w); },
                 "[conv1d] the input must be (batch, channels, length), got shape (1, 4, 5, 5)");
  expect_refusal(
      [&] {
        conv2d(x, zeros({6, 4, 3}));
      },
      "[conv2d] the weight must have 4 dimensions, got shape (6, 4, 3)");
  expect_refusal(
      [&] {
        conv2d(x, zeros({6, 3, 3, 3}));
      },
      "[conv2d] the weight takes 3 channels in 1 groups: input (1, 4, 5, 5) and weight (6, 3, 3, 3)");
  expect_refusal(
      [&] {
        conv2d(x, zeros({6, 2, 3, 3}), {}, {.groups = 4});
      },
      "[conv2d] groups 4 must divide the channels of input (1, 4, 5, 5) and weight (6, 2, 3, 3)");
  expect_refusal([&] { conv2d(x, w, {}, {.groups = 0}); },
                 "[conv2d] groups 0 must divide the channels of input (1, 4, 5, 5) and weight (6, 4, 3, 3)");
  expect_refusal(
      [&] { conv2d(x, w, zeros({4})); },
      "[conv2d] the bias must have shape (6,) for input (1, 4, 5, 5) and weight (6, 4, 3, 3), got (4,)");
  expect_refusal(
      [&] {
        conv2d(x, zeros({6, 4, 0, 3}));
      },
      "[conv2d] the kernel is empty: weight (6, 4, 0, 3)");
  expect_refusal(
      [&] { conv2d(x, w, {}, {.dilation = 3}); },
      "[conv2d] the kernel reaches over 7 x 7, beyond the padded input: input (1, 4, 5, 5) and weight "
      "(6, 4, 3, 3)");
  expect_refusal(
      [&] {
        conv2d(x, w, {}, {.stride = {1, 0}});
      },
      "[conv2d] stride must be at least 1, got 1 x 0");
  expect_refusal([&] { conv2d(x, w, {}, {.dilation = 0}); },
                 "[conv2d] dilation must be at least 1, got 0 x 0");
  expect_refusal(
      [&] {
        conv1d(zeros({1, 4, 5}), zeros({6, 4, 3}), {}, {.padding = -1});
      },
      "[conv1d] padding must be at least 0, got -1");
  expect_refusal([&] { conv2d(x, w, {}, {.stride = 2, .padding = kSame}); },
                 "[conv2d] same padding needs stride 1, got stride 2 x 2");
  expect_refusal([&] { conv2d(x.to(DType::i64), w); },
                 "[conv2d] floating numbers are needed, got i64 and f32");
  expect_refusal(
      [&] { conv_transpose2d(x, w); },
      "[conv_transpose2d] the weight takes 6 channels: input (1, 4, 5, 5) and weight (6, 4, 3, 3)");
  expect_refusal(
      [&] {
        conv_transpose2d(x, zeros({4, 2, 3, 3}), {}, {.stride = 2, .output_padding = {0, 2}});
      },
      "[conv_transpose2d] output_padding 0 x 2 must be smaller than stride 2 x 2");
  expect_refusal(
      [&] {
        conv_transpose2d(x, zeros({4, 2, 3, 3}), {}, {.output_padding = -1});
      },
      "[conv_transpose2d] output_padding must be at least 0, got -1 x -1");
  expect_refusal(
      [&] {
        conv_transpose2d(x, zeros({4, 2, 1, 1}), {}, {.padding = 3});
      },
      "[conv_transpose2d] nothing is left of the result: input (1, 4, 5, 5) and weight (4, 2, 1, 1) with "
      "padding 3 x 3");
  expect_refusal(
      [&] {
        conv_transpose1d(zeros({1, 4, 5}), zeros({4, 3, 2}), zeros({4}), {});
      },
      "[conv_transpose1d] the bias must have shape (3,) for input (1, 4, 5) and weight (4, 3, 2), got "
      "(4,)");
}

}  // namespace
}  // namespace likely
