#include "likely/ops/normalize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

struct Moments {
  double mean = 0, variance = 0, square = 0;
};

Moments moments(const std::vector<double>& x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) m.mean += v / n;
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  for (const double v : x) m.square += v * v / n;
  return m;
}

void expect_near(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.shape().string(), b.shape().string());
  EXPECT_TRUE(allclose(a.to(DType::f64), b.to(DType::f64), tolerance, tolerance)) << a << b;
}

TEST(LayerNorm, IsTheFormula) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = (numbers({2, 3, 4}, 2.0) + 5.0).to(dtype);
    const Tensor w = numbers({3, 4}, 1.0, 1).to(dtype), b = numbers({3, 4}, 1.0, 2).to(dtype);
    const Tensor y = layer_norm(x, 2, w, b, 1e-3);
    EXPECT_EQ(y.dtype(), dtype);
    const Tensor rms = rms_norm(x, 2, w, 1e-3);
    for (std::int64_t i = 0; i < 2; ++i) {
      const Moments m = moments(select(x, 0, i).to_vector<double>());
      for (std::int64_t j = 0; j < 3; ++j) {
        for (std::int64_t k = 0; k < 4; ++k) {
          const double v = x.at({i, j, k});
          const double h = (v - m.mean) / std::sqrt(m.variance + 1e-3);
          EXPECT_NEAR(y.at({i, j, k}), h * w.at({j, k}) + b.at({j, k}), 2e-6);
          EXPECT_NEAR(rms.at({i, j, k}), v / std::sqrt(m.square + 1e-3) * w.at({j, k}), 2e-6);
        }
      }
    }
    expect_near(layer_norm(x, 2, {}, {}, 1e-3), layer_norm(x, 2, ones({3, 4}), zeros({3, 4}), 1e-3), 1e-6);
    expect_near(rms_norm(x, 2, {}, 1e-3), rms_norm(x, 2, ones({3, 4}), 1e-3), 1e-6);
  }
}

TEST(LayerNorm, IsRightForLargeMeansAndConstantRows) {
  const Tensor x = tensor({{1e4f, 1e4f + 1, 1e4f + 2}, {7.0f, 7.0f, 7.0f}});
  const Tensor y = layer_norm(x, 1);
  const double unit = std::sqrt(1.5);
  expect_near(y, tensor({{-unit, 0.0, unit}, {0.0, 0.0, 0.0}}), 1e-4);
}

TEST(GroupNorm, IsTheFormula) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = (numbers({2, 6, 2, 2}, 2.0) + 1.0).to(dtype);
    const Tensor w = numbers({6}, 1.0, 1).to(dtype), b = numbers({6}, 1.0, 2).to(dtype);
    for (const std::int64_t groups : {1, 2, 3, 6}) {
      const Tensor y = group_norm(x, groups, w, b);
      for (std::int64_t i = 0; i < 2; ++i) {
        for (std::int64_t c = 0; c < 6; ++c) {
          const std::int64_t each = 6 / groups, first = c / each * each;
          const Moments m = moments(slice(select(x, 0, i), 0, {first, first + each}).to_vector<double>());
          const double v = x.at({i, c, 1, 0});
          EXPECT_NEAR(y.at({i, c, 1, 0}), (v - m.mean) / std::sqrt(m.variance + 1e-5) * w.at({c}) + b.at({c}),
                      4e-6);
        }
      }
    }
  }
}

TEST(BatchNorm, NormalizesWithTheBatchAndKeepsRunningStatistics) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = (numbers({4, 3, 2}, 2.0) + 1.0).to(dtype);
    const Tensor w = numbers({3}, 1.0, 1).to(dtype), b = numbers({3}, 1.0, 2).to(dtype);
    const ChannelStatistics start = ChannelStatistics::standard(3, dtype);
    const auto [y, running] = batch_norm(x, w, b, start, true, {.momentum = 0.25});
    const auto [same, batch] = batch_norm(x, w, b, {}, true);
    EXPECT_TRUE(array_equal(same, y));
    for (std::int64_t c = 0; c < 3; ++c) {
      const Moments m = moments(select(x, 1, c).to_vector<double>());
      const double unbiased = m.variance * 8.0 / 7.0;
      EXPECT_NEAR(batch.mean.at({c}), m.mean, 1e-6);
      EXPECT_NEAR(batch.variance.at({c}), unbiased, 2e-6);
      EXPECT_NEAR(running.mean.at({c}), 0.25 * m.mean, 1e-6);
      EXPECT_NEAR(running.variance.at({c}), 0.75 + 0.25 * unbiased, 1e-6);
      const double v = x.at({3, c, 1});
      EXPECT_NEAR(y.at({3, c, 1}), (v - m.mean) / std::sqrt(m.variance + 1e-5) * w.at({c}) + b.at({c}), 4e-6);
    }
  }
}

