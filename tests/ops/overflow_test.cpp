// Sizes beyond what memory can hold are refused by every operation that makes one, before any memory is
// touched.
#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/einsum.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/pooling.hpp"
#include "likely/ops/rearrange.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/triangle.hpp"
#include "likely/ops/upsample.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

constexpr std::int64_t kLarge = std::int64_t{1} << 32;  // its square is 0, modulo 2^64
constexpr std::int64_t kHuge = std::int64_t{1} << 62;
constexpr const char* kSquare =
    "[tensor] out of memory: shape (4294967296, 4294967296) has too many elements";

TEST(Overflow, OfViews) {
  expect_refusal(
      [] {
        reshape(zeros({0}), {kLarge, kLarge});
      },
      "[reshape] cannot reshape (0,) to (4294967296, 4294967296)");
  expect_refusal(
      [] {
        reshape(zeros({0}), {kLarge, kLarge, 0});
      },
      "[reshape] cannot reshape (0,) to (4294967296, 4294967296, 0)");
  expect_refusal(
      [] {
        reshape(zeros({1}), {-1, kLarge, kLarge});
      },
      "[reshape] cannot reshape (1,) to (-1, 4294967296, 4294967296)");
  expect_refusal(
      [] {
        reshape(zeros({1}), {kLarge, 1 << 10});
      },
      "[reshape] cannot reshape (1,) to (4294967296, 1024)");
  expect_refusal([] { expand(zeros({1, 1}), {kLarge, kLarge}); }, kSquare);
  expect_refusal([] { expand(zeros({1}), {-1}); }, "[tensor] a dimension is negative in shape (-1,)");
  expect_refusal([] { constant({kLarge, kLarge}, 1.0); }, kSquare);
  expect_refusal([] { constant({-3}, 1.0); }, "[tensor] a dimension is negative in shape (-3,)");
  // What is seen many times takes no memory, as long as it can be counted.
  const Tensor x = expand(tensor({2.5}), {kLarge, 1 << 20});
  EXPECT_EQ(x.at({kLarge - 1, 77}), 2.5);
  expect_refusal([&] { (void)x.contiguous(); }, "[tensor] out of memory: 18014398509481984 bytes wanted");
  expect_refusal(
      [&] {
        unsqueeze(x, 0) * zeros({1 << 20, 1, 1});
      },
      "[tensor] out of memory: shape (1048576, 4294967296, 1048576) has too many elements");
}

TEST(Overflow, OfSlices) {
  const Tensor x = arange(5);
  for (const std::int64_t step : {std::int64_t{5}, kHuge, INT64_MAX}) {
    EXPECT_TRUE(array_equal(slice(x, 0, {1, 5, step}), tensor({1})));
    EXPECT_TRUE(array_equal(slice(x, 0, {.step = -step}), tensor({4})));
  }
  EXPECT_TRUE(array_equal(slice(x, 0, {.step = INT64_MIN}), tensor({4})));
  EXPECT_TRUE(array_equal(slice(x, 0, {INT64_MIN, INT64_MAX}), x));
  EXPECT_EQ(slice(x, 0, {INT64_MAX, INT64_MIN}).size(), 0);
  EXPECT_EQ(slice(zeros({0}), 0, {.step = INT64_MIN}).size(), 0);
  const Tensor square = reshape(arange(9), {3, 3});
  for (const int offset : {INT32_MIN, INT32_MAX, 3, -3}) EXPECT_EQ(diagonal(square, offset).size(), 0);
  for (const std::int64_t far : {std::int64_t{3}, kHuge, INT64_MAX}) {
    EXPECT_TRUE(array_equal(tril(square, far), square));
    EXPECT_TRUE(array_equal(triu(square, -far), square));
    EXPECT_TRUE(array_equal(triu(square, far), zeros_like(square)));
    EXPECT_TRUE(array_equal(tril(square, -far), zeros_like(square)));
  }
  EXPECT_TRUE(array_equal(triu(square, INT64_MIN), square));
  EXPECT_TRUE(array_equal(roll(x, INT64_MIN, 0), roll(x, INT64_MIN % 5, 0)));
}

TEST(Overflow, OfRepeats) {
  expect_refusal(
      [] {
        repeat(zeros({2, 4}), kHuge, 1);
      },
      "[repeat] out of memory: a dimension of size 4 * 4611686018427387904");
  expect_refusal(
      [] {
        repeat(zeros({kLarge, 0}), kLarge, 0);
      },
      "[repeat] out of memory: a dimension of size 4294967296 * 4294967296");
  expect_refusal([] { tile(zeros({4}), {kHuge}); },
                 "[tile] out of memory: a dimension of size 4 * 4611686018427387904");
  expect_refusal(
      [] {
        tile(zeros({1}), {kLarge, kLarge});
      },
      "[tensor] out of memory: shape (4294967296, 4294967296, 1) has too many elements");
  expect_refusal(
      [] {
        pad(zeros({3}), {{INT64_MAX, 1}});
      },
      "[pad] out of memory: a dimension of size 9223372036854775807 + 1");
  expect_refusal(
      [] {
        pad(zeros({3}), {{INT64_MAX / 8, 0}});
      },
      "[pad] out of memory: a dimension of size 3 + 1152921504606846975");
  expect_refusal(
      [] {
        pad(zeros({3, 3}), {{kLarge, 0}, {kLarge, 0}});
      },
      "[tensor] out of memory: shape (4294967299, 4294967299) has too many elements");
}

