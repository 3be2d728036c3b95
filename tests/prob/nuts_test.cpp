#include "likely/prob/mcmc/nuts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "likely/prob/mcmc/hamiltonian.hpp"
#include "likely/prob/mcmc/nuts_warm_up.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;
using Numbers = std::vector<double>;

// N(0, variances), independent.
DensityGradientFunction independent_normal(const Numbers& variances) {
  return [variances](const Numbers& x) {
    DensityGradient slope{0.0, Numbers(x.size())};
    for (std::size_t i = 0; i < x.size(); ++i) {
      slope.log_density -= 0.5 * x[i] * x[i] / variances[i];
      slope.gradient[i] = -x[i] / variances[i];
    }
    return slope;
  };
}

// Two numbers of means 1 and -2, variances 1 and 4 and correlation 0.9.
DensityGradient correlated(const Numbers& x) {
  const double a = x[0] - 1.0, b = (x[1] + 2.0) / 2.0, scale = 1.0 / (1.0 - 0.81);
  return {-0.5 * scale * (a * a - 1.8 * a * b + b * b),
          {-scale * (a - 0.9 * b), -scale * (b - 0.9 * a) / 2.0}};
}

// The mean lies within so many of its own standard errors of what is expected.
void expect_mean(const Chains& chains, double expected, const std::string& what) {
  const Summary s = summarize(what, chains);
  EXPECT_LT(std::abs(s.mean - expected), 4.0 * s.mcse_mean)
      << what << ": " << s.mean << " +- " << s.mcse_mean;
  EXPECT_LT(s.r_hat, 1.02) << what;
}

