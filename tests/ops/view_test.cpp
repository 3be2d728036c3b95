#include "likely/ops/view.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Integers = std::vector<std::int64_t>;

Tensor counting(const Shape& shape) { return reshape(arange(shape.size()), shape); }

// Python's own rule, with its indices written out.
Integers python_slice(std::int64_t n, std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                      std::int64_t step) {
  const auto place = [&](std::optional<std::int64_t> i, std::int64_t missing) {
    if (!i) return missing;
    std::int64_t p = *i < 0 ? *i + n : *i;
    if (p < 0) p = step < 0 ? -1 : 0;
    if (p >= n) p = step < 0 ? n - 1 : n;
    return p;
  };
  const std::int64_t first = place(start, step < 0 ? n - 1 : 0);
  const std::int64_t last = place(stop, step < 0 ? -1 : n);
  Integers result;
  for (std::int64_t i = first; step < 0 ? i > last : i < last; i += step) result.push_back(i);
  return result;
}

TEST(View, SlicesAsPython) {
  const std::optional<std::int64_t> ends[] = {std::nullopt, -9, -7, -6, -3, -1, 0, 1, 3, 5, 6, 9};
  for (const std::int64_t n : {0, 1, 6}) {
    const Tensor x = arange(n);
    for (const auto& start : ends) {
      for (const auto& stop : ends) {
        for (const std::int64_t step : {1, 2, 5, -1, -2, -7}) {
          EXPECT_EQ(slice(x, 0, {start, stop, step}).to_vector<std::int64_t>(),
                    python_slice(n, start, stop, step));
        }
      }
    }
  }
}

TEST(View, NothingIsCopied) {
  const Tensor x = counting({4, 6});
  const std::int64_t* data = x.data<std::int64_t>();
  EXPECT_EQ(slice(x, 0, {1, 3}).data<std::int64_t>(), data + 6);
  EXPECT_EQ(slice(x, {{}, {.start = 2, .step = 2}}).data<std::int64_t>(), data + 2);
  EXPECT_EQ(slice(x, 1, {.step = -1}).data<std::int64_t>(), data + 5);
  EXPECT_EQ(select(x, 0, -1).data<std::int64_t>(), data + 18);
  EXPECT_EQ(transpose(x).data<std::int64_t>(), data);
  EXPECT_EQ(permute(x, {1, 0}).data<std::int64_t>(), data);
  EXPECT_EQ(reshape(x, {2, -1}).data<std::int64_t>(), data);
  EXPECT_EQ(flatten(x).data<std::int64_t>(), data);
  EXPECT_EQ(expand(x, {3, 4, 6}).data<std::int64_t>(), data);
  EXPECT_EQ(unsqueeze(x, 1).data<std::int64_t>(), data);
  EXPECT_EQ(squeeze(unsqueeze(x, 1)).data<std::int64_t>(), data);
  EXPECT_EQ(diagonal(x, 1).data<std::int64_t>(), data + 1);
  EXPECT_EQ(contiguous(x).data<std::int64_t>(), data);
  EXPECT_NE(contiguous(transpose(x)).data<std::int64_t>(), data);
}

