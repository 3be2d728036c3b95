#include "likely/prob/mcmc/hmc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

Tensor f64(const NestedList& list) { return tensor(list, DType::f64); }

// A row for each sample.
template <class Model, class Function>
Tensor rows(const std::vector<Model>& samples, const Function& f) {
  std::vector<Tensor> values;
  for (const Model& model : samples) values.push_back(f(model));
  return stack(values);
}

TEST(Hmc, AGaussianOfKnownCovariance) {
  const Tensor mean_vector = f64({1.0, -2.0, 0.5});
  const Tensor covariance = f64({{1.0, 0.6, 0.0}, {0.6, 2.0, -0.3}, {0.0, -0.3, 0.25}});
  const auto law = MultivariateNormal::from_covariance(mean_vector, covariance);
  const auto result = hmc(zeros({3}, DType::f64), [&](const Tensor& x) { return law.log_prob(x); }, Rng(1),
                          {.samples = 4000, .warm_up = 300, .leapfrog_steps = 12});
  ASSERT_EQ(result.samples.size(), 4000U);
  ASSERT_EQ(result.statistics.log_densities.size(), 4000U);
  EXPECT_EQ(result.statistics.divergences, 0);
  EXPECT_NEAR(result.statistics.acceptance, 0.8, 0.12);
  const Tensor x = rows(result.samples, [](const Tensor& t) { return t; });
  const Tensor centred = x - mean_vector;
  // Five standard errors. As 200 chains with other keys scatter, the samples of each coordinate are worth so
  // many independent ones, and those of products at least 950.
  const Tensor estimate = matmul(transpose(centred), centred) / 4000.0;
  const std::vector<double> worth{2800.0, 12000.0, 4000.0};
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean(x, 0).at({i}), mean_vector.at({i}),
                5.0 * std::sqrt(covariance.at({i, i}) / worth[static_cast<std::size_t>(i)]));
    for (std::int64_t j = 0; j < 3; ++j) {
      const double spread =
          covariance.at({i, i}) * covariance.at({j, j}) + covariance.at({i, j}) * covariance.at({i, j});
      EXPECT_NEAR(estimate.at({i, j}), covariance.at({i, j}), 5.0 * std::sqrt(spread / 950.0))
          << i << ", " << j;
    }
  }
  EXPECT_NEAR(result.statistics.log_densities.back(), law.log_prob(result.samples.back()).item(), 1e-12);
}

struct Line {
  Tensor weights;
  Buffer calls;  // stays as it is
  Tensor frozen;
  LIKELY_PARTS(weights, calls, frozen)
};

