#include "likely/ops/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/memory.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
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

// One head, written out. bias(i, j) is added to the scores.
Tensor written_out(const Tensor& q, const Tensor& k, const Tensor& v, double scale,
                   const std::function<double(std::int64_t, std::int64_t)>& bias) {
  Tensor y = zeros({q.dim(0), v.dim(1)}, DType::f64);
  for (std::int64_t i = 0; i < q.dim(0); ++i) {
    std::vector<double> weight;
    double largest = -kInfinity, total = 0;
    for (std::int64_t j = 0; j < k.dim(0); ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < q.dim(1); ++d) score += q.at({i, d}) * k.at({j, d});
      weight.push_back(scale * score + bias(i, j));
      largest = std::max(largest, weight.back());
    }
    for (double& w : weight) total += w = std::exp(w - largest);
    for (std::int64_t e = 0; e < v.dim(1); ++e) {
      double sum_v = 0;
      for (std::int64_t j = 0; j < k.dim(0); ++j)
        sum_v += weight[static_cast<std::size_t>(j)] / total * v.at({j, e});
      y.set({i, e}, sum_v);
    }
  }
  return y;
}

double none(std::int64_t, std::int64_t) { return 0.0; }

// Sizes on both sides of a block.
TEST(Attention, TakesValuesWithoutNumbers) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const std::int64_t keys : {3, 300}) {
      const Tensor q = numbers({2, 5, 3}).to(dtype), k = numbers({2, keys, 3}, 1.0, 1).to(dtype);
      const Tensor v = zeros({2, keys, 0}, dtype);
      EXPECT_EQ(attention(q, k, v).shape().string(), "(2, 5, 0)");
      const auto [dq, dk, dv] =
          grad(std::tuple(q, k, v),
               [](const Tensor& a, const Tensor& b, const Tensor& c) { return sum(attention(a, b, c)); });
      EXPECT_TRUE(array_equal(dq, zeros_like(q)));
      EXPECT_TRUE(array_equal(dk, zeros_like(k)));
      EXPECT_EQ(dv.shape(), v.shape());
    }
  }
}

TEST(Attention, IsTheFormula) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor q = numbers({5, 4}, 2.0).to(dtype), k = numbers({7, 4}, 2.0, 1).to(dtype),
                 v = numbers({7, 3}, 1.0, 2).to(dtype);
    const double tolerance = dtype == DType::f32 ? 1e-5 : 1e-12;
    const auto check = [&](const AttentionOptions& options, double scale, const auto& bias) {
      const Tensor y = attention(q, k, v, options);
      EXPECT_EQ(y.dtype(), dtype);
      EXPECT_TRUE(allclose(y.to(DType::f64), written_out(q, k, v, scale, bias), tolerance, tolerance));
    };
    check({}, 0.5, none);
    check({.scale = 1.5}, 1.5, none);
    check({.causal = true}, 0.5,
          [](std::int64_t i, std::int64_t j) { return j <= i + 2 ? 0.0 : -kInfinity; });
    const Tensor added = numbers({5, 7}, 1.0, 3).to(dtype);
    check({.mask = added}, 0.5, [&](std::int64_t i, std::int64_t j) { return added.at({i, j}); });
    const Tensor allowed = added > -0.5;
    check({.mask = allowed}, 0.5, [&](std::int64_t i, std::int64_t j) {
      return allowed.at({i, j}) != 0 ? 0.0 : -kInfinity;
    });
    const Tensor keys = tensor({true, true, false, true, true, false, true});
    check({.causal = true, .mask = keys}, 0.5,
          [&](std::int64_t i, std::int64_t j) { return keys.at({j}) != 0 && j <= i + 2 ? 0.0 : -kInfinity; });
  }
}