TEST(View, Values) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(transpose(x).to_vector<std::int64_t>(), (Integers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(select(x, 1, 2).to_vector<std::int64_t>(), (Integers{2, 5}));
  EXPECT_EQ(slice(x, {{1, 2}, {.step = -1}}).to_vector<std::int64_t>(), (Integers{5, 4, 3}));
  EXPECT_EQ(diagonal(x).to_vector<std::int64_t>(), (Integers{0, 4}));
  EXPECT_EQ(diagonal(x, 1).to_vector<std::int64_t>(), (Integers{1, 5}));
  EXPECT_EQ(diagonal(x, -1).to_vector<std::int64_t>(), (Integers{3}));
  EXPECT_EQ(diagonal(x, 7).size(), 0);
  EXPECT_EQ(diagonal(counting({2, 3, 2}), 0, 0, 2).to_vector<std::int64_t>(), (Integers{0, 7, 2, 9, 4, 11}));
  EXPECT_EQ(expand(tensor({{1}, {2}}), {2, 2, 2}).to_vector<std::int64_t>(),
            (Integers{1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(permute(counting({2, 3, 4}), {2, 0, 1}).shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(permute(counting({2, 3, 4}), {-1, 0, 1}).at({3, 1, 2}), 23.0);
  EXPECT_EQ(transpose(counting({2, 3, 4})).shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(transpose(counting({2, 3, 4}), 0, -1).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(sum_to(ones({2, 3, 4}), {3, 1}).to_vector<float>(), (std::vector<float>{8, 8, 8}));
  EXPECT_EQ(sum_to(ones({2, 3}), {}).item(), 6.0);
}

TEST(View, Shapes) {
  const Tensor x = zeros({2, 1, 3, 1});
  EXPECT_EQ(squeeze(x).shape(), (Shape{2, 3}));
  EXPECT_EQ(squeeze(x, -1).shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(unsqueeze(x, 0).shape(), (Shape{1, 2, 1, 3, 1}));
  EXPECT_EQ(unsqueeze(x, -1).shape(), (Shape{2, 1, 3, 1, 1}));
  EXPECT_EQ(unsqueeze(tensor(1.0), 0).shape(), (Shape{1}));
  EXPECT_EQ(flatten(x).shape(), (Shape{6}));
  EXPECT_EQ(flatten(x, 1, 2).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(flatten(tensor(1.0)).shape(), (Shape{1}));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(reshape(zeros({0, 4}), {2, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(reshape(zeros({0, 4}), {-1, 4}).shape(), (Shape{0, 4}));
  EXPECT_EQ(reshape(tensor({5.0}), {}).item(), 5.0);
  EXPECT_EQ(expand(zeros({1, 3}), {0, 3}).shape(), (Shape{0, 3}));
}

TEST(View, ReshapeOfViewsCopiesOnlyWhereItMust) {
  const Tensor x = counting({4, 6, 5});
  const Tensor rows = slice(x, 1, {1, 3});
  EXPECT_EQ(reshape(rows, {4, 10}).raw(), rows.raw());
  EXPECT_EQ(reshape(rows, {2, 2, 1, 10}).raw(), rows.raw());
  EXPECT_NE(reshape(rows, {40}).raw(), rows.raw());
  EXPECT_EQ(reshape(transpose(x, 0, 1), {3, 2, 4, 5}).raw(), x.raw());
  EXPECT_NE(reshape(transpose(x, 0, 1), {24, 5}).raw(), x.raw());
  // Whatever it does, the elements come in row-major order.
  const std::vector<Tensor> views = {rows,
                                     transpose(x),
                                     permute(x, {1, 2, 0}),
                                     slice(x, 0, {.step = -2}),
                                     expand(slice(x, 0, {1, 2}), {4, 6, 5}),
                                     slice(x, 2, {.step = 2}),
                                     slice(x, {{}, {2, 3}, {}})};
  for (const Tensor& view : views) {
    const Integers expected = view.to_vector<std::int64_t>();
    std::vector<Shape> shapes = {{view.size()}, {2, -1}, {-1, 2}, {1, -1, 1}};
    if (view.size() % 4 == 0) shapes.push_back({4, -1});
    if (view.size() % 30 == 0) shapes.push_back({6, 5, -1});
    for (const Shape& shape : shapes) {
      EXPECT_EQ(reshape(view, shape).to_vector<std::int64_t>(), expected) << shape.string();
    }
  }
}

TEST(View, Gradients) {
  const Tensor x = numbers({3, 4});
  check_gradients("slice", [](In t) { return square(slice(t[0], 1, {1, 3})); }, {x});
  check_gradients("slice",
                  [](In t) {
                    return square(slice(t[0], {{.step = -1}, {.start = 1, .step = 2}}));
                  },
                  {x});
  check_gradients("slice", [](In t) { return square(slice(t[0], 0, {2, 2})); }, {x});
  check_gradients("slice",
                  [](In t) {
                    return square(slice(slice(transpose(t[0]), 0, {1, 4}), 1, {0, 2}));
                  },
                  {x});
  check_gradients("select", [](In t) { return square(select(t[0], 0, 1)) + select(t[0], 0, -1); }, {x});
  check_gradients("select", [](In t) { return square(select(t[0], 1, -2)); }, {x});
  check_gradients("transpose", [](In t) { return square(transpose(t[0])) * 2.0; }, {x});
  check_gradients("transpose", [](In t) { return square(transpose(t[0], 0, 2)); }, {numbers({2, 1, 3})});
  check_gradients("permute", [](In t) { return square(permute(t[0], {2, 0, 1})); }, {numbers({2, 1, 3})});
  check_gradients("reshape", [](In t) { return square(reshape(t[0], {2, -1})); }, {x});
  check_gradients("reshape", [](In t) { return square(reshape(transpose(t[0]), {2, 6})); }, {x});
  check_gradients("reshape", [](In t) { return square(reshape(t[0], {})); }, {numbers({1, 1})});
  check_gradients("flatten", [](In t) { return square(flatten(t[0], 1)); }, {numbers({2, 2, 2})});
  check_gradients("expand", [](In t) { return square(expand(t[0], {2, 3, 4})); }, {numbers({3, 1})});
  check_gradients("expand", [](In t) { return square(expand(t[0], {3})); }, {numbers({})});
  check_gradients("expand", [](In t) { return square(expand(t[0], {0, 4})); }, {numbers({1, 4})});
  check_gradients("squeeze", [](In t) { return square(squeeze(t[0])); }, {numbers({1, 3, 1})});
  check_gradients("squeeze", [](In t) { return square(squeeze(t[0], 0)); }, {numbers({1, 3, 1})});
  check_gradients("unsqueeze", [](In t) { return square(unsqueeze(t[0], -2)); }, {x});
  check_gradients("diagonal", [](In t) { return square(diagonal(t[0])); }, {x});
  check_gradients("diagonal", [](In t) { return square(diagonal(t[0], -1)); }, {x});
  check_gradients("diagonal", [](In t) { return square(diagonal(t[0], 1, 0, 2)); }, {numbers({2, 2, 3})});
  check_gradients("contiguous", [](In t) { return square(contiguous(transpose(t[0]))); }, {x});
  check_gradients("sum_to", [](In t) { return square(sum_to(t[0], {1, 4})); }, {x});
  check_gradients("sum_to", [](In t) { return square(sum_to(t[0], {})); }, {x});
  check_gradients("sum_to", [](In t) { return square(sum_to(t[0], {4, 1})); }, {numbers({2, 4, 3})});
}

TEST(View, BracketsSelectAlongTheFirstAxis) {
  const Tensor x = counting({3, 2, 4});
  EXPECT_EQ(x[1].shape(), (Shape{2, 4}));
  for (const std::int64_t i : {0, 1, 2, -1, -3}) EXPECT_TRUE(array_equal(x[i], select(x, 0, i))) << i;
  EXPECT_EQ(x[2][-1][3].item(), 23.0);
  EXPECT_EQ(x[1].raw(), static_cast<const std::int64_t*>(x.raw()) + 8);  // nothing is copied
  const Tensor turned = transpose(x, 0, 2);
  EXPECT_EQ(turned[3].at({1, 2}), x.at({2, 1, 3}));
  Tensor row = x[0];
  row += 100;  // of its own
  EXPECT_EQ(x.at({0, 0, 0}), 0.0);
  EXPECT_EQ(zeros({2, 0})[1].shape(), (Shape{0}));
  // Nothing can be assigned to what has no name, as nobody would see it.
  static_assert(!std::is_assignable_v<Tensor, Tensor> && std::is_assignable_v<Tensor&, Tensor>);
  check_gradients("brackets", [](In t) { return square(t[0][-2]) * t[0][0][1]; }, {numbers({3, 4})});
  check_gradients("brackets of a view", [](In t) { return exp(transpose(t[0])[1]); }, {numbers({3, 4})});
  expect_refusal([&] { x[3]; }, "[select] index 3 is out of range for axis 0 of shape (3, 2, 4)");
  expect_refusal([&] { x[-4]; }, "[select] index -4 is out of range for axis 0 of shape (3, 2, 4)");
  expect_refusal([&] { tensor(1.0)[0]; }, "[select] axis 0 is out of range for shape ()");
  expect_refusal([&] { grad(ones({3}), [](const Tensor& t) { return t[3]; }); },
                 "[select] index 3 is out of range for axis 0 of shape (3,)");
}

TEST(View, Refusals) {
  const Tensor x = zeros({2, 3});
  expect_refusal([&] { slice(x, 0, {.step = 0}); }, "[slice] the step must not be 0");
  expect_refusal([&] { slice(x, 2, {}); }, "[slice] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { slice(x, {{}, {}, {}}); }, "[slice] 3 ranges given for shape (2, 3)");
  expect_refusal([&] { select(x, 1, 3); }, "[select] index 3 is out of range for axis 1 of shape (2, 3)");
  expect_refusal([&] { select(x, 0, -3); }, "[select] index -3 is out of range for axis 0 of shape (2, 3)");
  expect_refusal([&] { transpose(zeros({3})); }, "[transpose] a matrix is needed, got shape (3,)");
  expect_refusal([&] { transpose(x, 0, 2); }, "[transpose] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { permute(x, {0, 0}); }, "[permute] the order must name each axis of shape (2, 3) once");
  expect_refusal([&] { permute(x, {0}); }, "[permute] the order must name each axis of shape (2, 3) once");
  expect_refusal(
      [&] {
        permute(x, {0, 1, 0});
      },
      "[permute] the order must name each axis of shape (2, 3) once");
  expect_refusal([&] { reshape(x, {4, -1}); }, "[reshape] cannot reshape (2, 3) to (4, -1)");
  expect_refusal([&] { reshape(x, {7}); }, "[reshape] cannot reshape (2, 3) to (7,)");
  expect_refusal([&] { reshape(x, {-1, -1}); }, "[reshape] at most one dimension may be -1, got (-1, -1)");
  expect_refusal([&] { reshape(x, {-2, 3}); }, "[reshape] a dimension is negative in (-2, 3)");
  expect_refusal([&] { reshape(zeros({0}), {0, -1}); }, "[reshape] cannot reshape (0,) to (0, -1)");
  expect_refusal([&] { flatten(x, 1, 0); }, "[flatten] the first axis lies behind the last one: 1, 0");
  expect_refusal([&] { expand(x, {3, 3}); }, "[expand] shape (2, 3) does not broadcast to (3, 3)");
  expect_refusal([&] { expand(x, {3}); }, "[expand] shape (2, 3) does not broadcast to (3,)");
  expect_refusal([&] { squeeze(x, 0); }, "[squeeze] axis 0 of shape (2, 3) is not 1");
  expect_refusal([&] { unsqueeze(x, 4); }, "[unsqueeze] axis 4 is out of range for shape (2, 3, 1)");
  expect_refusal([&] { diagonal(x, 0, 1, -1); }, "[diagonal] two different axes are needed, got 1 twice");
  expect_refusal([&] { sum_to(x, {2}); }, "[sum_to] shape (2,) does not broadcast to (2, 3)");
}

}  // namespace
}  // namespace likely