TEST(BatchNorm, UsesKeptStatisticsWithoutTraining) {
  const Tensor x = numbers({2, 3, 2});
  const Tensor w = numbers({3}, 1.0, 1), b = numbers({3}, 1.0, 2);
  const ChannelStatistics kept{tensor({0.5, -1.0, 2.0}, DType::f64), tensor({4.0, 1.0, 0.25}, DType::f64)};
  const auto [y, running] = batch_norm(x, w, b, kept, false, {.epsilon = 0.0});
  EXPECT_TRUE(array_equal(running.mean, kept.mean));
  EXPECT_TRUE(array_equal(running.variance, kept.variance));
  for (std::int64_t c = 0; c < 3; ++c) {
    const double scale = w.at({c}) / std::sqrt(kept.variance.at({c}));
    EXPECT_NEAR(y.at({1, c, 0}), (x.at({1, c, 0}) - kept.mean.at({c})) * scale + b.at({c}), 1e-12);
  }
  // One example is enough, and gradients take the composed way to the same values.
  const Tensor one = slice(x, 0, {0, 1});
  const Tensor value = value_and_grad(one, [&](const Tensor& in) {
                         return sum(square(batch_norm(in, w, b, kept, false).y));
                       }).value;
  EXPECT_NEAR(value.item(), sum(square(batch_norm(one, w, b, kept, false).y)).item(), 1e-9);
}

TEST(BatchNorm, AddsAResidualAndCutsAtZero) {
  const Tensor x = numbers({3, 2, 2}), residual = numbers({3, 2, 2}, 1.0, 5);
  const Tensor w = numbers({2}, 1.0, 1), b = numbers({2}, 1.0, 2);
  const ChannelStatistics start = ChannelStatistics::standard(2, DType::f64);
  for (const bool training : {true, false}) {
    const Tensor plain = batch_norm(x, w, b, start, training).y;
    expect_near(batch_norm(x, w, b, start, training, {.relu = true, .residual = residual}).y,
                relu(plain + residual), 1e-12);
    expect_near(batch_norm(x, w, b, start, training, {.relu = true}).y, relu(plain), 1e-12);
  }
}

TEST(BatchNorm, StatisticsAreConstantsToGradients) {
  const Tensor x = numbers({4, 2});
  const auto result = value_and_grad(x, [](const Tensor& in) {
    const auto [y, running] = batch_norm(in, {}, {}, {}, true);
    return sum(running.mean * 3.0) + sum(y) * 0.0;
  });
  EXPECT_TRUE(allclose(result.gradient, zeros({4, 2}, DType::f64)));
}