TEST(Overflow, OfJoins) {
  const Tensor x = constant({Shape::kMaxSize}, 1.0);
  expect_refusal(
      [&] {
        concat({x, x}, 0);
      },
      "[concat] out of memory: a dimension of size 1152921504606846975 + 1152921504606846975");
  expect_refusal(
      [&] {
        stack({x, x}, 0);
      },
      "[tensor] out of memory: shape (2, 1152921504606846975) has too many elements");
  expect_refusal(
      [&] {
        split(zeros({4}), {INT64_MAX, INT64_MAX, 6}, 0);
      },
      "[split] out of memory: a dimension of size 0 + 9223372036854775807");
  expect_refusal([] { one_hot(arange(4), kHuge); },
                 "[tensor] out of memory: shape (4, 4611686018427387904) has too many elements");
  expect_refusal(
      [] {
        index_select(constant({kLarge, 2}, 1.0), 1, constant({kLarge}, 0.0, DType::i64));
      },
      kSquare);
  const Tensor tall = constant({kLarge, 1}, 1.0);
  expect_refusal([&] { matmul(tall, transpose(tall)); }, kSquare);
  expect_refusal([&] { einsum("ia,ja->ij", {tall, tall}); }, kSquare);
}

TEST(Overflow, OfNewTensors) {
  expect_refusal([] { zeros({kLarge, kLarge}); }, kSquare);
  expect_refusal([] { Rng(1).normal({kLarge, kLarge}); }, kSquare);
  expect_refusal([] { arange(kHuge); },
                 "[tensor] out of memory: shape (4611686018427387904,) has too many elements");
  expect_refusal([] { linspace(0.0, 1.0, kHuge); },
                 "[tensor] out of memory: shape (4611686018427387904,) has too many elements");
  expect_refusal([] { arange(0.0, 1e300); }, "[arange] out of memory: too many numbers from 0.000000 to " +
                                                 std::to_string(1e300) + " in steps of 1.000000");
  expect_refusal([] { arange(0.0, 1.0, 1e-308); },
                 "[arange] out of memory: too many numbers from 0.000000 to 1.000000 in steps of 0.000000");
  EXPECT_EQ(arange(1e300, -1e300).size(), 0);
  expect_refusal([] { eye(kLarge, kLarge); }, kSquare);
}

TEST(Overflow, OfConvolutions) {
  const Tensor x = zeros({1, 1, 4, 4});
  const Tensor w = zeros({1, 1, 3, 3});
  expect_refusal(
      [&] {
        conv2d(x, w, {}, {.padding = {kHuge, 0}});
      },
      "[conv2d] padding is beyond any size, got 4611686018427387904 x 0");
  expect_refusal([&] { conv2d(x, w, {}, {.stride = INT64_MAX}); },
                 "[conv2d] stride is beyond any size, got 9223372036854775807 x 9223372036854775807");
  expect_refusal([&] { conv2d(x, w, {}, {.dilation = Shape::kMaxSize}); },
                 "[conv2d] out of memory: a dimension of size 1152921504606846975 * 2");
  expect_refusal([&] { conv2d(x, w, {}, {.padding = kLarge}); },
                 "[tensor] out of memory: shape (1, 1, 8589934596, 8589934596) has too many elements");
  // Far apart, but few: the kernel's corners lie in the padding.
  const Tensor few = conv2d(ones({1, 1, 1, 1}), ones({1, 1, 3, 1}), {},
                            {.padding = {1LL << 40, 0}, .dilation = {1LL << 40, 1}});
  EXPECT_TRUE(array_equal(few, ones({1, 1, 1, 1})));
  expect_refusal([&] { conv_transpose2d(x, w, {}, {.stride = Shape::kMaxSize}); },
                 "[conv_transpose2d] out of memory: a dimension of size 3 * 1152921504606846975");
  expect_refusal([&] { conv_transpose2d(x, w, {}, {.stride = kLarge}); },
                 "[tensor] out of memory: shape (1, 1, 12884901891, 12884901891) has too many elements");
}

TEST(Overflow, OfWindows) {
  const Tensor x = zeros({1, 4, 4});
  expect_refusal(
      [&] {
        avg_pool2d(x, {kHuge, 1}, {.padding = {kHuge - 1, 0}});
      },
      "[avg_pool2d] kernel and stride are beyond any size, got 4611686018427387904 x 1 and "
      "4611686018427387904 x 1");
  expect_refusal([&] { avg_pool2d(x, kLarge, {.padding = kLarge - 1}); },
                 "[avg_pool2d] out of memory: a dimension of size 4294967296 * 4294967296");
  expect_refusal(
      [&] {
        max_unpool2d(x, zeros({1, 4, 4}, DType::i64), kLarge);
      },
      "[max_unpool2d] out of memory: a dimension of size 4294967296 * 4294967296");
  expect_refusal([&] { upsample_nearest(x, {.size = 1LL << 32}); },
                 "[tensor] out of memory: shape (1, 4294967296, 4294967296) has too many elements");
  expect_refusal([&] { adaptive_avg_pool2d(x, kLarge); },
                 "[tensor] out of memory: shape (1, 4294967296, 4294967296) has too many elements");
}

}  // namespace
}  // namespace likely
