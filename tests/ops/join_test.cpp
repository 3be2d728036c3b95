#include "likely/ops/join.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Integers = std::vector<std::int64_t>;

TEST(Join, ConcatAlongAnyAxis) {
  const Tensor a = tensor({{1, 2}, {3, 4}});
  const Tensor b = tensor({{5, 6}});
  const Tensor c = tensor({{7}, {8}});
  EXPECT_EQ(concat({a, b}).to_vector<std::int64_t>(), (Integers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(concat({a, c}, 1).to_vector<std::int64_t>(), (Integers{1, 2, 7, 3, 4, 8}));
  EXPECT_EQ(concat({a, c}, -1).shape(), (Shape{2, 3}));
  EXPECT_EQ(concat({transpose(a), a}, 1).to_vector<std::int64_t>(), (Integers{1, 3, 1, 2, 2, 4, 3, 4}));
  EXPECT_EQ(concat({a, zeros({0, 2}, DType::i64), b}).shape(), (Shape{3, 2}));
  EXPECT_EQ(concat({zeros({2, 0}), zeros({2, 0})}, 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(concat({a}).to_vector<std::int64_t>(), (Integers{1, 2, 3, 4}));
  EXPECT_EQ(concat({a, b.to(DType::f64)}).dtype(), DType::f64);
  EXPECT_EQ(concat({tensor({true}), tensor({false})}).dtype(), DType::boolean);
}

TEST(Join, StackAlongANewAxis) {
  const Tensor a = tensor({1, 2});
  const Tensor b = tensor({3, 4});
  EXPECT_EQ(stack({a, b}).to_vector<std::int64_t>(), (Integers{1, 2, 3, 4}));
  EXPECT_EQ(stack({a, b}, 1).to_vector<std::int64_t>(), (Integers{1, 3, 2, 4}));
  EXPECT_EQ(stack({a, b}, -1).to_vector<std::int64_t>(), (Integers{1, 3, 2, 4}));
  EXPECT_EQ(stack({tensor(1.0), tensor(2.0)}).shape(), (Shape{2}));
}

TEST(Join, SplitsAreViews) {
  const Tensor x = reshape(arange(12), {2, 6});
  const std::vector<Tensor> parts = split(x, std::vector<std::int64_t>{1, 0, 3, 2}, 1);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].raw(), x.raw());
  EXPECT_EQ(parts[1].shape(), (Shape{2, 0}));
  EXPECT_EQ(parts[2].to_vector<std::int64_t>(), (Integers{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(parts[3].data<std::int64_t>(), x.data<std::int64_t>() + 4);
  const std::vector<Tensor> equal = split(x, 3, -1);
  ASSERT_EQ(equal.size(), 3U);
  EXPECT_EQ(equal[2].to_vector<std::int64_t>(), (Integers{4, 5, 10, 11}));
  EXPECT_TRUE(array_equal(concat(equal, 1), x));
}

TEST(Join, Gradients) {
  check_gradients("concat",
                  [](In x) {
                    return concat({square(x[0]), x[1], x[0]});
                  },
                  {numbers({2, 3}), numbers({1, 3}, 1.0, 1)});
  check_gradients("concat",
                  [](In x) {
                    return square(concat({transpose(x[0]), x[1]}, 1));
                  },
                  {numbers({2, 3}), numbers({3, 1}, 1.0, 1)});
  check_gradients("concat",
                  [](In x) {
                    return square(concat({x[0], zeros({2}, DType::f64)}));
                  },
                  {numbers({1})});
  check_gradients("concat",
                  [](In x) {
                    return square(concat({x[0], x[1]}));
                  },
                  {numbers({0, 2}), numbers({2, 2})});
  check_gradients("stack",
                  [](In x) {
                    return square(stack({x[0], x[1], x[0]}, 1));
                  },
                  {numbers({2, 3}), numbers({2, 3}, 1.0, 1)});
  check_gradients("stack", [](In x) { return square(stack({x[0], x[1]})); }, {numbers({}), numbers({})});
  check_gradients("split",
                  [](In x) {
                    const std::vector<Tensor> parts = split(x[0], std::vector<std::int64_t>{1, 2}, 1);
                    return parts[0] * parts[1];
                  },
                  {numbers({2, 3})});
  check_gradients("split", [](In x) { return square(split(x[0], 2)[1]); }, {numbers({4, 2})});
}

TEST(Join, Refusals) {
  expect_refusal([] { concat({}); }, "[concat] at least one tensor is needed");
  expect_refusal(
      [] {
        concat({zeros({2, 3}), zeros({2, 4})});
      },
      "[concat] shapes differ outside axis 0: (2, 3) and (2, 4)");
  expect_refusal(
      [] {
        concat({zeros({2, 3}), zeros({3})});
      },
      "[concat] shapes differ outside axis 0: (2, 3) and (3,)");
  expect_refusal([] { concat({tensor(1.0)}); }, "[concat] axis 0 is out of range for shape ()");
  expect_refusal([] { stack({}); }, "[stack] at least one tensor is needed");
  expect_refusal([] { stack({zeros({2}), zeros({3})}); }, "[stack] shapes differ: (2,) and (3,)");
  expect_refusal([] { stack({zeros({2})}, 2); }, "[stack] axis 2 is out of range for shape (2, 1)");
  expect_refusal(
      [] {
        split(zeros({4}), std::vector<std::int64_t>{1, 2});
      },
      "[split] the sizes add up to 3, but axis 0 of shape (4,) has 4");
  expect_refusal(
      [] {
        split(zeros({4}), std::vector<std::int64_t>{5, -1});
      },
      "[split] a size must not be negative, got -1");
  expect_refusal([] { split(zeros({4}), 3); },
                 "[split] axis 0 of shape (4,) cannot be cut into 3 equal pieces");
  expect_refusal([] { split(zeros({4}), 0); },
                 "[split] axis 0 of shape (4,) cannot be cut into 0 equal pieces");
}

}  // namespace
}  // namespace likely