TEST(Attention, TreatsLeadingAxesOneByOne) {
  for (const Shape& lead : {Shape{3}, Shape{2, 3}, Shape{2, 1, 3}}) {
    const auto with = [&](std::int64_t rows, std::int64_t cols) {
      Shape shape = lead;
      shape.push_back(rows);
      shape.push_back(cols);
      return shape;
    };
    const Tensor q = numbers(with(4, 2)), k = numbers(with(5, 2), 1.0, 1), v = numbers(with(5, 3), 1.0, 2);
    // One mask for each of the last leading axis, the same for the others.
    const Tensor mask = numbers({3, 4, 5}, 1.0, 3);
    const Tensor y = reshape(attention(q, k, v, {.mask = mask}), {lead.size(), 4, 3});
    const Tensor one_q = reshape(q, {lead.size(), 4, 2}), one_k = reshape(k, {lead.size(), 5, 2}),
                 one_v = reshape(v, {lead.size(), 5, 3});
    for (std::int64_t b = 0; b < lead.size(); ++b) {
      const Tensor expected = written_out(select(one_q, 0, b), select(one_k, 0, b), select(one_v, 0, b),
                                          std::sqrt(0.5), [&](std::int64_t i, std::int64_t j) {
                                            return mask.at({b % 3, i, j});
                                          });
      EXPECT_TRUE(allclose(select(y, 0, b), expected, 1e-10, 1e-10)) << lead.string() << ", " << b;
    }
  }
}