TEST(Normalize, Gradients) {
  const Tensor w = numbers({3}, 1.0, 1), b = numbers({3}, 1.0, 2);
  check_gradients("layer_norm", [](const auto& in) { return layer_norm(in[0], 1, in[1], in[2]); },
                  {numbers({2, 3}, 2.0), w, b});
  check_gradients("layer_norm without parameters", [](const auto& in) { return layer_norm(in[0], 2); },
                  {numbers({2, 2, 2}, 2.0)});
  check_gradients("layer_norm, strided",
                  [](const auto& in) { return layer_norm(transpose(in[0]), 1, in[1]); },
                  {numbers({3, 2}, 2.0), w});
  check_gradients("layer_norm, bias alone",
                  [](const auto& in) {
                    return square(layer_norm(numbers({2, 3}), 1, {}, in[0]));
                  },
                  {b});
  check_gradients("layer_norm over one element",
                  [](const auto& in) { return layer_norm(in[0], 1, in[1], in[2]); },
                  {numbers({3, 1}), numbers({1}), numbers({1})});
  check_gradients("rms_norm", [](const auto& in) { return rms_norm(in[0], 1, in[1]); },
                  {numbers({2, 3}, 2.0), w});
  check_gradients("rms_norm without weight", [](const auto& in) { return rms_norm(in[0], 1); },
                  {numbers({2, 3}, 2.0)});
  check_gradients("group_norm", [](const auto& in) { return group_norm(in[0], 2, in[1], in[2]); },
                  {numbers({2, 4, 2}, 2.0), numbers({4}, 1.0, 1), numbers({4}, 1.0, 2)});
  check_gradients("group_norm without parameters", [](const auto& in) { return group_norm(in[0], 1); },
                  {numbers({2, 2, 2}, 2.0)});
  check_gradients("batch_norm", [](const auto& in) { return batch_norm(in[0], in[1], in[2], {}, true).y; },
                  {numbers({3, 3, 2}, 2.0), w, b});
  check_gradients("batch_norm of features",
                  [](const auto& in) { return batch_norm(in[0], in[1], in[2], {}, true).y; },
                  {numbers({4, 3}, 2.0), w, b});
  check_gradients("batch_norm without parameters",
                  [](const auto& in) { return batch_norm(in[0], {}, {}, {}, true).y; },
                  {numbers({4, 2}, 2.0)});
  check_gradients("batch_norm, strided",
                  [](const auto& in) { return batch_norm(transpose(in[0]), in[1], {}, {}, true).y; },
                  {numbers({3, 4}, 2.0), w});
  check_gradients("batch_norm with relu and residual",
                  [](const auto& in) {
                    return batch_norm(in[0], in[1], in[2], {}, true, {.relu = true, .residual = in[3]}).y;
                  },
                  {numbers({3, 3, 2}, 2.0), w, b, numbers({3, 3, 2}, 1.0, 3)});
  check_gradients("batch_norm with kept statistics",
                  [](const auto& in) {
                    return batch_norm(in[0], in[1], in[2], ChannelStatistics::standard(3, DType::f64), false,
                                      {.relu = true, .residual = in[3]})
                        .y;
                  },
                  {numbers({2, 3, 2}, 2.0), w, b, numbers({2, 3, 2}, 1.0, 3)});
}

TEST(Normalize, EmptyBatches) {
  EXPECT_EQ(layer_norm(zeros({0, 3}), 1, ones({3})).shape().string(), "(0, 3)");
  EXPECT_EQ(rms_norm(zeros({2, 0}), 1).shape().string(), "(2, 0)");
  EXPECT_EQ(group_norm(zeros({0, 4, 2}), 2).shape().string(), "(0, 4, 2)");
  EXPECT_EQ(batch_norm(zeros({0, 4}), {}, {}, ChannelStatistics::standard(4), false).y.shape().string(),
            "(0, 4)");
  const Tensor g = grad(ones({3}), [](const Tensor& w) { return sum(layer_norm(zeros({0, 3}), 1, w)); });
  EXPECT_TRUE(array_equal(g, zeros({3})));
}

