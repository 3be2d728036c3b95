#include "likely/core/shape.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

TEST(Shape, SizesAndText) {
  EXPECT_EQ(Shape{}.rank(), 0);
  EXPECT_EQ(Shape{}.size(), 1);
  EXPECT_EQ(Shape{}.string(), "()");
  EXPECT_EQ(Shape({5}).string(), "(5,)");
  EXPECT_EQ(Shape({2, 3, 4}).string(), "(2, 3, 4)");
  EXPECT_EQ(Shape({2, 3, 4}).size(), 24);
  EXPECT_EQ(Shape({2, 0, 4}).size(), 0);
  EXPECT_EQ(Shape({2, 3}).back(), 3);
  EXPECT_EQ(Shape::filled(3, 7), (Shape{7, 7, 7}));
}

TEST(Shape, IsPrinted) {
  std::ostringstream text;
  text << Shape{} << Shape{5} << Shape{2, 3};
  EXPECT_EQ(text.str(), "()(5,)(2, 3)");
  EXPECT_EQ(::testing::PrintToString(Shape{2, 0}), "(2, 0)");  // as a test that fails shows it
}

TEST(Shape, EqualOnlyWithTheSameRank) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{2, 3, 1}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{3, 2}));
}

TEST(Shape, InsertEraseSub) {
  Shape shape{2, 3, 4};
  shape.insert(1, 9);
  EXPECT_EQ(shape, (Shape{2, 9, 3, 4}));
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{9, 3, 4}));
  shape.push_back(5);
  EXPECT_EQ(shape.sub(1, 3), (Shape{3, 4}));
  EXPECT_EQ(shape.sub(2, 2), Shape{});
}

TEST(Shape, AxesFromTheEnd) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.axis("op", -1), 2);
  EXPECT_EQ(shape.axis("op", -3), 0);
  EXPECT_EQ(shape.axis("op", 1), 1);
  expect_refusal([&] { shape.axis("op", 3); }, "[op] axis 3 is out of range for shape (2, 3, 4)");
  expect_refusal([&] { shape.axis("op", -4); }, "[op] axis -4 is out of range for shape (2, 3, 4)");
  expect_refusal([&] { Shape{}.axis("op", 0); }, "[op] axis 0 is out of range for shape ()");
}

TEST(Shape, AtMostEightDimensions) {
  Shape shape = Shape::filled(8, 1);
  expect_refusal([&] { shape.push_back(1); }, "[shape] at most 8 dimensions are possible, got 9");
  expect_refusal([] { Shape(std::vector<std::int64_t>(9, 1)); },
                 "[shape] at most 8 dimensions are possible, got 9");
}

TEST(Shape, CountsOnlyWhatMemoryCanHold) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 32;
  EXPECT_EQ((Shape{kLarge, 1 << 20}).size(), std::int64_t{1} << 52);
  EXPECT_EQ((Shape{kLarge, 0, 1 << 20}).size(), 0);
  EXPECT_EQ(Shape{Shape::kMaxSize}.size(), Shape::kMaxSize);
  const auto refuses = [](const Shape& shape) {
    expect_refusal([&] { (void)shape.size(); },
                   "[tensor] out of memory: shape " + shape.string() + " has too many elements");
  };
  refuses({kLarge, kLarge});  // the product is 0, modulo 2^64
  refuses({kLarge, kLarge, 0});
  refuses({0, kLarge, kLarge});
  refuses({3, kLarge, kLarge, 5});
  refuses({Shape::kMaxSize + 1});
  refuses({INT64_MAX});
  expect_refusal([] { (void)Shape({2, -1}).size(); }, "[tensor] a dimension is negative in shape (2, -1)");
  expect_refusal(
      [] {
        (void)Shape({0, INT64_MIN}).size();
      },
      "[tensor] a dimension is negative in shape (0, -9223372036854775808)");
}

TEST(Shape, AddsAndMultipliesSizes) {
  EXPECT_EQ(add_sizes("op", 3, 4), 7);
  EXPECT_EQ(multiply_sizes("op", 3, 4), 12);
  EXPECT_EQ(multiply_sizes("op", 0, INT64_MAX), 0);
  expect_refusal([] { add_sizes("op", INT64_MAX, 1); },
                 "[op] out of memory: a dimension of size 9223372036854775807 + 1");
  expect_refusal([] { multiply_sizes("op", 1LL << 40, 1LL << 40); },
                 "[op] out of memory: a dimension of size 1099511627776 * 1099511627776");
}

TEST(Shape, HasNoOtherAxesThanItsOwn) {
  Shape shape{2, 3};
  const Shape& fixed = shape;
  for (const int axis : {2, 7, 8, 1000, -1, INT32_MIN}) {
    const std::string message = "[shape] axis " + std::to_string(axis) + " is out of range for shape (2, 3)";
    expect_refusal([&] { (void)fixed[axis]; }, message);
    expect_refusal([&] { shape[axis] = 1; }, message);
    expect_refusal([&] { shape.erase(axis); }, message);
    if (axis != 2) expect_refusal([&] { shape.insert(axis, 1); }, message);
  }
  expect_refusal([] { (void)Shape{}.back(); }, "[shape] axis -1 is out of range for shape ()");
  expect_refusal([&] { (void)shape.sub(0, 3); }, "[shape] axis 3 is out of range for shape (2, 3)");
  expect_refusal([&] { (void)shape.sub(2, 1); }, "[shape] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { (void)shape.sub(-1, 1); }, "[shape] axis -1 is out of range for shape (2, 3)");
  EXPECT_EQ(shape, (Shape{2, 3}));
}

TEST(Shape, RowMajorStrides) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(row_major_strides({}), Strides{});
}

TEST(Shape, Broadcast) {
  EXPECT_EQ(broadcast_shapes("op", {2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes("op", {2, 1, 4}, {5, 1}), (Shape{2, 5, 4}));
  EXPECT_EQ(broadcast_shapes("op", {}, {4}), (Shape{4}));
  EXPECT_EQ(broadcast_shapes("op", {0}, {1}), (Shape{0}));
  EXPECT_EQ(broadcast_shapes("op", {1}, {2, 0}), (Shape{2, 0}));
  expect_refusal(
      [] {
        broadcast_shapes("op", {2, 3}, {2});
      },
      "[op] shapes do not broadcast: (2, 3) and (2,)");
  expect_refusal([] { broadcast_shapes("op", {0}, {2}); }, "[op] shapes do not broadcast: (0,) and (2,)");
}

}  // namespace
}  // namespace likely