TEST(Attention, IsRightForLargeScores) {
  const Tensor q = tensor({{100.0, 0.0}, {0.0, -100.0}}), k = tensor({{100.0, 0.0}, {0.0, 100.0}}),
               v = tensor({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_TRUE(array_equal(attention(q, k, v, {.scale = 1.0}), tensor({{1.0, 2.0}, {1.0, 2.0}})));
}

TEST(Attention, Gradients) {
  const std::vector<Tensor> inputs{numbers({2, 3, 2}), numbers({2, 4, 2}, 1.0, 1),
                                   numbers({2, 4, 2}, 1.0, 2)};
  const Tensor added = numbers({3, 4}, 1.0, 3);
  const Tensor allowed =
      tensor({{true, false, true, true}, {false, false, true, false}, {true, true, true, true}});
  const AttentionOptions all[] = {{}, {.causal = true}, {.mask = added}, {.mask = allowed, .scale = 0.3}};
  for (const AttentionOptions& options : all) {
    check_gradients(
        "attention", [&](const auto& in) { return attention(in[0], in[1], in[2], options); }, inputs);
  }
  check_gradients("attention to itself",
                  [](const auto& in) { return attention(in[0], in[0], in[0], {.causal = true}); },
                  {numbers({3, 2})});
  check_gradients("strided",
                  [](const auto& in) {
                    return attention(transpose(in[0], 0, 1), transpose(in[1], 0, 1), transpose(in[2], 0, 1));
                  },
                  {numbers({3, 2, 2}), numbers({2, 2, 2}, 1.0, 1), numbers({2, 2, 1}, 1.0, 2)});
  check_gradients(
      "of the mask",
      [](const auto& in) { return attention(in[0], in[0], in[0], {.causal = true, .mask = in[1]}); },
      {numbers({2, 3, 2}), numbers({3, 3}, 1.0, 1)});
}

TEST(Attention, NeverStoresTheScores) {
  const std::int64_t length = 4096, depth = 16;
  const Tensor x = Rng(1).normal({length, depth});
  const auto run = [&] {
    return value_and_grad(std::vector<Tensor>{x, x, x}, [](const auto& in) {
      return sum(square(attention(in[0], in[1], in[2], {.causal = true})));
    });
  };
  const std::int64_t before = memory_report().in_use;
  reset_peak_memory();
  run();
  const std::int64_t scores = length * length * 4;
  EXPECT_LT(memory_report().peak - before, scores / 16);
}

TEST(Attention, GivesTheSameBitsForAnyNumberOfThreads) {
  const std::vector<Tensor> point{Rng(1).normal({2, 3, 200, 16}), Rng(2).normal({2, 3, 200, 16}),
                                  Rng(3).normal({2, 3, 200, 16})};
  const auto run = [&] {
    const auto [value, gradient] = value_and_grad(
        point, [](const auto& in) { return sum(square(attention(in[0], in[1], in[2], {.causal = true}))); });
    std::vector<Tensor> every = gradient;
    every.push_back(value);
    return every;
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

TEST(Attention, EmptyShapes) {
  EXPECT_EQ(attention(zeros({2, 0, 3}), zeros({2, 4, 3}), zeros({2, 4, 5})).shape().string(), "(2, 0, 5)");
  EXPECT_EQ(attention(zeros({0, 2, 3}), zeros({0, 4, 3}), zeros({0, 4, 5})).shape().string(), "(0, 2, 5)");
  const Tensor g = grad(zeros({4, 3}), [](const Tensor& k) { return sum(attention(zeros({0, 3}), k, k)); });
  EXPECT_TRUE(array_equal(g, zeros({4, 3})));
}

TEST(Attention, Refuses) {
  const Tensor q = zeros({2, 3, 4}), k = zeros({2, 5, 4}), v = zeros({2, 5, 6});
  const std::string shapes =
      "[attention] shapes must be (..., queries, depth), (..., keys, depth) and (..., keys, "
      "value_depth), got ";
  expect_refusal([&] { attention(zeros({4}), zeros({4}), zeros({4})); }, shapes + "(4,), (4,) and (4,)");
  expect_refusal([&] { attention(q, zeros({2, 5, 3}), v); }, shapes + "(2, 3, 4), (2, 5, 3) and (2, 5, 6)");
  expect_refusal([&] { attention(q, k, zeros({2, 4, 6})); }, shapes + "(2, 3, 4), (2, 5, 4) and (2, 4, 6)");
  expect_refusal([&] { attention(q, zeros({1, 5, 4}), v); }, shapes + "(2, 3, 4), (1, 5, 4) and (2, 5, 6)");
  expect_refusal(
      [&] {
        attention(zeros({2, 0}), zeros({2, 0}), zeros({2, 1}));
      },
      shapes + "(2, 0), (2, 0) and (2, 1)");
  expect_refusal([&] { attention(q, k.to(DType::f64), v); },
                 "[attention] q, k and v differ in type: f32, f64 and f32");
  expect_refusal(
      [&] {
        attention(q, k, zeros({2, 5, 6}, DType::i64));
      },
      "[attention] q, k and v must be floating, got i64");
  expect_refusal(
      [&] {
        attention(q, k, v, {.mask = zeros({3, 4})});
      },
      "[attention] the mask (3, 4) does not broadcast to the scores (2, 3, 5)");
  expect_refusal(
      [&] {
        attention(q, k, v, {.mask = zeros({3, 5}, DType::f64)});
      },
      "[attention] the mask must be bool or f32, got f64");
  expect_refusal([&] { attention(q, k, v, {.scale = kInfinity}); },
                 "[attention] scale must be finite, got inf");
  const std::string why = " of q (2, 3, 4) sees no key, or a score that is NaN or +inf";
  Tensor allowed = ones({2, 3, 5}, DType::boolean);
  for (std::int64_t j = 0; j < 5; ++j) allowed.set({1, 2, j}, 0);
  expect_refusal([&] { attention(q, k, v, {.mask = allowed}); }, "[attention] query (1, 2)" + why);
  Tensor broken = q;
  broken.set({0, 1, 0}, std::nan(""));
  expect_refusal([&] { attention(broken, k, v); }, "[attention] query (0, 1)" + why);
  expect_refusal([&] { attention(q, zeros({2, 0, 4}), zeros({2, 0, 6})); }, "[attention] query (0, 0)" + why);
  expect_refusal(
      [&] {
        attention(q, zeros({2, 2, 4}), zeros({2, 2, 6}), {.causal = true});
      },
      "[attention] query (0, 0)" + why);
}

}  // namespace
}  // namespace likely
