#include "likely/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> softmax_of(const std::vector<double>& x) {
  double largest = -kInfinity, total = 0;
  for (const double v : x) largest = std::max(largest, v);
  for (const double v : x) total += std::exp(v - largest);
  std::vector<double> y;
  for (const double v : x) y.push_back(std::exp(v - largest) / total);
  return y;
}

TEST(Softmax, IsTheFormulaAlongEachAxis) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = (numbers({3, 4, 5}) * 4.0).to(dtype);
    for (int axis = 0; axis < 3; ++axis) {
      const Tensor y = softmax(x, axis - 3);
      const Tensor log_y = log_softmax(x, axis);
      EXPECT_EQ(y.dtype(), dtype);
      const Tensor rows = reshape(transpose(x, axis, 2), {60 / x.dim(axis), x.dim(axis)});
      const Tensor row_y = reshape(transpose(y, axis, 2), rows.shape());
      const Tensor row_log = reshape(transpose(log_y, axis, 2), rows.shape());
      for (std::int64_t r = 0; r < rows.dim(0); ++r) {
        const std::vector<double> expected = softmax_of(select(rows, 0, r).to_vector<double>());
        for (std::int64_t k = 0; k < rows.dim(1); ++k) {
          const double p = expected[static_cast<std::size_t>(k)];
          EXPECT_NEAR(row_y.at({r, k}), p, 1e-6 * p);
          EXPECT_NEAR(row_log.at({r, k}), std::log(p), 1e-6);
        }
      }
    }
  }
}

TEST(Softmax, IsRightForLargeNumbersAndMasks) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x =
        tensor({{1e4, 1e4, -1e4}, {-1e4, -1e4, -1e4}, {0.0, -kInfinity, 0.0}, {100.0, -100.0, 0.0}})
            .to(dtype);
    const Tensor y = softmax(x);
    const double third = 1.0 / 3.0;
    EXPECT_TRUE(allclose(
        y, tensor({{0.5, 0.5, 0.0}, {third, third, third}, {0.5, 0.0, 0.5}, {1.0, 0.0, 0.0}}).to(dtype), 1e-6,
        1e-30));
    const Tensor log_y = log_softmax(x);
    EXPECT_NEAR(log_y.at({0, 2}), -2e4 - std::log(2.0), 2e-3);
    EXPECT_NEAR(log_y.at({1, 0}), -std::log(3.0), 1e-6);
    EXPECT_EQ(log_y.at({2, 1}), -kInfinity);
    EXPECT_NEAR(log_y.at({3, 1}), -200.0, 1e-4);
  }
}

TEST(Softmax, GradientsAreFiniteBesideAMask) {
  const Tensor x = tensor({0.5, -kInfinity, 1.0}, DType::f64);
  const Tensor weights = tensor({1.0, 2.0, 4.0}, DType::f64);
  const Tensor g = grad(x, [&](const Tensor& in) { return sum(softmax(in) * weights); });
  const std::vector<double> p = softmax_of({0.5, -kInfinity, 1.0});
  const double average = p[0] + 4.0 * p[2];
  EXPECT_NEAR(g.at({0}), p[0] * (1.0 - average), 1e-12);
  EXPECT_EQ(g.at({1}), 0.0);
  EXPECT_NEAR(g.at({2}), p[2] * (4.0 - average), 1e-12);
  const Tensor second = grad(x, [&](const Tensor& in) {
    return sum(square(grad(in, [&](const Tensor& z) { return sum(softmax(z) * weights); })));
  });
  for (const double v : second.to_vector<double>()) EXPECT_TRUE(std::isfinite(v));
}

TEST(Softmax, Gradients) {
  for (const auto& [name, operation] :
       {std::pair{"softmax", &softmax}, std::pair{"log_softmax", &log_softmax}}) {
    const auto op = operation;
    for (int axis = 0; axis < 3; ++axis) {
      check_gradients(name, [&](const auto& in) { return op(in[0], axis); }, {numbers({2, 3, 2}, 2.0)});
    }
    check_gradients(name, [&](const auto& in) { return op(transpose(in[0]), -1); }, {numbers({3, 4}, 2.0)});
    check_gradients(name, [&](const auto& in) { return op(slice(in[0], 1, {.step = 2}), -1); },
                    {numbers({2, 5})});
    check_gradients(name, [&](const auto& in) { return op(in[0], -1); }, {numbers({3, 1})});
  }
  check_gradients("softmax_gradient", [](const auto& in) { return softmax_gradient(in[0], in[1]); },
                  {numbers({2, 3}), numbers({2, 3}, 1.0, 1)});
  check_gradients("log_softmax_gradient", [](const auto& in) { return log_softmax_gradient(in[0], in[1]); },
                  {numbers({2, 3}), numbers({2, 3}, 1.0, 1)});
}

TEST(Softmax, EmptyRowsAreFine) {
  EXPECT_EQ(softmax(zeros({0, 3})).shape().string(), "(0, 3)");
  EXPECT_EQ(log_softmax(zeros({3, 0}), 0).shape().string(), "(3, 0)");
  EXPECT_EQ(grad(zeros({0, 3}), [](const Tensor& x) { return sum(softmax(x)); }).shape().string(), "(0, 3)");
}

TEST(Softmax, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({500, 700});
  const auto run = [&] {
    return std::vector<Tensor>{softmax(x), log_softmax(x, 0),
                               grad(x, [](const Tensor& in) { return sum(square(softmax(in))); }),
                               grad(x, [](const Tensor& in) { return sum(square(log_softmax(in))); })};
  };
  const int saved = threads();
  set_threads(1);
  const std::vector<Tensor> expected = run();
  for (const int count : {2, 3}) {
    set_threads(count);
    const std::vector<Tensor> again = run();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(array_equal(again[i], expected[i])) << i;
  }
  set_threads(saved);
}

TEST(Softmax, Refuses) {
  expect_refusal([] { softmax(tensor(1.0)); },
                 "[softmax] x must hold at least one element along the axis, got shape ()");
  expect_refusal([] { softmax(zeros({3, 0})); }, "[softmax] axis 1 of shape (3, 0) holds no elements");
  expect_refusal([] { softmax(tensor({1, 2})); }, "[softmax] x must be floating, got i64");
  expect_refusal(
      [] {
        log_softmax(zeros({2, 3}), 2);
      },
      "[log_softmax] axis 2 is out of range for shape (2, 3)");
  const std::string why = " has no softmax: it holds NaN or +inf, or nothing but -inf";
  expect_refusal(
      [] {
        softmax(tensor({{1.0, 2.0}, {-kInfinity, -kInfinity}}));
      },
      "[softmax] row 1 of the input (2, 2)" + why);
  expect_refusal(
      [] {
        log_softmax(tensor({{1.0, 2.0}, {std::nan(""), 0.0}, {kInfinity, 0.0}}));
      },
      "[log_softmax] row 1 of the input (3, 2)" + why);
  expect_refusal(
      [] {
        softmax(reshape(tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, kInfinity, 0.0}), {2, 2, 2}));
      },
      "[softmax] row (1, 1) of the input (2, 2, 2)" + why);
}

}  // namespace
}  // namespace likely
