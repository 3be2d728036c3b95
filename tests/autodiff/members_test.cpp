// Members of a tracked tensor: none of them may lose the gradient without a word.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "likely/autodiff/custom.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;

TEST(TrackedMembers, CopyPassesTheGradientOn) {
  check_gradients("copy", [](In x) { return square(x[0].copy()) * x[0]; }, {numbers({2, 3})});
  check_gradients("copy of a view", [](In x) { return exp(transpose(x[0]).copy()); }, {numbers({2, 3})});
}

TEST(TrackedMembers, ContiguousPassesTheGradientOn) {
  check_gradients("dense", [](In x) { return square(x[0].contiguous()); }, {numbers({2, 3})});
  check_gradients("strided", [](In x) { return square(transpose(x[0]).contiguous()) * transpose(x[0]); },
                  {numbers({2, 3})});
}

TEST(TrackedMembers, ToPassesTheGradientOnBetweenFloatingTypes) {
  check_gradients("the same type", [](In x) { return square(x[0].to(DType::f64)); }, {numbers({3})});
  // d/dx sum(x^2) = 2 x, back in the type of x.
  const Tensor x = tensor({1.5, -2.0});
  const Tensor gradient = grad(x, [](const Tensor& t) { return sum(square(t.to(DType::f64))); });
  EXPECT_EQ(gradient.dtype(), DType::f32);
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{3.0F, -4.0F}));
  // There and back again.
  const Tensor back = grad(x, [](const Tensor& t) { return sum(square(t.to(DType::f64).to(DType::f32))); });
  EXPECT_EQ(back.to_vector<float>(), (std::vector<float>{3.0F, -4.0F}));
}

TEST(TrackedMembers, WholeNumbersAreConstants) {
  const Tensor gradient = grad(tensor({1.7, 2.2}), [](const Tensor& t) {
    return sum(t * t.to(DType::i64)) + sum(t.to(DType::boolean).to(DType::f32));
  });
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{1.0F, 2.0F}));
}

TEST(TrackedMembers, ViewRefusesATrackedTensor) {
  expect_refusal(
      [] {
        grad(tensor({1.0, 2.0}), [](const Tensor& t) { return sum(t.view({1, 2}, {2, 1}, 0)); });
      },
      "[view] would lose the gradient that is being taken; use reshape, permute, slice, select or expand");
  const Tensor constant =
      grad(tensor({1.0, 2.0}), [](const Tensor& t) { return sum(t * stop_gradient(t).view({2}, {1}, 0)); });
  EXPECT_EQ(constant.to_vector<float>(), (std::vector<float>{1.0F, 2.0F}));
}

TEST(TrackedMembers, WritingRefusesATrackedTensor) {
  const std::string message =
      "[mutable_data] a tensor that a gradient is being taken of cannot be written to";
  expect_refusal(
      [] {
        grad(tensor({1.0, 2.0}), [](const Tensor& t) {
          Tensor mine = t;
          mine.set({0}, 3.0);
          return sum(mine);
        });
      },
      message);
  expect_refusal(
      [] {
        grad(tensor({1.0, 2.0}), [](const Tensor& t) {
          Tensor mine = t.copy();
          mine.mutable_data<float>()[0] = 3.0F;
          return sum(mine);
        });
      },
      message);
}

// Afterwards the tensor is a constant again, and may be seen and written as one.
TEST(TrackedMembers, AreThoseOfAConstantWhenTheTapeHasEnded) {
  Tensor kept;
  grad(numbers({2, 2}), [&](const Tensor& t) {
    kept = t * 2.0;
    return sum(kept);
  });
  EXPECT_EQ(kept.view({4}, {1}, 0).shape(), (Shape{4}));
  EXPECT_EQ(transpose(kept).copy().track().tape, 0U);
  EXPECT_EQ(kept.to(DType::f32).track().tape, 0U);
  kept.set({0, 0}, 1.0);
  EXPECT_EQ(kept.at({0, 0}), 1.0);
}

// What has no derivative reads a strided tracked tensor without recording anything.
TEST(TrackedMembers, QuestionsAboutATrackedTensorAreConstants) {
  const Tensor x = tensor({{1.0, -2.0}, {3.0, 4.0}}, DType::f64);
  const Tensor gradient = grad(x, [](const Tensor& t) {
    const Tensor strided = transpose(t);
    EXPECT_EQ(argmax(strided).item(), 3.0);
    EXPECT_EQ(argmin(strided, 0).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(any(strided, 0).size(), 2);
    EXPECT_EQ(all(expand(strided, {3, 2, 2}), {0, 1}).size(), 2);
    EXPECT_EQ(is_finite(strided).track().tape, 0U);
    EXPECT_EQ((strided > cast(strided, DType::f32)).track().tape, 0U);
    EXPECT_TRUE(allclose(strided, strided));
    return sum(strided * strided);
  });
  EXPECT_TRUE(array_equal(gradient, x * 2.0));
}

struct Layer {
  Tensor weight, bias;
  LIKELY_PARTS(weight, bias)
};
struct Model {
  std::vector<Layer> layers;
  LIKELY_PARTS(layers)
};

Tensor loss(const Model& m) {
  return sum(exp(m.layers[0].weight * m.layers[1].weight) * m.layers[0].bias) + sum(m.layers[1].bias);
}

TEST(TrackedMembers, CopiesAndCastsOfAModelPassTheGradientOn) {
  const Model model{{{numbers({3}), numbers({3}, 1.0, 1)}, {numbers({3}, 1.0, 2), numbers({3}, 1.0, 3)}}};
  const std::vector<Part> plain = named_parts(grad(model, loss));
  const std::vector<Part> copied =
      named_parts(grad(model, [](const Model& m) { return loss(deep_copy(m)); }));
  const std::vector<Part> cast =
      named_parts(grad(model, [](const Model& m) { return loss(cast_parts(m, DType::f32)); }));
  ASSERT_EQ(plain.size(), 4U);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(array_equal(plain[i].value, copied[i].value)) << plain[i].name;
    EXPECT_EQ(cast[i].value.dtype(), DType::f64);
    EXPECT_TRUE(allclose(plain[i].value, cast[i].value, 1e-5, 1e-6)) << plain[i].name;
    EXPECT_NE(max(abs(plain[i].value)).item(), 0.0);
  }
}

}  // namespace
}  // namespace likely
