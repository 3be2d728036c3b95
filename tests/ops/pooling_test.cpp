#include "likely/ops/pooling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
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

// The inputs of one window: rows [top, bottom) and columns [left, right), cut to the image.
struct Window {
  std::int64_t top, bottom, left, right;
};

struct Found {
  double largest = -INFINITY;
  std::int64_t position = -1;
  double sum = 0.0;
  std::int64_t count = 0;
};

Found look(const Tensor& plane, const Window& w) {
  Found found;
  for (std::int64_t i = std::max<std::int64_t>(0, w.top); i < std::min(plane.dim(0), w.bottom); ++i) {
    for (std::int64_t j = std::max<std::int64_t>(0, w.left); j < std::min(plane.dim(1), w.right); ++j) {
      const double value = plane.at({i, j});
      if (value > found.largest) {
        found.largest = value;
        found.position = i * plane.dim(1) + j;
      }
      found.sum += value;
      ++found.count;
    }
  }
  return found;
}

void expect_close(const Tensor& computed, const Tensor& expected, double tolerance = 1e-13) {
  ASSERT_EQ(computed.shape().string(), expected.shape().string());
  EXPECT_TRUE(allclose(computed, expected, tolerance, tolerance)) << computed << "\nexpected\n" << expected;
}

TEST(Pooling, IsTheLargestOrTheMeanOfEachWindow) {
  const Tensor x = numbers({2, 3, 7, 8});
  for (const bool counted : {true, false}) {
    const auto [values, indices] = max_pool2d_with_indices(x, {3, 4}, {.stride = {2, 1}, .padding = {1, 2}});
    const Tensor means =
        avg_pool2d(x, {3, 4}, {.stride = {2, 1}, .padding = {1, 2}, .count_padding = counted});
    ASSERT_EQ(values.shape().string(), "(2, 3, 4, 9)");
    ASSERT_EQ(means.shape().string(), "(2, 3, 4, 9)");
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t c = 0; c < 3; ++c) {
        for (std::int64_t i = 0; i < 4; ++i) {
          for (std::int64_t j = 0; j < 9; ++j) {
            const Found found = look(select(select(x, 0, n), 0, c), {i * 2 - 1, i * 2 + 2, j - 2, j + 2});
            EXPECT_EQ(values.at({n, c, i, j}), found.largest);
            EXPECT_EQ(indices.at({n, c, i, j}), static_cast<double>(found.position));
            EXPECT_NEAR(means.at({n, c, i, j}),
                        found.sum / (counted ? 12.0 : static_cast<double>(found.count)), 1e-14);
          }
        }
      }
    }
  }
}

TEST(Pooling, AdaptiveWindowsCoverTheInput) {
  for (const Extent2d size : {Extent2d(3, 5), Extent2d(1), Extent2d(7, 4), Extent2d(9, 2), Extent2d(7, 8)}) {
    const Tensor x = numbers({1, 2, 7, 8});
    const Tensor largest = adaptive_max_pool2d(x, size);
    const Tensor means = adaptive_avg_pool2d(x, size);
    ASSERT_EQ(means.shape().string(), (Shape{1, 2, size.height, size.width}.string()));
    for (std::int64_t c = 0; c < 2; ++c) {
      for (std::int64_t i = 0; i < size.height; ++i) {
        for (std::int64_t j = 0; j < size.width; ++j) {
          const auto ceil_divide = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
          const Found found =
              look(select(select(x, 0, 0), 0, c), {i * 7 / size.height, ceil_divide((i + 1) * 7, size.height),
                                                   j * 8 / size.width, ceil_divide((j + 1) * 8, size.width)});
          EXPECT_EQ(largest.at({0, c, i, j}), found.largest);
          EXPECT_NEAR(means.at({0, c, i, j}), found.sum / static_cast<double>(found.count), 1e-14);
        }
      }
    }
  }
}