TEST(Nuts, ANormalLawOfKnownCovariance) {
  for (const Mass mass : {Mass::unit, Mass::diagonal, Mass::dense}) {
    const NutsDraws draws = nuts({0.0, 0.0}, correlated, Rng(1), {.mass = mass});
    ASSERT_EQ(draws.chains.size(), 4U);
    EXPECT_EQ(draws.divergences(), 0);
    const auto moment = [&](auto f) { return draws.quantity(f); };
    expect_mean(draws.number(0), 1.0, "first mean");
    expect_mean(draws.number(1), -2.0, "second mean");
    expect_mean(moment([](const Numbers& x) { return (x[0] - 1.0) * (x[0] - 1.0); }), 1.0, "first variance");
    expect_mean(moment([](const Numbers& x) { return (x[1] + 2.0) * (x[1] + 2.0); }), 4.0, "second variance");
    expect_mean(moment([](const Numbers& x) { return (x[0] - 1.0) * (x[1] + 2.0); }), 1.8, "covariance");
    for (const NutsChain& chain : draws.chains) {
      EXPECT_GT(chain.acceptance, 0.7);
      EXPECT_GT(e_bfmi(chain.energies), 0.6);
      for (std::int64_t i = 0; i < 5; ++i) {
        const Numbers x(chain.positions.begin() + 2 * i, chain.positions.begin() + 2 * i + 2);
        EXPECT_EQ(chain.log_densities[static_cast<std::size_t>(i)], correlated(x).log_density);
        EXPECT_GE(chain.energies[static_cast<std::size_t>(i)],
                  -chain.log_densities[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST(Nuts, FindsTheMassesOfScalesFarApart) {
  const Numbers variances = {1e-6, 1.0, 1e4};
  const NutsDraws draws = nuts({0.0, 0.0, 0.0}, independent_normal(variances), Rng(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const double variance = variances[i];
    expect_mean(draws.quantity([&](const Numbers& x) { return x[i] * x[i] / variance; }), 1.0, "variance");
    // The estimate is drawn to a small unit matrix, which matters to the smallest alone.
    if (i > 0) {
      EXPECT_NEAR(std::log(draws.chains[0].inverse_mass[i] / variance), 0.0, 0.4);
    }
  }
  // With the masses right, a trajectory is a few steps long.
  double steps = 0.0;
  for (const std::int64_t n : draws.chains[0].leapfrog_steps) steps += static_cast<double>(n) / 1000.0;
  EXPECT_LT(steps, 16.0);
}

TEST(Nuts, AimsAtTheAcceptanceThatIsAskedFor) {
  const Numbers variances(50, 1.0);
  double step = 1e9;
  for (const double target : {0.6, 0.8, 0.95}) {
    const NutsDraws draws = nuts(Numbers(50), independent_normal(variances), Rng(6),
                                 {.chains = 1, .samples = 500, .target_acceptance = target});
    // The mean step of the adaptation is on the careful side.
    EXPECT_GT(draws.chains[0].acceptance, target - 0.04);
    EXPECT_LT(draws.chains[0].acceptance, target + 0.15);
    EXPECT_LT(draws.chains[0].step_size, step);
    step = draws.chains[0].step_size;
  }
}

TEST(Nuts, EverySampleIsAsLikelyAsTheDensitySays) {
  // The probability that a standard normal number lies below each decile, from 4000 samples.
  const NutsDraws draws = nuts({0.0}, independent_normal({1.0}), Rng(4), {.samples = 2000, .warm_up = 300});
  for (int decile = 1; decile < 10; ++decile) {
    const double p = decile / 10.0;
    const double limit = Normal(0.0, 1.0).quantile(tensor(p, DType::f64)).item();
    expect_mean(draws.quantity([&](const Numbers& x) { return x[0] < limit ? 1.0 : 0.0; }), p, "decile");
  }
}

struct Line {
  Tensor weights;
  Buffer calls;
  Tensor frozen;
  LIKELY_PARTS(weights, calls, frozen)
};

TEST(Nuts, AModelsPosteriorAndWhatStaysAsItIs) {
  const Tensor inputs = stack({ones({20}, DType::f64), linspace(-1.0, 1.0, 20, DType::f64)}, 1);
  const Tensor y = matmul(inputs, tensor({0.7, -1.5}, DType::f64)) + numbers({20}, 0.5, 3);
  Line start{zeros({2}, DType::f64), Buffer(tensor(7.0)), tensor(3.0)};
  start.frozen.set_frozen(true);
  const auto log_joint = [&](const Line& line) {
    return sum(Normal(zeros({}, DType::f64), 1.0).log_prob(line.weights)) +
           sum(Normal(matmul(inputs, line.weights), 0.5).log_prob(y));
  };
  const auto posterior = nuts(start, log_joint, Rng(2), {.chains = 2, .samples = 500, .warm_up = 200});
  ASSERT_EQ(posterior.samples.size(), 1000U);
  ASSERT_EQ(posterior.draws.size, 2);
  const Tensor covariance = inverse(eye(2, DType::f64) + matmul(transpose(inputs), inputs) * 4.0);
  const Tensor expected = matmul(covariance, matmul(transpose(inputs), y) * 4.0);
  for (std::int64_t i = 0; i < 2; ++i) {
    expect_mean(posterior.draws.number(i), select(expected, 0, i).item(), "weight");
  }
  EXPECT_TRUE(allclose(posterior_mean(posterior.samples, [](const Line& line) { return line.weights; }),
                       expected, 0.0, 0.05));
  EXPECT_EQ(posterior.samples[700].weights.to_vector<double>(), posterior.draws.position(1, 200));
  EXPECT_EQ(posterior.samples.back().calls.item(), 7.0);
  EXPECT_TRUE(posterior.samples.back().frozen.frozen());
}

TEST(Nuts, TheSameKeyGivesTheSameSamplesOnAnyNumberOfThreads) {
  const int saved = threads();
  const auto run = [](std::uint64_t seed) {
    return nuts({0.0, 0.0}, correlated, Rng(seed), {.samples = 50, .warm_up = 60});
  };
  set_threads(1);
  const NutsDraws first = run(5);
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const NutsDraws again = run(5);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(first.chains[c].positions, again.chains[c].positions) << count;
      EXPECT_EQ(first.chains[c].energies, again.chains[c].energies) << count;
    }
  }
  set_threads(saved);
  EXPECT_NE(first.chains[0].positions, run(6).chains[0].positions);
  EXPECT_NE(first.chains[0].positions, first.chains[1].positions);
}

// Eight schools (Rubin 1981; Gelman et al., BDA3 5.5): effects of coaching, non-centred, with mu ~ N(0, 5),
// tau ~ half-Cauchy(0, 5).
DensityGradient eight_schools(const Numbers& x) {
  const Numbers y = {28, 8, -3, 7, -1, 1, 18, 12}, sigma = {15, 10, 16, 11, 9, 11, 10, 18};
  const double mu = x[0], tau = std::exp(x[1]);
  DensityGradient s{-0.5 * mu * mu / 25.0 - std::log1p(tau * tau / 25.0) + x[1], Numbers(10)};
  s.gradient[0] = -mu / 25.0;
  s.gradient[1] = 1.0 - 2.0 * tau * tau / (25.0 + tau * tau);
  for (std::size_t j = 0; j < 8; ++j) {
    const double z = x[j + 2], error = (y[j] - mu - tau * z) / sigma[j];
    s.log_density -= 0.5 * (z * z + error * error);
    s.gradient[0] += error / sigma[j];
    s.gradient[1] += error / sigma[j] * tau * z;
    s.gradient[j + 2] = error / sigma[j] * tau - z;
  }
  return s;
}

// The posterior means by quadrature over tau: given tau everything is normal.
struct EightSchools {
  double mu, tau, first_effect;
};
EightSchools eight_schools_by_quadrature() {
  const Numbers y = {28, 8, -3, 7, -1, 1, 18, 12}, sigma = {15, 10, 16, 11, 9, 11, 10, 18};
  EightSchools sums{0.0, 0.0, 0.0};
  double total = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double tau = std::tan((i + 0.5) / 200000.0 * std::acos(0.0)) * 5.0;  // even steps of the prior
    double precision = 1.0 / 25.0, weighted = 0.0, log_likelihood = 0.0;
    for (std::size_t j = 0; j < 8; ++j) {
      const double v = sigma[j] * sigma[j] + tau * tau;
      precision += 1.0 / v;
      weighted += y[j] / v;
      log_likelihood -= 0.5 * (std::log(v) + y[j] * y[j] / v);
    }
    const double mu = weighted / precision;
    const double weight = std::exp(log_likelihood + 0.5 * mu * weighted - 0.5 * std::log(precision) + 30.0);
    const double shrink = tau * tau / (tau * tau + 225.0);
    total += weight;
    sums.mu += weight * mu;
    sums.tau += weight * tau;
    sums.first_effect += weight * (mu + shrink * (28.0 - mu));
  }
  return {sums.mu / total, sums.tau / total, sums.first_effect / total};
}

TEST(Nuts, EightSchools) {
  const NutsDraws draws =
      nuts(Numbers(10), eight_schools, Rng(7), {.samples = 2000, .target_acceptance = 0.95});
  const EightSchools exact = eight_schools_by_quadrature();
  // As published for this parameterisation (posteriordb: 4.4, 3.6, 6.2).
  EXPECT_NEAR(exact.mu, 4.4, 0.1);
  EXPECT_NEAR(exact.tau, 3.6, 0.1);
  EXPECT_NEAR(exact.first_effect, 6.2, 0.1);
  expect_mean(draws.number(0), exact.mu, "mu");
  expect_mean(draws.quantity([](const Numbers& x) { return std::exp(x[1]); }), exact.tau, "tau");
  expect_mean(draws.quantity([](const Numbers& x) { return x[0] + std::exp(x[1]) * x[2]; }),
              exact.first_effect, "first effect");
}

TEST(Nuts, AFunnelIsNotSampledSilently) {
  // Neal's funnel, centred: the neck is too narrow for any step that suits the rest.
  const auto funnel = [](const Numbers& x) {
    DensityGradient s{-x[0] * x[0] / 18.0 - 4.5 * x[0], Numbers(10)};
    s.gradient[0] = -x[0] / 9.0 - 4.5;
    for (std::size_t i = 1; i < 10; ++i) {
      const double square = x[i] * x[i] * std::exp(-x[0]);
      s.log_density -= 0.5 * square;
      s.gradient[0] += 0.5 * square;
      s.gradient[i] = -x[i] * std::exp(-x[0]);
    }
    return s;
  };
  const NutsDraws draws = nuts(Numbers(10), funnel, Rng(8));
  EXPECT_GT(draws.divergences(), 0);
  const auto warnings = sampling_warnings(draws, summarize(draws));
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("trajectories diverged"), std::string::npos);
}

TEST(Nuts, TrajectoriesAreCutAtTheirGreatestDepth) {
  const NutsDraws draws = nuts({0.0, 0.0}, independent_normal({1e6, 1e6}), Rng(1),
                               {.chains = 1, .samples = 50, .warm_up = 0, .max_depth = 3, .step_size = 0.1});
  EXPECT_EQ(draws.full_depths(), 50);
  for (const std::int64_t steps : draws.chains[0].leapfrog_steps) EXPECT_EQ(steps, 7);
  EXPECT_EQ(draws.chains[0].step_size, 0.1);
}

TEST(Nuts, ProgressIsToldAndCanStop) {
  std::atomic<int> calls = 0;
  NutsOptions options{.chains = 2, .samples = 10, .warm_up = 10};
  options.progress = [&](const NutsProgress& p) {
    EXPECT_EQ(p.iterations, 20);
    EXPECT_EQ(p.warming, p.iteration <= 10);
    EXPECT_GT(p.step_size, 0.0);
    ++calls;
    return true;
  };
  EXPECT_FALSE(nuts({0.0, 0.0}, correlated, Rng(1), options).interrupted);
  EXPECT_EQ(calls, 40);
  options.progress = [](const NutsProgress& p) { return p.iteration < 15; };
  const NutsDraws stopped = nuts({0.0, 0.0}, correlated, Rng(1), options);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_LT(stopped.chains[0].samples() + stopped.chains[1].samples(), 20);
}

TEST(Nuts, WhatAnInterruptionLeavesCanBeSummarized) {
  NutsDraws draws;
  draws.size = 2;
  for (const std::size_t samples : {100U, 80U, 40U}) {
    NutsChain chain;
    chain.positions = Rng(samples)
                          .normal({static_cast<std::int64_t>(2 * samples)}, 0.0, 1.0, DType::f64)
                          .to_vector<double>();
    chain.log_densities.resize(samples);
    chain.energies.resize(samples);
    chain.leapfrog_steps.resize(samples);
    draws.chains.push_back(chain);
  }
  const Numbers first = draws.position(1, 79);
  draws.make_even();
  ASSERT_EQ(draws.chains.size(), 2U);
  EXPECT_EQ(draws.chains[0].samples(), 80);
  EXPECT_EQ(draws.chains[0].energies.size(), 80U);
  EXPECT_EQ(draws.position(1, 79), first);
  EXPECT_EQ(summarize(draws).size(), 2U);
  const auto places = even_draws(draws, 40);
  ASSERT_EQ(places.size(), 40U);
  EXPECT_EQ(places[20].chain, 1);
  EXPECT_EQ(places[20].sample, 0);
  EXPECT_EQ(even_draws(draws, 1000).size(), 160U);
}

TEST(Nuts, StartsAgainWhereADensityIsNothing) {
  // Only positive numbers have a density, and refused ones count as none: e^-x.
  const auto exponential = [](const Numbers& x) {
    if (x[0] < -0.5) refuse("density", "too small");
    return x[0] > 0.0 ? DensityGradient{-x[0], {-1.0}}
                      : DensityGradient{-std::numeric_limits<double>::infinity(), {0.0}};
  };
  const NutsDraws draws = nuts({0.01}, exponential, Rng(2), {.samples = 2000, .start_spread = 2.0});
  for (const NutsChain& chain : draws.chains) {
    for (const double x : chain.positions) ASSERT_GT(x, 0.0);
  }
  expect_mean(draws.number(0), 1.0, "mean");
}

TEST(Nuts, Refusals) {
  const auto with = [](const NutsOptions& options) { nuts({0.0, 0.0}, correlated, Rng(1), options); };
  expect_refusal([&] { with({.chains = 0}); }, "[nuts] chains must be at least 1, got 0");
  expect_refusal([&] { with({.samples = -1}); }, "[nuts] samples must be at least 0, got -1");
  expect_refusal([&] { with({.warm_up = -1}); }, "[nuts] warm_up must be at least 0, got -1");
  expect_refusal([&] { with({.max_depth = 21}); }, "[nuts] max_depth must lie in 1 ... 20, got 21");
  expect_refusal([&] { with({.target_acceptance = 0.0}); },
                 "[nuts] target_acceptance must lie in (0, 1), got 0");
  expect_refusal([&] { with({.step_size = -1.0}); }, "[nuts] step_size must be finite and above 0, got -1");
  expect_refusal([&] { with({.start_spread = -1.0}); },
                 "[nuts] start_spread must be finite and at least 0, got -1");
  expect_refusal(
      [] {
        nuts(
            {0.0},
            [](const Numbers&) {
              return DensityGradient{std::nan(""), {0.0}};
            },
            Rng(1));
      },
      "[nuts] the log-density at the start is nan");
  expect_refusal(
      [] {
        nuts(
            {0.0},
            [](const Numbers&) {
              return DensityGradient{0.0, {0.0, 0.0}};
            },
            Rng(1));
      },
      "[nuts] the gradient has 2 numbers, the position has 1");
  expect_refusal(
      [] {
        nuts(
            {0.0}, [](const Numbers&) -> DensityGradient { refuse("mine", "no"); }, Rng(1));
      },
      "[mine] no");
  expect_refusal([] { nuts({0.0}, independent_normal({1.0}), Rng(1), {.samples = 4}).number(1); },
                 "[NutsDraws] there are 1 numbers, not number 1");
}

TEST(Nuts, TheWindowsOfAWarmUp) {
  EXPECT_EQ(detail::WarmUpWindows(1000).begin, 75);
  EXPECT_EQ(detail::WarmUpWindows(1000).ends, (std::vector<std::int64_t>{100, 150, 250, 450, 950}));
  EXPECT_EQ(detail::WarmUpWindows(150).ends, (std::vector<std::int64_t>{100}));
  EXPECT_EQ(detail::WarmUpWindows(100).begin, 15);
  EXPECT_EQ(detail::WarmUpWindows(100).ends, (std::vector<std::int64_t>{90}));
  EXPECT_TRUE(detail::WarmUpWindows(19).ends.empty());
}

TEST(Nuts, LeapfrogStepsGoBackTheWayTheyCame) {
  detail::NumberStream stream{Rng(1)};
  const auto mass = detail::InverseMass::dense({1.0, 0.5, 0.5, 2.0});
  detail::PhasePoint point = detail::starting_point("nuts", {0.3, 0.4}, correlated);
  point.draw_momentum(mass, stream);
  const detail::PhasePoint begin = point;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(point.leapfrog(correlated, mass, 0.02));
  EXPECT_NEAR(point.energy(), begin.energy(), 0.01);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(point.leapfrog(correlated, mass, -0.02));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(point.position[i], begin.position[i], 1e-12);
    EXPECT_NEAR(point.momentum[i], begin.momentum[i], 1e-12);
  }
  // Momenta have the mass as covariance: that of M^-1 p is M^-1.
  double squares[3] = {0.0, 0.0, 0.0};
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    point.draw_momentum(mass, stream);
    squares[0] += point.velocity[0] * point.velocity[0] / kDraws;
    squares[1] += point.velocity[0] * point.velocity[1] / kDraws;
    squares[2] += point.velocity[1] * point.velocity[1] / kDraws;
  }
  EXPECT_NEAR(squares[0], 1.0, 0.05);
  EXPECT_NEAR(squares[1], 0.5, 0.05);
  EXPECT_NEAR(squares[2], 2.0, 0.1);
}

}  // namespace
}  // namespace likely
