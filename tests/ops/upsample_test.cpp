#include "likely/ops/upsample.hpp"

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

TEST(Upsample, NearestRepeatsElements) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, DType::f64);
  const Tensor twice = tensor({{1, 1, 2, 2}, {1, 1, 2, 2}, {3, 3, 4, 4}, {3, 3, 4, 4}}, DType::f64);
  EXPECT_TRUE(array_equal(upsample_nearest(x, {.scale = 2}), twice));
  EXPECT_TRUE(array_equal(upsample_nearest(x, {.size = 4}), twice));
  EXPECT_TRUE(array_equal(upsample_nearest(x, {.size = {2, 3}}), tensor({{1, 1, 2}, {3, 3, 4}}, DType::f64)));
  EXPECT_TRUE(
      array_equal(upsample_nearest(x, {.scale = {1, 1.5}}), tensor({{1, 1, 2}, {3, 3, 4}}, DType::f64)));
  EXPECT_TRUE(array_equal(upsample_nearest(twice, {.size = 2}), x));
}

TEST(Upsample, NearestFindsTheRightElementForEverySize) {
  for (std::int64_t in = 1; in <= 12; ++in) {
    const Tensor x = reshape(arange(in, DType::f64), {1, in});
    for (std::int64_t out = 1; out <= 120; ++out) {
      const Tensor y = upsample_nearest(x, {.size = {1, out}});
      for (std::int64_t i = 0; i < out; ++i) {
        ASSERT_EQ(y.at({0, i}), static_cast<double>(i * in / out)) << in << " to " << out << ", " << i;
      }
    }
  }
}

TEST(Upsample, BilinearMixesNeighbours) {
  const Tensor x = tensor({{0, 4}}, DType::f64);
  EXPECT_TRUE(allclose(upsample_bilinear(x, {.size = {1, 4}}), tensor({{0, 1, 3, 4}}, DType::f64)));
  EXPECT_TRUE(
      allclose(upsample_bilinear(transpose(x), {.scale = {2, 1}}), tensor({{0}, {1}, {3}, {4}}, DType::f64)));
  const Tensor square = tensor({{0, 4}, {8, 12}}, DType::f64);
  EXPECT_NEAR(upsample_bilinear(square, {.scale = 2}).at({1, 2}), 3 + 2, 1e-14);
  // Constants stay constants and straight lines stay straight away from the ends.
  EXPECT_TRUE(allclose(upsample_bilinear(ones({2, 3, 4, 5}), {.size = {7, 9}}), ones({2, 3, 7, 9})));
  const Tensor line = upsample_bilinear(reshape(arange(6, DType::f64), {1, 6}), {.size = {1, 18}});
  for (std::int64_t i = 1; i < 17; ++i) {
    EXPECT_NEAR(line.at({0, i}), (static_cast<double>(i) + 0.5) / 3 - 0.5, 1e-14);
  }
  // Half the size is the mean of pairs.
  EXPECT_TRUE(allclose(upsample_bilinear(reshape(arange(6, DType::f64), {1, 6}), {.size = {1, 3}}),
                       tensor({{0.5, 2.5, 4.5}}, DType::f64)));
}

TEST(Upsample, NonFiniteElementsStayWhereTheyBelong) {
  Tensor x = zeros({1, 4}, DType::f64);
  x.set({0, 3}, INFINITY);
  const Tensor y = upsample_bilinear(x, {.size = {1, 4}});
  EXPECT_TRUE(array_equal(y, x));
}

TEST(Upsample, DerivativesOfFirstAndSecondOrder) {
  const Inputs image{numbers({2, 1, 3, 4})};
  check_gradients(
      "upsample_nearest", [](const Inputs& in) { return square(upsample_nearest(in[0], {.scale = 2})); },
      image);
  check_gradients(
      "upsample_nearest, strided",
      [](const Inputs& in) {
        return square(upsample_nearest(transpose(in[0]), {.size = {5, 2}}));
      },
      image);
  check_gradients(
      "upsample_bilinear", [](const Inputs& in) { return square(upsample_bilinear(in[0], {.scale = 2})); },
      image);
  check_gradients(
      "upsample_bilinear, strided",
      [](const Inputs& in) {
        return square(upsample_bilinear(transpose(in[0]), {.size = {3, 7}}));
      },
      image);
  check_gradients("upsample_bilinear, size 1",
                  [](const Inputs& in) { return square(upsample_bilinear(in[0], {.size = 3})); },
                  {numbers({1, 1})});
}

TEST(Upsample, SinglePrecisionEmptyBatchesAndThreads) {
  EXPECT_EQ(upsample_bilinear(zeros({0, 2, 3, 3}), {.scale = 2}).shape().string(), "(0, 2, 6, 6)");
  const Tensor x = numbers({16, 8, 20, 20});
  const Tensor single = x.to(DType::f32);
  EXPECT_TRUE(allclose(upsample_bilinear(single, {.scale = 2}).to(DType::f64),
                       upsample_bilinear(x, {.scale = 2}), 1e-6, 1e-6));
  const int before = threads();
  const auto gradient = [&] {
    return grad(single, [](const Tensor& a) {
      return sum(square(upsample_bilinear(a, {.scale = 3}))) + sum(square(upsample_nearest(a, {.scale = 2})));
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

TEST(Upsample, RefusesWhatHasNoMeaning) {
  const Tensor x = zeros({1, 2, 4, 5});
  expect_refusal([&] { upsample_nearest(zeros({4}), {.scale = 2}); },
                 "[upsample_nearest] at least two dimensions are needed, got shape (4,)");
  expect_refusal([&] { upsample_bilinear(x.to(DType::i64), {.scale = 2}); },
                 "[upsample_bilinear] floating numbers are needed, got i64");
  expect_refusal([&] { upsample_bilinear(x, {}); }, "[upsample_bilinear] either a size or a scale is needed");
  expect_refusal([&] { upsample_bilinear(x, {.size = 8, .scale = 2}); },
                 "[upsample_bilinear] either a size or a scale is needed");
  expect_refusal(
      [&] {
        upsample_bilinear(x, {.scale = {2, -1}});
      },
      "[upsample_bilinear] the scale must be positive, got 2 x -1");
  expect_refusal(
      [&] {
        upsample_nearest(x, {.size = {0, 3}});
      },
      "[upsample_nearest] cannot make 0 x 3 elements out of shape (1, 2, 4, 5)");
  expect_refusal([&] { upsample_nearest(x, {.scale = 0.1}); },
                 "[upsample_nearest] cannot make 0 x 0 elements out of shape (1, 2, 4, 5)");
  expect_refusal(
      [&] {
        upsample_nearest(zeros({1, 0, 3}), {.size = 2});
      },
      "[upsample_nearest] cannot make 2 x 2 elements out of shape (1, 0, 3)");
}

}  // namespace
}  // namespace likely