TEST(Normalize, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({64, 32, 12, 12});
  const Tensor g = Rng(2).normal({64, 32, 12, 12});
  const std::vector<Tensor> point{x, Rng(3).normal({32}), Rng(4).normal({32}), Rng(5).normal({12})};
  const auto run = [&] {
    std::vector<Tensor> all;
    const std::function<Tensor(const std::vector<Tensor>&)> operations[] = {
        [](const auto& in) { return batch_norm(in[0], in[1], in[2], {}, true).y; },
        [](const auto& in) { return group_norm(in[0], 8, in[1], in[2]); },
        [](const auto& in) { return layer_norm(in[0], 1, in[3], in[3]); },
        [](const auto& in) { return rms_norm(in[0], 1, in[3]); }};
    for (const auto& operation : operations) {
      const auto [value, pull_back] = vjp(point, operation);
      all.push_back(value);
      for (const Tensor& d : pull_back(g)) all.push_back(d);
    }
    return all;
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

TEST(Normalize, ParametersTakeTheTypeOfTheInput) {
  const Tensor x = numbers({2, 3}).to(DType::f32);
  EXPECT_EQ(layer_norm(x, 1, ones({3}, DType::f64)).dtype(), DType::f32);
  const auto d = grad(numbers({3}), [&](const Tensor& w) { return sum(layer_norm(x, 1, w)); });
  EXPECT_EQ(d.dtype(), DType::f64);
}

TEST(Normalize, Refuses) {
  const Tensor x = zeros({2, 4, 3});
  const ChannelStatistics four = ChannelStatistics::standard(4);
  expect_refusal([&] { layer_norm(tensor({1, 2}), 1); }, "[layer_norm] x must be floating, got i64");
  expect_refusal([&] { layer_norm(x, 0); },
                 "[layer_norm] cannot normalize over the last 0 axes of shape (2, 4, 3)");
  expect_refusal([&] { rms_norm(x, 4); },
                 "[rms_norm] cannot normalize over the last 4 axes of shape (2, 4, 3)");
  expect_refusal([&] { layer_norm(x, 2, ones({3})); },
                 "[layer_norm] weight must have shape (4, 3), got (3,)");
  expect_refusal([&] { layer_norm(x, 1, ones({3}), ones({4})); },
                 "[layer_norm] bias must have shape (3,), got (4,)");
  expect_refusal([&] { layer_norm(x, 1, {}, {}, -1.0); },
                 "[layer_norm] epsilon must not be negative, got -1");
  expect_refusal([&] { group_norm(x, 3); }, "[group_norm] 4 channels cannot be cut into 3 equal groups");
  expect_refusal([&] { group_norm(x, 0); }, "[group_norm] 4 channels cannot be cut into 0 equal groups");
  expect_refusal([&] { group_norm(zeros({4}), 2); },
                 "[group_norm] x must be (batch, channels, ...), got shape (4,)");
  expect_refusal([&] { group_norm(x, 2, ones({3})); }, "[group_norm] weight must have shape (4,), got (3,)");
  expect_refusal([&] { batch_norm(zeros({4}), {}, {}, {}, true); },
                 "[batch_norm] x must be (batch, channels, ...), got shape (4,)");
  expect_refusal(
      [&] {
        batch_norm(zeros({1, 4, 1}), {}, {}, {}, true);
      },
      "[batch_norm] batch statistics need more than one value a channel, got shape (1, 4, 1)");
  expect_refusal(
      [&] {
        batch_norm(zeros({0, 4}), {}, {}, {}, true);
      },
      "[batch_norm] batch statistics need more than one value a channel, got shape (0, 4)");
  expect_refusal([&] { batch_norm(x, ones({3}), {}, {}, true); },
                 "[batch_norm] weight must have shape (4,), got (3,)");
  expect_refusal([&] { batch_norm(x, {}, ones({3}), {}, true); },
                 "[batch_norm] bias must have shape (4,), got (3,)");
  expect_refusal([&] { batch_norm(x, {}, {}, ChannelStatistics::standard(3), true); },
                 "[batch_norm] the running mean must have shape (4,), got (3,)");
  expect_refusal(
      [&] {
        batch_norm(x, {}, {}, {four.mean, zeros({1})}, true);
      },
      "[batch_norm] the running variance must have shape (4,), got (1,)");
  expect_refusal(
      [&] {
        batch_norm(x, {}, {}, {four.mean, Tensor()}, true);
      },
      "[batch_norm] one of the running statistics is there and the other is not");
  expect_refusal([&] { batch_norm(x, {}, {}, {}, false); },
                 "[batch_norm] without training the running statistics must be there");
  expect_refusal([&] { batch_norm(x, {}, {}, four, true, {.momentum = 1.5}); },
                 "[batch_norm] momentum must lie in [0, 1], got 1.5");
  expect_refusal([&] { batch_norm(x, {}, {}, four, true, {.epsilon = -1.0}); },
                 "[batch_norm] epsilon must not be negative, got -1");
  expect_refusal(
      [&] {
        batch_norm(x, {}, {}, four, true, {.residual = zeros({2, 4})});
      },
      "[batch_norm] residual must have shape (2, 4, 3), got (2, 4)");
}

}  // namespace
}  // namespace likely