TEST(Hmc, BayesianLinearRegressionHasAKnownPosterior) {
  // y = 0.7 - 1.5 x + noise of deviation 0.5; prior: standard normal weights.
  const Tensor inputs = stack({ones({20}, DType::f64), linspace(-1.0, 1.0, 20, DType::f64)}, 1);
  const Tensor y = matmul(inputs, f64({0.7, -1.5})) + numbers({20}, 0.5, 3);
  Line start{zeros({2}, DType::f64), Buffer(f64(7.0)), f64(3.0)};
  start.frozen.set_frozen(true);
  const auto log_joint = [&](const Line& line) {
    return sum(Normal(zeros({}, DType::f64), 1.0).log_prob(line.weights)) +
           sum(Normal(matmul(inputs, line.weights), 0.5).log_prob(y));
  };
  const auto posterior =
      hmc(start, log_joint, Rng(2), {.samples = 4000, .warm_up = 300, .leapfrog_steps = 8});
  const Tensor precision = eye(2, DType::f64) + matmul(transpose(inputs), inputs) * 4.0;
  const Tensor covariance = inverse(precision);
  const Tensor expected = matmul(covariance, matmul(transpose(inputs), y) * 4.0);
  const Tensor w = rows(posterior.samples, [](const Line& line) { return line.weights; });
  EXPECT_TRUE(allclose(mean(w, 0), expected, 0.0, 0.015)) << mean(w, 0) << expected;
  EXPECT_TRUE(allclose(var(w, 0), diagonal(covariance), 0.12, 0.0)) << var(w, 0) << diagonal(covariance);
  EXPECT_EQ(posterior.samples.back().calls.item(), 7.0);
  EXPECT_EQ(posterior.samples.back().frozen.item(), 3.0);
  EXPECT_TRUE(posterior.samples.back().frozen.frozen());

  // The prediction at x = 2 is normal with this mean and variance (9.12).
  const Tensor at = f64({1.0, 2.0});
  const double centre = dot(at, expected).item();
  const double spread = dot(at, matmul(covariance, at)).item() + 0.25;
  const auto mean_there = [&](const Line& line) { return dot(at, line.weights); };
  EXPECT_NEAR(posterior_mean(posterior.samples, mean_there).item(), centre, 0.03);
  for (const double answer : {centre - 1.0, centre, centre + 0.5}) {
    const auto density = [&](const Line& line) {
      return Normal(mean_there(line), 0.5).log_prob(f64(answer));
    };
    EXPECT_NEAR(posterior_log_prob(posterior.samples, density).item(),
                Normal(f64(centre), f64(std::sqrt(spread))).log_prob(f64(answer)).item(), 0.05);
  }
}

TEST(Hmc, TheSameKeyGivesTheSameSamplesOnAnyNumberOfThreads) {
  const int saved = threads();
  const auto run = [](std::uint64_t seed) {
    return hmc(numbers({50}), [](const Tensor& x) { return sum(square(x)) * -0.5; }, Rng(seed),
               {.samples = 20, .warm_up = 20, .leapfrog_steps = 4});
  };
  set_threads(1);
  const auto first = run(5);
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_TRUE(array_equal(first.samples.back(), run(5).samples.back())) << count;
  }
  EXPECT_FALSE(array_equal(first.samples.back(), run(6).samples.back()));
  set_threads(saved);
}

TEST(Hmc, SinglePrecisionThinningAndNoWarmUp) {
  const auto result = hmc(zeros({2}), [](const Tensor& x) { return sum(square(x)) * -0.5; }, Rng(1),
                          {.samples = 10, .warm_up = 0, .leapfrog_steps = 3, .thin = 4, .step_size = 0.3});
  EXPECT_EQ(result.samples.size(), 10U);
  EXPECT_EQ(result.samples.front().dtype(), DType::f32);
  EXPECT_EQ(result.statistics.step_size, 0.3);
}

TEST(Hmc, TooLongStepsAreCountedAsDivergences) {
  const auto result = hmc(zeros({1}, DType::f64), [](const Tensor& x) { return sum(square(x)) * -0.5e6; },
                          Rng(1), {.samples = 50, .warm_up = 0, .leapfrog_steps = 30, .step_size = 1.0});
  EXPECT_EQ(result.statistics.divergences, 50);
  EXPECT_EQ(result.statistics.acceptance, 0.0);
  EXPECT_EQ(result.samples.back().item(), 0.0);
}

TEST(Hmc, WhatIsRefusedIsNeverAccepted) {
  // A scale as a parameter: negative ones are refused by Normal.
  const Gamma prior(f64(1.5), f64(1.0));
  const auto log_density = [&](const Tensor& scale) {
    return prior.log_prob(scale) + Normal(f64(0.0), scale).log_prob(f64(0.3));
  };
  const auto result = hmc(f64(1.0), log_density, Rng(3), {.samples = 300, .warm_up = 100});
  for (const Tensor& scale : result.samples) ASSERT_GT(scale.item(), 0.0);
  expect_refusal([&] { hmc(f64(-1.0), log_density, Rng(3)); },
                 "[Normal] scale must be finite and above 0, got -1");
}