TEST(Pooling, OneDimensionalFormsPoolTheLastAxis) {
  const Tensor x = tensor({{3, 1, 2, 7, 5, 6, 4}}, DType::f64);
  expect_close(max_pool1d(x, 2), tensor({{3, 7, 6}}, DType::f64));
  expect_close(max_pool1d(x, 3, {.stride = 2, .padding = 1}), tensor({{3, 7, 7, 6}}, DType::f64));
  EXPECT_TRUE(array_equal(max_pool1d_with_indices(x, 3, {.stride = 2}).indices, tensor({{0, 3, 5}})));
  expect_close(avg_pool1d(x, 2, {.padding = 1}), tensor({{1.5, 1.5, 6, 5}}, DType::f64));
  expect_close(avg_pool1d(x, 2, {.padding = 1, .count_padding = false}),
               tensor({{3, 1.5, 6, 5}}, DType::f64));
  expect_close(adaptive_avg_pool1d(x, 2), tensor({{3.25, 5.5}}, DType::f64));
  expect_close(adaptive_max_pool1d(x, 2), tensor({{7, 7}}, DType::f64));
  expect_close(adaptive_avg_pool1d(x, 1), tensor({{4}}, DType::f64));
}

TEST(Pooling, OfEqualElementsTheFirstWinsAndGetsTheGradient) {
  const Tensor x = tensor({{1, 1, 0}, {1, 1, 0}, {0, 0, 0}}, DType::f64);
  EXPECT_TRUE(array_equal(max_pool2d_with_indices(x, 2, {.stride = 1}).indices, tensor({{0, 1}, {3, 4}})));
  const Tensor g = grad(x, [](const Tensor& a) { return sum(max_pool2d(a, 2)); });
  expect_close(g, tensor({{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}, DType::f64));
  const Tensor overlapping = grad(x, [](const Tensor& a) {
    return sum(max_pool2d(a, {1, 3}, {.padding = {0, 2}}));
  });
  expect_close(overlapping, tensor({{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, DType::f64));
  // The one-pass kernel for 2 x 2 windows, which is the one for f32.
  const Tensor single = grad(x.to(DType::f32), [](const Tensor& a) { return sum(max_pool2d(a, 2)); });
  EXPECT_EQ(single.at({0, 0}), 1.0);
  EXPECT_EQ(sum(single).item(), 1.0);
}

TEST(Pooling, NonFiniteElements) {
  Tensor x = tensor({{-INFINITY, -INFINITY, 1.0, 2.0}}, DType::f64);
  expect_close(max_pool1d(x, 2, {.padding = 1}).to(DType::f64), tensor({{-INFINITY, 1.0, 2.0}}, DType::f64));
  x.set({0, 2}, std::nan(""));
  const Tensor y = max_pool1d(x, 2);
  EXPECT_EQ(y.at({0, 0}), -INFINITY);
  EXPECT_TRUE(std::isnan(y.at({0, 1})));
  EXPECT_TRUE(std::isnan(adaptive_max_pool1d(x, 3).at({0, 1})));
}

TEST(Pooling, UnpoolingPutsElementsBack) {
  const Tensor x = numbers({2, 2, 4, 6});
  const auto [values, indices] = max_pool2d_with_indices(x, 2);
  const Tensor back = max_unpool2d(values, indices, {4, 6});
  ASSERT_EQ(back.shape().string(), x.shape().string());
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      const bool largest = max_pool2d(x, 2).at({1, 0, i / 2, j / 2}) == x.at({1, 0, i, j});
      EXPECT_EQ(back.at({1, 0, i, j}), largest ? x.at({1, 0, i, j}) : 0.0);
    }
  }
  const Tensor piled = max_unpool2d(tensor({{1, 2}}, DType::f32), tensor({{5, 5}}), {2, 3});
  EXPECT_TRUE(array_equal(piled, tensor({{0.0, 0.0, 0.0}, {0.0, 0.0, 3.0}})));
}

TEST(Pooling, DerivativesOfFirstAndSecondOrder) {
  const Inputs image{numbers({2, 2, 5, 4})};
  check_gradients(
      "max_pool2d", [](const Inputs& in) { return square(max_pool2d(in[0], 2)); }, image);
  check_gradients("max_pool2d, overlapping",
                  [](const Inputs& in) {
                    return square(max_pool2d(in[0], {3, 2}, {.stride = 1, .padding = {1, 0}}));
                  },
                  image, {.tolerance = 1e-5});
  check_gradients(
      "max_pool2d, strided", [](const Inputs& in) { return square(max_pool2d(transpose(in[0]), 2)); }, image);
  check_gradients(
      "max_pool1d", [](const Inputs& in) { return square(max_pool1d(in[0], 2, {.stride = 1})); }, image);
  check_gradients(
      "avg_pool2d",
      [](const Inputs& in) {
        return square(avg_pool2d(in[0], {2, 3}, {.stride = {1, 2}}));
      },
      image);
  check_gradients(
      "avg_pool2d, padding not counted",
      [](const Inputs& in) {
        return square(avg_pool2d(slice(in[0], 2, Range{.step = 2}), 2,
                                 {.stride = 1, .padding = 1, .count_padding = false}));
      },
      image);
  check_gradients(
      "avg_pool1d", [](const Inputs& in) { return square(avg_pool1d(in[0], 2, {.padding = 1})); }, image);
  check_gradients(
      "adaptive_avg_pool2d",
      [](const Inputs& in) {
        return square(adaptive_avg_pool2d(in[0], {3, 3}));
      },
      image);
  check_gradients(
      "adaptive_avg_pool2d to 1", [](const Inputs& in) { return square(adaptive_avg_pool2d(in[0], 1)); },
      image);
  check_gradients(
      "adaptive_avg_pool1d", [](const Inputs& in) { return square(adaptive_avg_pool1d(in[0], 3)); }, image);
  check_gradients("adaptive_max_pool2d",
                  [](const Inputs& in) {
                    return square(adaptive_max_pool2d(in[0], {3, 3}));
                  },
                  image, {.tolerance = 1e-5});
  check_gradients(
      "adaptive_max_pool1d", [](const Inputs& in) { return square(adaptive_max_pool1d(in[0], 3)); }, image);
  const Tensor indices = max_pool2d_with_indices(image[0], 2).indices;
  check_gradients("max_unpool2d",
                  [&](const Inputs& in) {
                    return square(max_unpool2d(in[0], indices, {5, 4}));
                  },
                  {numbers(indices.shape(), 1.0, 3)});
  check_gradients("max_pool2d, size 1", [](const Inputs& in) { return square(max_pool2d(in[0], 1)); },
                  {numbers({1, 1, 1, 1})});
}

TEST(Pooling, TakesTensorsWithoutPlanesAndAnyLeadingAxes) {
  EXPECT_EQ(max_pool2d(zeros({0, 3, 4, 4}), 2).shape().string(), "(0, 3, 2, 2)");
  EXPECT_EQ(adaptive_avg_pool2d(zeros({0, 3, 4, 4}), 3).shape().string(), "(0, 3, 3, 3)");
  const Tensor g = grad(zeros({2, 0, 4, 4}), [](const Tensor& x) { return sum(avg_pool2d(x, 2)); });
  EXPECT_EQ(g.shape().string(), "(2, 0, 4, 4)");
  const Tensor x = numbers({6, 8});
  expect_close(reshape(max_pool2d(reshape(x, {1, 1, 1, 6, 8}), 2), {3, 4}), max_pool2d(x, 2));
}

TEST(Pooling, SinglePrecisionAgreesWithDouble) {
  const Tensor x = numbers({2, 3, 8, 9});
  const Tensor single = x.to(DType::f32);
  expect_close(max_pool2d(single, 2).to(DType::f64), max_pool2d(x, 2), 1e-6);
  expect_close(avg_pool2d(single, 3, {.padding = 1}).to(DType::f64), avg_pool2d(x, 3, {.padding = 1}), 1e-6);
  expect_close(adaptive_avg_pool2d(single, 5).to(DType::f64), adaptive_avg_pool2d(x, 5), 1e-6);
}

TEST(Pooling, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({32, 16, 30, 30}).to(DType::f32);
  const auto gradient = [&] {
    return grad(x, [](const Tensor& a) {
      return sum(square(max_pool2d(a, 2))) + sum(square(avg_pool2d(a, 3, {.stride = 2, .padding = 1}))) +
             sum(square(adaptive_avg_pool2d(a, 7))) + sum(square(adaptive_max_pool2d(a, 4)));
    });
  };
  set_threads(1);
  const Tensor one = gradient();
  for (const int n : {2, 3}) {
    set_threads(n);
    EXPECT_TRUE(array_equal(one, gradient()));
  }
  set_threads(before);
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({1, 2, 4, 5});
  expect_refusal([&] { max_pool2d(zeros({4}), 2); },
                 "[max_pool2d] at least 2 dimensions are needed, got shape (4,)");
  expect_refusal([&] { avg_pool1d(tensor(1.0), 2); },
                 "[avg_pool1d] at least 1 dimension is needed, got shape ()");
  expect_refusal([&] { max_pool2d(x.to(DType::i64), 2); },
                 "[max_pool2d] floating numbers are needed, got i64");
  expect_refusal([&] { max_pool2d(x, {2, 0}); }, "[max_pool2d] the kernel must be at least 1, got 2 x 0");
  expect_refusal([&] { max_pool2d(x, 2, {.stride = 0}); },
                 "[max_pool2d] stride must be at least 1, got 0 x 0");
  expect_refusal(
      [&] {
        avg_pool2d(x, 2, {.padding = {0, 2}});
      },
      "[avg_pool2d] padding must be at least 0 and smaller than the kernel 2 x 2, got 0 x 2");
  expect_refusal([&] { max_pool1d(x, 2, {.padding = -1}); },
                 "[max_pool1d] padding must be at least 0 and smaller than the kernel 2, got -1");
  expect_refusal([&] { max_pool2d(x, 5); },
                 "[max_pool2d] the kernel 5 x 5 is larger than the padded input (1, 2, 4, 5)");
  expect_refusal(
      [&] {
        max_pool1d(zeros({2, 0}), 2, {.padding = 1});
      },
      "[max_pool1d] the kernel 2 is larger than the padded input (2, 0)");
  expect_refusal(
      [&] {
        adaptive_avg_pool2d(x, {0, 1});
      },
      "[adaptive_avg_pool2d] cannot make 0 x 1 windows of shape (1, 2, 4, 5)");
  expect_refusal(
      [&] {
        adaptive_max_pool1d(zeros({2, 0}), 2);
      },
      "[adaptive_max_pool1d] cannot make 2 windows of shape (2, 0)");
  expect_refusal(
      [&] {
        max_unpool2d(x, zeros({1, 2, 4, 4}, DType::i64), 8);
      },
      "[max_unpool2d] the indices must have the input's shape (1, 2, 4, 5), got (1, 2, 4, 4)");
  expect_refusal(
      [&] {
        max_unpool2d(x, zeros({1, 2, 4, 5}), 8);
      },
      "[max_unpool2d] the indices must be i64, got f32");
  expect_refusal(
      [&] {
        max_unpool2d(x, full({1, 2, 4, 5}, 64, DType::i64), 8);
      },
      "[max_unpool2d] index 64 is outside a plane of 8 x 8");
  expect_refusal(
      [&] {
        max_unpool2d(x, zeros({1, 2, 4, 5}, DType::i64), {-1, 8});
      },
      "[max_unpool2d] the size must not be negative, got -1 x 8");
}

}  // namespace
}  // namespace likely
