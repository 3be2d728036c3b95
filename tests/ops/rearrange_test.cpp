#include "likely/ops/rearrange.hpp"

#include <gtest/gtest.h>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

const Tensor kSix = tensor({{1, 2, 3}, {4, 5, 6}});

TEST(Repeat, RepeatsEachElement) {
  EXPECT_TRUE(array_equal(repeat(kSix, 2, 1), tensor({{1, 1, 2, 2, 3, 3}, {4, 4, 5, 5, 6, 6}})));
  EXPECT_TRUE(array_equal(repeat(kSix, 2, -2), tensor({{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {4, 5, 6}})));
  EXPECT_TRUE(array_equal(repeat(kSix, 1, 0), kSix));
  EXPECT_EQ(repeat(kSix, 0, 0).shape().string(), "(0, 3)");
  EXPECT_EQ(repeat(zeros({0, 3}), 4, 1).shape().string(), "(0, 12)");
  EXPECT_EQ(repeat(zeros({1, 1, 1, 1, 1, 1, 1, 2}), 3, 7).shape().string(), "(1, 1, 1, 1, 1, 1, 1, 6)");
  EXPECT_TRUE(array_equal(repeat(transpose(kSix), 2, 1), tensor({{1, 1, 4, 4}, {2, 2, 5, 5}, {3, 3, 6, 6}})));
}

TEST(Tile, RepeatsTheWhole) {
  EXPECT_TRUE(array_equal(tile(kSix, {1, 2}), tensor({{1, 2, 3, 1, 2, 3}, {4, 5, 6, 4, 5, 6}})));
  EXPECT_TRUE(array_equal(tile(kSix, {2, 1}), tensor({{1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {4, 5, 6}})));
  const Tensor cube = tile(kSix, {3, 2, 2});
  EXPECT_EQ(cube.shape().string(), "(3, 4, 6)");
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      for (std::int64_t k = 0; k < 6; ++k) EXPECT_EQ(cube.at({i, j, k}), kSix.at({j % 2, k % 3}));
    }
  }
  EXPECT_TRUE(array_equal(tile(tensor(7), {2, 2}), tensor({{7, 7}, {7, 7}})));
  EXPECT_TRUE(array_equal(tile(tensor(7), {}), tensor(7)));
  EXPECT_EQ(tile(kSix, {0, 2}).shape().string(), "(0, 6)");
  EXPECT_TRUE(array_equal(tile(tensor({true, false}), {2}), tensor({true, false, true, false})));
}

TEST(Pad, SurroundsWithTheValue) {
  EXPECT_TRUE(array_equal(pad(kSix, {{1, 0}, {0, 2}}, 9.0),
                          tensor({{9, 9, 9, 9, 9}, {1, 2, 3, 9, 9}, {4, 5, 6, 9, 9}})));
  EXPECT_TRUE(array_equal(pad(tensor({1.5}), {{1, 1}}), tensor({0.0, 1.5, 0.0})));
  EXPECT_TRUE(array_equal(pad(tensor({true}), {{1, 1}}, 0.0), tensor({false, true, false})));
  EXPECT_TRUE(array_equal(pad(transpose(kSix), {{0, 0}, {1, 0}}), tensor({{0, 1, 4}, {0, 2, 5}, {0, 3, 6}})));
  EXPECT_TRUE(
      array_equal(pad(slice(kSix, 1, {.step = -2}), {{0, 0}, {0, 1}}), tensor({{3, 1, 0}, {6, 4, 0}})));
  EXPECT_TRUE(array_equal(pad(zeros({0, 2}), {{1, 0}, {0, 1}}, 3.0), full({1, 3}, 3.0)));
  EXPECT_TRUE(array_equal(pad(tensor(4.0), {}), tensor(4.0)));
}

TEST(Flip, ReversesAxes) {
  EXPECT_TRUE(array_equal(flip(kSix, 1), tensor({{3, 2, 1}, {6, 5, 4}})));
  EXPECT_TRUE(array_equal(flip(kSix, {0, -1}), tensor({{6, 5, 4}, {3, 2, 1}})));
  EXPECT_TRUE(array_equal(flip(kSix), tensor({{6, 5, 4}, {3, 2, 1}})));
  EXPECT_TRUE(array_equal(flip(tensor(4.0)), tensor(4.0)));
  EXPECT_EQ(flip(zeros({0, 2}), 0).shape().string(), "(0, 2)");
}

TEST(Roll, MovesElementsAround) {
  EXPECT_TRUE(array_equal(roll(kSix, 1, 1), tensor({{3, 1, 2}, {6, 4, 5}})));
  EXPECT_TRUE(array_equal(roll(kSix, -1, 1), tensor({{2, 3, 1}, {5, 6, 4}})));
  EXPECT_TRUE(array_equal(roll(kSix, 7, -1), roll(kSix, 1, 1)));
  EXPECT_TRUE(array_equal(roll(kSix, 3, 1), kSix));
  EXPECT_TRUE(array_equal(roll(kSix, 1, 0), tensor({{4, 5, 6}, {1, 2, 3}})));
  EXPECT_EQ(roll(zeros({0, 2}), 1, 0).shape().string(), "(0, 2)");
}

TEST(Rearrange, Gradients) {
  const Tensor x = numbers({2, 3});
  check_gradients("repeat", [](const auto& in) { return square(repeat(in[0], 2, 0)); }, {x});
  check_gradients("repeat, strided", [](const auto& in) { return square(repeat(transpose(in[0]), 3, 1)); },
                  {x});
  check_gradients("tile", [](const auto& in) { return square(tile(in[0], {2, 1, 2})); }, {x});
  check_gradients("pad", [](const auto& in) { return square(pad(in[0], {{1, 2}, {0, 1}}, 3.0)); }, {x});
  check_gradients("pad, strided",
                  [](const auto& in) {
                    return square(pad(transpose(in[0]), {{1, 2}, {0, 1}}));
                  },
                  {x});
  check_gradients("flip", [](const auto& in) { return square(flip(in[0], 1)); }, {x});
  check_gradients("roll", [](const auto& in) { return square(roll(in[0], 2, 1)); }, {x});
  check_gradients("size 1", [](const auto& in) { return square(roll(tile(repeat(in[0], 2, 0), {2}), 1, 0)); },
                  {numbers({1})});
}

TEST(Rearrange, Refuses) {
  expect_refusal([] { repeat(kSix, -1, 0); }, "[repeat] the count must not be negative, got -1");
  expect_refusal([] { repeat(kSix, 1, 2); }, "[repeat] axis 2 is out of range for shape (2, 3)");
  expect_refusal([] { tile(kSix, {2}); }, "[tile] fewer counts than axes: (2,) for shape (2, 3)");
  expect_refusal([] { tile(kSix, {2, -1}); }, "[tile] counts must not be negative, got (2, -1)");
  expect_refusal(
      [] {
        pad(kSix, {{1, 1}});
      },
      "[pad] one padding for each axis is needed, got 1 for shape (2, 3)");
  expect_refusal(
      [] {
        pad(kSix, {{0, 0}, {1, -1}});
      },
      "[pad] paddings must not be negative, got 1 and -1 for axis 1; slice() cuts off");
  expect_refusal([] { flip(kSix, 2); }, "[flip] axis 2 is out of range for shape (2, 3)");
  expect_refusal([] { flip(kSix, {0, 0}); }, "[flip] axis 0 is named twice");
  expect_refusal([] { roll(kSix, 1, -3); }, "[roll] axis -3 is out of range for shape (2, 3)");
}

}  // namespace
}  // namespace likely