TEST(Hmc, Refusals) {
  const auto density = [](const Tensor& x) { return sum(square(x)) * -0.5; };
  const Tensor start = zeros({2});
  const auto with = [&](const HmcOptions& options) { hmc(start, density, Rng(1), options); };
  expect_refusal([&] { with({.samples = -1}); }, "[hmc] samples must be at least 0, got -1");
  expect_refusal([&] { with({.warm_up = -1}); }, "[hmc] warm_up must be at least 0, got -1");
  expect_refusal([&] { with({.leapfrog_steps = 0}); }, "[hmc] leapfrog_steps must be at least 1, got 0");
  expect_refusal([&] { with({.thin = 0}); }, "[hmc] thin must be at least 1, got 0");
  expect_refusal([&] { with({.step_size = 0.0}); }, "[hmc] step_size must be finite and above 0, got 0");
  expect_refusal([&] { with({.target_acceptance = 1.0}); },
                 "[hmc] target_acceptance must lie in (0, 1), got 1");
  expect_refusal(
      [&] {
        hmc(
            start, [](const Tensor& x) { return sum(log(x)); }, Rng(1));
      },
      "[hmc] the log-density at the start is -inf");
  expect_refusal([] { posterior_mean(std::vector<Tensor>(), [](const Tensor& x) { return x; }); },
                 "[posterior_mean] there are no samples");
}

struct TwoNumbers {
  Tensor a = zeros({}, DType::f64), b = zeros({}, DType::f64);
  LIKELY_PARTS(a, b)
};

// Nothing would hold the samples where the density is.
TEST(Hmc, RefusesADensityThatDoesNotDependOnTheModel) {
  const TwoNumbers start, other;
  const auto about_another = [&](const TwoNumbers&) { return square(other.a) * -0.5; };
  const auto read_out = [](const TwoNumbers& m) { return tensor(m.a.item() * -0.5, DType::f64); };
  const std::string message =
      "the log-density does not depend on the model: it uses none of its parameters. It must be computed "
      "from the "
      "model that it is handed, by operations on tensors: item(), at() and data() read constants out";
  expect_refusal([&] { hmc(start, about_another, Rng(1)); }, "[hmc] " + message);
  expect_refusal([&] { hmc(start, read_out, Rng(1)); }, "[hmc] " + message);
  expect_refusal([&] { nuts(start, about_another, Rng(1)); }, "[nuts] " + message);
  expect_refusal([&] { nuts(start, read_out, Rng(1)); }, "[nuts] " + message);
}

TEST(Hmc, TakesDensitiesThatUseSomeParametersOrAreFlat) {
  const TwoNumbers start;
  const auto some = [](const TwoNumbers& m) { return square(m.a) * -0.5; };
  const auto flat = [](const TwoNumbers& m) { return m.a * 0.0 + m.b * 0.0; };
  for (const auto& samples : {hmc(start, some, Rng(1), {.samples = 5, .warm_up = 0}).samples,
                              hmc(start, flat, Rng(1), {.samples = 5, .warm_up = 0}).samples}) {
    EXPECT_EQ(samples.size(), 5U);
  }
  EXPECT_EQ(nuts(start, some, Rng(1), {.chains = 1, .samples = 5, .warm_up = 0}).samples.size(), 5U);
  EXPECT_EQ(nuts(start, flat, Rng(1), {.chains = 1, .samples = 5, .warm_up = 0}).samples.size(), 5U);
  // Nothing is at the start, as a constant; elsewhere the density is one.
  const auto beside = [](const TwoNumbers& m) {
    if (m.a.item() == 0.0) return tensor(-std::numeric_limits<double>::infinity(), DType::f64);
    return square(m.a) * -0.5 + square(m.b) * -0.5;
  };
  EXPECT_EQ(nuts(start, beside, Rng(1), {.chains = 1, .samples = 5, .warm_up = 0}).samples.size(), 5U);
}

}  // namespace
}  // namespace likely
