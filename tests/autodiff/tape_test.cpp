#include "likely/autodiff/tape.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

// A function whose rule hands back a gradient of this shape.
Tensor with_rule_of_shape(const Tensor& x, const Shape& shape) {
  Tape* tape = recording_tape(x);
  return tape->record("mine", tape->below(x) * 1.0, {&x},
                      [shape](const Tensor& g, Pull& pull) { pull(0, [&] { return reshape(g, shape); }); });
}

TEST(Tape, ARuleMustHandBackTheShapeOfItsInput) {
  const Tensor x = numbers({2, 3});
  const auto with = [&](const Shape& shape) {
    return grad(x, [&](const Tensor& t) { return sum(with_rule_of_shape(t, shape)); });
  };
  EXPECT_EQ(with({2, 3}).shape(), (Shape{2, 3}));
  expect_refusal(
      [&] {
        with({3, 2});
      },
      "[mine] the gradient rule returned shape (3, 2) for an input of shape (2, 3)");
  expect_refusal([&] { with({6}); },
                 "[mine] the gradient rule returned shape (6,) for an input of shape (2, 3)");
  expect_refusal(
      [&] {
        with({1, 2, 3});
      },
      "[mine] the gradient rule returned shape (1, 2, 3) for an input of shape (2, 3)");
  // Of a tensor that was computed, not only of a leaf.
  expect_refusal([&] { grad(x, [&](const Tensor& t) {
                         return sum(with_rule_of_shape(t * 2.0, {3, 2}));
                       }); },
                 "[mine] the gradient rule returned shape (3, 2) for an input of shape (2, 3)");
}

// pull_back is a constant: several threads may use it, and copies of it, at once.
TEST(Tape, APullBackMayBeCalledByManyThreads) {
  const Tensor x = numbers({50});
  auto forward = vjp(x, [](const Tensor& t) { return exp(t) * sin(t) + square(t); });
  const auto copy = forward.pull_back;
  std::vector<Tensor> expected;
  for (int i = 0; i < 8; ++i) expected.push_back(forward.pull_back(full({50}, i, DType::f64)));
  std::vector<Tensor> found(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto& pull_back = i % 2 == 0 ? forward.pull_back : copy;
      for (int repeat = 0; repeat < 20; ++repeat) found[i] = pull_back(full({50}, i, DType::f64));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(array_equal(found[i], expected[i])) << i;
}

TEST(Tape, ASeedTakesTheTypeOfTheOutput) {
  const Tensor x = tensor({1.0, 2.0});
  const auto forward = vjp(x, [](const Tensor& t) { return square(t); });
  const Tensor gradient = forward.pull_back(ones({2}, DType::f64));
  EXPECT_EQ(gradient.dtype(), DType::f32);
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{2.0F, 4.0F}));
}

}  // namespace
}  // namespace likely
