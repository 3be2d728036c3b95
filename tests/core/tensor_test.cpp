#include "likely/core/tensor.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

TEST(Tensor, AnEmptyHandleIsRefused) {
  const Tensor empty;
  EXPECT_FALSE(empty.defined());
  expect_refusal([&] { empty.shape(); },
                 "[tensor] an empty tensor was used where one with elements is needed");
}

TEST(Tensor, ElementsByIndex) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  EXPECT_EQ(x.at({1, 2}), 6.0);
  EXPECT_EQ(x.at({-2, -1}), 3.0);
  EXPECT_EQ(x.dim(-1), 3);
  EXPECT_EQ(tensor(7.0).at({}), 7.0);
  EXPECT_EQ(tensor({{2.5}}).item(), 2.5);
  expect_refusal([&] { x.at({2, 0}); }, "[at] index 2 is out of range for axis 0 of shape (2, 3)");
  expect_refusal([&] { x.at({0, -4}); }, "[at] index -4 is out of range for axis 1 of shape (2, 3)");
  expect_refusal([&] { x.at({0}); }, "[at] 1 indices given for shape (2, 3)");
  expect_refusal([&] { x.item(); }, "[item] one element is needed, shape is (2, 3)");
}

TEST(Tensor, DataRefusesAnotherType) {
  const Tensor x = zeros({2});
  expect_refusal([&] { x.data<double>(); }, "[data] the elements are f32, not f64");
  EXPECT_NE(x.data<float>(), nullptr);
}

TEST(Tensor, NegativeDimensionsAreRefused) {
  expect_refusal([] { zeros({2, -1}); }, "[tensor] a dimension is negative in shape (2, -1)");
}

TEST(Tensor, WritingChangesOneHandleOnly) {
  Tensor x = tensor({1.0, 2.0, 3.0});
  const Tensor snapshot = x;
  const Tensor view = slice(x, 0, {1, 3});
  EXPECT_EQ(snapshot.raw(), x.raw());
  EXPECT_FALSE(x.is_unique());
  x.set({1}, 20.0);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 20, 3}));
  EXPECT_EQ(snapshot.to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(view.to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_TRUE(x.is_unique());
}

TEST(Tensor, TheOnlyHolderWritesInPlace) {
  Tensor x = tensor({1.0, 2.0});
  const void* before = x.raw();
  x.mutable_data<float>()[0] = 5.0F;
  EXPECT_EQ(x.raw(), before);
  EXPECT_EQ(x.at({0}), 5.0);
}

TEST(Tensor, WritingToAViewLeavesTheWholeAlone) {
  const Tensor whole = tensor({{1.0, 2.0}, {3.0, 4.0}});
  Tensor column = select(whole, 1, 0);
  EXPECT_FALSE(column.is_contiguous());
  column.mutable_data<float>()[1] = -1.0F;
  EXPECT_TRUE(column.is_contiguous());
  EXPECT_EQ(column.to_vector<float>(), (std::vector<float>{1, -1}));
  EXPECT_EQ(whole.at({1, 0}), 3.0);
}

TEST(Tensor, WritingKeepsTheFrozenMark) {
  Tensor x = tensor({1.0});
  x.set_frozen(true);
  const Tensor other = x;
  x.set({0}, 2.0);
  EXPECT_TRUE(x.frozen());
  EXPECT_EQ(other.item(), 1.0);
}

TEST(Tensor, ATrackedTensorIsNotWrittenTo) {
  expect_refusal(
      [] {
        grad(tensor({1.0}), [](const Tensor& x) {
          Tensor y = x;
          y.set({0}, 2.0);
          return sum(y);
        });
      },
      "[mutable_data] a tensor that a gradient is being taken of cannot be written to");
}

TEST(Tensor, ConversionTruncatesSaturatesAndAsksForNotZero) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Tensor x =
      tensor({1.9, -1.9, 0.0, 1e30, -1e30, inf, -inf, std::numeric_limits<double>::quiet_NaN()}, DType::f64);
  EXPECT_EQ(x.to(DType::i64).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, -1, 0, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MIN}));
  EXPECT_EQ(x.to(DType::boolean).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(x.to(DType::f64).raw(), x.raw());
  EXPECT_EQ(tensor({true, false}).to_vector<double>(), (std::vector<double>{1, 0}));
  EXPECT_EQ(transpose(tensor({{1, 2}, {3, 4}})).to_vector<float>(), (std::vector<float>{1, 3, 2, 4}));
}

