#include "likely/optim/langevin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::optim {
namespace {

using testing::expect_refusal;
using testing::numbers;

// n numbers drawn from a normal of variance 1 around an unknown mean with a normal prior of variance v:
// the posterior of the mean is normal with precision n + 1 / v around n / (n + 1 / v) times their mean.
TEST(Langevin, DrawsFromThePosterior) {
  const double examples = 20.0, data_mean = 0.7, prior_precision = 5.0;
  const double precision = examples + prior_precision;
  const double posterior_mean = examples * data_mean / precision;
  // Many chains at once, each element one.
  const std::int64_t chains = 4000;
  Tensor mean = zeros({chains}, DType::f64);
  Langevin langevin(mean, {.lr = 0.02, .examples = 20, .weight_decay = prior_precision / examples}, Rng(3));
  for (int step = 0; step < 600; ++step) langevin.step(mean, mean - data_mean);  // of the mean loss
  EXPECT_NEAR(likely::mean(mean).item(), posterior_mean, 4 * std::sqrt(1 / precision / 4000.0));
  // The chain is an autoregression, theta <- (1 - h) theta + sqrt(2 lr / n) noise with h = lr precision / n:
  // its variance is exactly 1 / (precision (1 - h / 2)).
  const double h = 0.02 * precision / examples;
  const double variance = 1.0 / (precision * (1 - h / 2));
  EXPECT_NEAR(var(mean).item(), variance, 4 * variance * std::sqrt(2.0 / 4000.0));
}

TEST(Langevin, IsGradientDescentWithoutTemperature) {
  Tensor x = numbers({5});
  const Tensor start = x, gradient = numbers({5}, 1.0, 2);
  Langevin langevin(x, {.lr = 0.1, .temperature = 0.0}, Rng(1));
  langevin.step(x, gradient);
  EXPECT_TRUE(allclose(x, start - gradient * 0.1, 1e-14));
}

TEST(Langevin, GoesOnFromItsPartsWithTheSameNoise) {
  Tensor whole = zeros({7}), parted = whole;
  Langevin one(whole, {.lr = 0.1}, Rng(4)), first(parted, {.lr = 0.1}, Rng(4)),
      second(parted, {.lr = 0.1}, Rng(4));
  for (int i = 0; i < 6; ++i) one.step(whole, whole);
  for (int i = 0; i < 2; ++i) first.step(parted, parted);
  second.steps = first.steps;
  for (int i = 0; i < 4; ++i) second.step(parted, parted);
  EXPECT_TRUE(array_equal(whole, parted));
  EXPECT_EQ(named_parts(one)[0].name, "steps");
  Tensor other = zeros({7});
  Langevin(other, {.lr = 0.1}, Rng(5)).step(other, other);
  Tensor again = zeros({7});
  Langevin(again, {.lr = 0.1}, Rng(4)).step(again, again);
  EXPECT_FALSE(array_equal(other, again));
}

TEST(Langevin, KeepsNoiseOfDifferentTensorsApartAndFrozenPartsStill) {
  std::vector<Tensor> model{zeros({4}), zeros({4}), zeros({4})};
  model[2].set_frozen(true);
  const std::vector<Tensor> gradient = model;
  Langevin langevin(model, {.lr = 0.1}, {{.names = "1", .lr_multiple = 0.0}}, Rng(4));
  langevin.step(model, gradient);
  EXPECT_FALSE(array_equal(model[0], zeros({4})));
  EXPECT_TRUE(array_equal(model[1], zeros({4})));  // no rate, no noise
  EXPECT_TRUE(array_equal(model[2], zeros({4})));
}

TEST(Langevin, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const auto run = [](int n) {
    set_threads(n);
    Tensor x = zeros({300007});
    Langevin langevin(x, {.lr = 0.1}, Rng(4));
    for (int i = 0; i < 3; ++i) langevin.step(x, x);
    return x;
  };
  const Tensor one = run(1);
  EXPECT_TRUE(array_equal(one, run(2)));
  EXPECT_TRUE(array_equal(one, run(3)));
  set_threads(before);
}

TEST(Langevin, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { Langevin(x, {.lr = -1}, Rng(1)); }, "[Langevin] lr must be >= 0, got -1");
  expect_refusal([&] { Langevin(x, {.examples = 0}, Rng(1)); }, "[Langevin] examples must be >= 1, got 0");
  expect_refusal([&] { Langevin(x, {.temperature = -1}, Rng(1)); },
                 "[Langevin] temperature must be >= 0, got -1");
  expect_refusal([&] { Langevin(x, {.weight_decay = -1}, Rng(1)); },
                 "[Langevin] weight_decay must be >= 0, got -1");
}

}  // namespace
}  // namespace likely::optim
