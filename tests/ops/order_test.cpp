#include "likely/ops/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Order, SortAlongAnyAxis) {
  const Tensor x = tensor({{3.0, 1.0, 2.0}, {0.0, 5.0, 4.0}});
  EXPECT_EQ(sort(x).to_vector<float>(), (Floats{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(sort(x, 0).to_vector<float>(), (Floats{0, 1, 2, 3, 5, 4}));
  EXPECT_EQ(sort(x, -1, true).to_vector<float>(), (Floats{3, 2, 1, 5, 4, 0}));
  EXPECT_EQ(argsort(x).to_vector<std::int64_t>(), (Integers{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(argsort(x, 0, true).to_vector<std::int64_t>(), (Integers{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(sort(transpose(x), 0).to_vector<float>(), (Floats{1, 0, 2, 4, 3, 5}));
  EXPECT_EQ(sort(tensor({3, 1, 2})).to_vector<std::int64_t>(), (Integers{1, 2, 3}));
  EXPECT_EQ(sort(tensor({true, false, true})).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(sort(tensor(2.0)).item(), 2.0);
  EXPECT_EQ(argsort(tensor(2.0)).shape(), Shape{});
  EXPECT_EQ(sort(zeros({2, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(sort(zeros({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_TRUE(sort(x, 0).is_contiguous());
}

TEST(Order, AgreesWithTheStandardLibrary) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = round(numbers({5, 203}, 20.0)).to(dtype);
    const Tensor order = argsort(x, 1);
    const Tensor sorted = sort(x, 1);
    for (std::int64_t row = 0; row < 5; ++row) {
      const std::vector<double> values = select(x, 0, row).to_vector<double>();
      Integers expected(203);
      for (std::size_t i = 0; i < 203; ++i) expected[i] = static_cast<std::int64_t>(i);
      std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
        return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
      });
      EXPECT_EQ(select(order, 0, row).to_vector<std::int64_t>(), expected);
    }
    EXPECT_TRUE(array_equal(take_along_axis(x, order, 1), sorted));
  }
}

TEST(Order, EqualElementsKeepTheirOrderAndNanComesLast) {
  const Tensor x = tensor({2.0, kNan, 1.0, kInf, 2.0, -kInf, 1.0});
  EXPECT_EQ(argsort(x).to_vector<std::int64_t>(), (Integers{5, 2, 6, 0, 4, 3, 1}));
  EXPECT_EQ(argsort(x, 0, true).to_vector<std::int64_t>(), (Integers{3, 0, 4, 2, 6, 5, 1}));
  EXPECT_TRUE(std::isnan(sort(x).at({-1})));
  EXPECT_TRUE(std::isnan(sort(x, 0, true).at({-1})));
}

TEST(Order, TopK) {
  const Tensor x = tensor({{3.0, 1.0, 2.0, 3.0}, {0.0, 5.0, 4.0, -1.0}});
  const TopK best = topk(x, 2);
  EXPECT_EQ(best.values.to_vector<float>(), (Floats{3, 3, 5, 4}));
  EXPECT_EQ(best.indices.to_vector<std::int64_t>(), (Integers{0, 3, 1, 2}));
  const TopK least = topk(x, 1, -1, false);
  EXPECT_EQ(least.values.to_vector<float>(), (Floats{1, -1}));
  const TopK columns = topk(x, 1, 0);
  EXPECT_EQ(columns.values.to_vector<float>(), (Floats{3, 5, 4, 3}));
  EXPECT_EQ(columns.values.shape(), (Shape{1, 4}));
  EXPECT_EQ(columns.indices.to_vector<std::int64_t>(), (Integers{0, 1, 1, 0}));
  EXPECT_EQ(topk(x, 0).values.shape(), (Shape{2, 0}));
  EXPECT_EQ(topk(x, 4).indices.to_vector<std::int64_t>(), argsort(x, 1, true).to_vector<std::int64_t>());
  EXPECT_EQ(topk(tensor({5, 7, 6}), 2).values.to_vector<std::int64_t>(), (Integers{7, 6}));
  EXPECT_EQ(topk(zeros({0, 3}), 2).values.shape(), (Shape{0, 2}));
  // A long row takes another way than sorting.
  const Tensor row = numbers({5000}, 100.0);
  const TopK ten = topk(row, 10);
  EXPECT_TRUE(array_equal(ten.values, slice(sort(row, 0, true), 0, {0, 10})));
  EXPECT_TRUE(array_equal(ten.indices, slice(argsort(row, 0, true), 0, {0, 10})));
}

TEST(Order, Gradients) {
  const Tensor x = numbers({3, 4});
  for (const int axis : {0, 1}) {
    for (const bool flag : {false, true}) {
      check_gradients("sort", [&](In t) { return square(sort(t[0], axis, flag)); }, {x});
      check_gradients("sort", [&](In t) { return square(sort(transpose(t[0]), axis, flag)); }, {x});
      check_gradients("topk", [&](In t) { return square(topk(t[0], 2, axis, flag).values); }, {x});
    }
  }
  check_gradients("sort", [](In t) { return square(sort(t[0])); }, {numbers({1})});
  check_gradients("sort", [](In t) { return square(sort(t[0])); }, {numbers({2, 0})});
  check_gradients("topk", [](In t) { return square(topk(t[0], 0).values); }, {x});
  // Of equal elements, the one that comes first is the best.
  const Tensor g = grad(tensor({1.0, 2.0, 2.0}), [](const Tensor& t) { return sum(topk(t, 1).values); });
  EXPECT_EQ(g.to_vector<float>(), (Floats{0, 1, 0}));
}

TEST(Order, Refusals) {
  expect_refusal([] { sort(zeros({2}), 1); }, "[sort] axis 1 is out of range for shape (2,)");
  expect_refusal([] { argsort(zeros({2}), 1); }, "[argsort] axis 1 is out of range for shape (2,)");
  expect_refusal(
      [] {
        topk(zeros({2, 3}), 4);
      },
      "[topk] k must lie between 0 and the length of axis 1 of shape (2, 3), got 4");
  expect_refusal(
      [] {
        topk(zeros({2, 3}), -1, 0);
      },
      "[topk] k must lie between 0 and the length of axis 0 of shape (2, 3), got -1");
  expect_refusal([] { topk(tensor(1.0), 1); }, "[topk] axis -1 is out of range for shape ()");
}

TEST(Order, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({64, 3000}).to(DType::f32);
  std::vector<Tensor> sorted;
  std::vector<Tensor> best;
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    sorted.push_back(sort(x));
    best.push_back(topk(x, 7).indices);
  }
  set_threads(before);
  for (const std::size_t i : {1, 2}) {
    EXPECT_TRUE(array_equal(sorted[0], sorted[i]));
    EXPECT_TRUE(array_equal(best[0], best[i]));
  }
}

}  // namespace
}  // namespace likely