// Every element in the order of indices, one at a time: what a copy must agree with.
std::vector<double> by_index(const Tensor& x) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t place = 0;
    std::int64_t rest = i;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      place += rest % x.shape()[axis] * x.strides()[axis];
      rest /= x.shape()[axis];
    }
    if (x.dtype() == DType::f32) all.push_back(x.data<float>()[place]);
    if (x.dtype() == DType::f64) all.push_back(x.data<double>()[place]);
    if (x.dtype() == DType::i64) all.push_back(static_cast<double>(x.data<std::int64_t>()[place]));
    if (x.dtype() == DType::boolean) all.push_back(x.data<bool>()[place] ? 1.0 : 0.0);
  }
  return all;
}

class StridedCopy : public ::testing::TestWithParam<DType> {};

TEST_P(StridedCopy, AgreesWithReadingByIndex) {
  const Tensor base = arange(0.0, 7.0 * 9 * 11 * 13, 1.0, DType::f64);
  const Tensor x =
      reshape(GetParam() == DType::boolean ? testing::numbers({7 * 9 * 11 * 13}).to(DType::i64).to(GetParam())
                                           : base.to(GetParam()),
              {7, 9, 11, 13});
  const std::vector<Tensor> views = {
      x,
      permute(x, {3, 2, 1, 0}),
      permute(x, {0, 3, 1, 2}),
      permute(x, {1, 0, 3, 2}),
      permute(x, {2, 3, 0, 1}),
      transpose(reshape(x, {63, 143})),
      slice(transpose(reshape(x, {63, 143})),
            {{.start = 3, .step = 2}, {.start = 60, .stop = 1, .step = -3}}),
      slice(x, {{.step = -1}, {.start = 1, .stop = 8}, {.step = 3}, {.step = -2}}),
      slice(x, 3, {.step = -1}),
      expand(slice(x, 1, {2, 3}), {7, 5, 11, 13}),
      expand(select(select(x, 0, 1), 2, 4), {3, 9, 11}),
      select(select(x, 3, 1), 1, 2),
      slice(x, 0, {3, 3}),
      diagonal(x, 2, 1, 3),
  };
  for (const Tensor& view : views) {
    const Tensor copy = view.copy();
    EXPECT_TRUE(copy.is_contiguous());
    EXPECT_EQ(copy.shape(), view.shape());
    EXPECT_EQ(by_index(copy), by_index(view)) << view.shape().string() << view.strides().string();
    EXPECT_EQ(view.to(DType::f64).to_vector<double>(), by_index(view));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, StridedCopy,
                         ::testing::Values(DType::f32, DType::f64, DType::i64, DType::boolean),
                         [](const auto& i) { return std::string(name_of(i.param)); });

// Large enough for threads, and for being written past the caches.
TEST(Tensor, LargeTransposesForAnyNumberOfThreads) {
  const int before = threads();
  const std::int64_t rows = 1531;
  const std::int64_t columns = 1801;
  const Tensor x = reshape(arange(rows * columns), {rows, columns}).to(DType::f32);
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    const Tensor turned = transpose(x).copy();
    const Tensor same = x.copy();
    const Tensor wide = transpose(x).to(DType::f64);
    const float* values = turned.data<float>();
    for (std::int64_t i = 0; i < columns; ++i) {
      for (std::int64_t j = 0; j < rows; ++j) {
        ASSERT_EQ(values[i * rows + j], static_cast<float>(j * columns + i)) << i << ", " << j;
      }
    }
    EXPECT_TRUE(array_equal(same, x));
    EXPECT_TRUE(array_equal(wide.to(DType::f32), turned));
  }
  set_threads(before);
}

TEST(Tensor, ContiguousIsTheSameHandleWhereItCanBe) {
  const Tensor x = zeros({3, 4});
  EXPECT_EQ(x.contiguous().raw(), x.raw());
  EXPECT_NE(x.copy().raw(), x.raw());
  EXPECT_NE(transpose(x).contiguous().raw(), x.raw());
  EXPECT_TRUE(slice(x, 0, {1, 2}).is_contiguous());
  EXPECT_TRUE(transpose(zeros({1, 4})).is_contiguous());
  EXPECT_FALSE(slice(x, 1, {0, 2}).is_contiguous());
}

struct Model {
  Tensor weight = tensor({1.0, 2.0});
  std::vector<Tensor> layers{tensor({3.0})};
  LIKELY_PARTS(weight, layers)
};

TEST(Tensor, ASnapshotOfAModelStays) {
  Model model;
  const Model best = model;
  model.weight.set({0}, 10.0);
  model.layers[0].mutable_data<float>()[0] = 30.0F;
  EXPECT_EQ(best.weight.at({0}), 1.0);
  EXPECT_EQ(best.layers[0].item(), 3.0);
  EXPECT_EQ(model.weight.at({0}), 10.0);
  EXPECT_EQ(model.layers[0].item(), 30.0);
}

}  // namespace
}  // namespace likely
