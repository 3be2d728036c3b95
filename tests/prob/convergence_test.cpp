#include "likely/prob/mcmc/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/reference.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

Chains rows_of(const Tensor& x) {
  Chains chains;
  for (std::int64_t i = 0; i < x.dim(0); ++i) chains.push_back(select(x, 0, i).to_vector<double>());
  return chains;
}

Tensor measures(const std::vector<Tensor>& inputs) {
  const Chains c = rows_of(inputs[0]);
  return tensor(std::vector<double>{r_hat(c), ess_bulk(c), ess_tail(c), ess_mean(c), ess_quantile(c, 0.5),
                                    mcse_mean(c), mcse_sd(c), mcse_quantile(c, 0.25)});
}

TEST(Convergence, AsThePublishedFormulaeHaveIt) {
  testing::ReferenceFunctions functions;
  for (const char* name : {"independent", "correlated", "alternating", "very slow", "apart", "other scales",
                           "heavy tails", "ties", "one chain", "short"}) {
    functions[name] = measures;
  }
  testing::expect_parity("convergence", functions, 1e-9);
}

TEST(Convergence, ChainsThatRememberHaveTheirKnownEffectiveSize) {
  // x_t = a x_t-1 + noise: n (1 - a) / (1 + a) effective samples of the mean.
  for (const double a : {-0.4, 0.0, 0.5, 0.9}) {
    Rng rng(11);
    Chains chains(4);
    for (auto& chain : chains) {
      double x = 0.0;
      for (const double noise : rng.normal({20000}, 0.0, 1.0, DType::f64).to_vector<double>()) {
        x = a * x + noise;
        chain.push_back(x);
      }
    }
    const double expected = 80000.0 * (1.0 - a) / (1.0 + a);
    EXPECT_NEAR(ess_mean(chains) / expected, 1.0, 0.12) << a;
    EXPECT_NEAR(ess_bulk(chains) / expected, 1.0, 0.12) << a;
    EXPECT_NEAR(r_hat(chains), 1.0, 0.01) << a;
    EXPECT_NEAR(mcse_mean(chains), std::sqrt(1.0 / (1.0 - a * a) / expected),
                0.1 * std::sqrt(1.0 / (1.0 - a * a) / expected));
  }
}

TEST(Convergence, RanksDoNotCareForTheScale) {
  const Chains chains = rows_of(Rng(2).normal({4, 100}, 0.0, 1.0, DType::f64));
  Chains curved = chains;
  for (auto& chain : curved) {
    for (double& v : chain) v = std::exp(3.0 * v);
  }
  EXPECT_EQ(ess_bulk(chains), ess_bulk(curved));
  EXPECT_NEAR(ess_tail(chains), ess_tail(curved), 1e-9);
}

TEST(Convergence, NothingToTell) {
  const Chains equal(4, std::vector<double>(20, 1.5));
  EXPECT_TRUE(std::isnan(r_hat(equal)));
  EXPECT_TRUE(std::isnan(ess_bulk(equal)));
  EXPECT_TRUE(std::isnan(ess_tail(equal)));
  EXPECT_TRUE(std::isnan(mcse_quantile(equal, 0.5)));
  Chains broken = rows_of(Rng(2).normal({4, 20}, 0.0, 1.0, DType::f64));
  broken[1][3] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(r_hat(broken)));
  EXPECT_TRUE(std::isnan(ess_mean(broken)));
}

TEST(Convergence, EnergiesThatMoveFreelyOrTimidly) {
  EXPECT_NEAR(e_bfmi(Rng(1).normal({20000}, 0.0, 1.0, DType::f64).to_vector<double>()), 2.0, 0.05);
  std::vector<double> slow;
  for (int i = 0; i < 100; ++i) slow.push_back(i);
  EXPECT_NEAR(e_bfmi(slow), 99.0 / (100.0 * (100.0 * 100.0 - 1.0) / 12.0), 1e-12);
}

TEST(Convergence, Refusals) {
  expect_refusal([] { r_hat({}); }, "[r_hat] there are no chains");
  expect_refusal(
      [] {
        ess_bulk({{1, 2, 3, 4}, {1, 2, 3}});
      },
      "[ess_bulk] the chains have unequal lengths, 4 and 3");
  expect_refusal([] { ess_tail({{1, 2, 3}}); }, "[ess_tail] a chain must have at least 4 samples, got 3");
  expect_refusal(
      [] {
        ess_quantile({{1, 2, 3, 4}}, 1.0);
      },
      "[ess_quantile] the probability must lie in (0, 1), got 1");
  expect_refusal(
      [] {
        mcse_quantile({{1, 2, 3, 4}}, 0.0);
      },
      "[mcse_quantile] the probability must lie in (0, 1), got 0");
  expect_refusal([] { e_bfmi({1.0}); }, "[e_bfmi] at least 2 energies are needed, got 1");
}

TEST(Summary, OfAKnownLaw) {
  const Chains chains = rows_of(Rng(3).exponential({4, 10000}, 1.0, DType::f64));
  const Summary s = summarize("x", chains, {.interval = 0.9});
  EXPECT_EQ(s.name, "x");
  EXPECT_NEAR(s.mean, 1.0, 4.0 * s.mcse_mean);
  EXPECT_NEAR(s.sd, 1.0, 4.0 * s.mcse_sd);
  EXPECT_NEAR(s.median, std::log(2.0), 4.0 * mcse_quantile(chains, 0.5));
  EXPECT_NEAR(s.low, -std::log(0.95), 0.01);
  EXPECT_NEAR(s.high, -std::log(0.05), 0.1);
  // The densest nine tenths of a falling density begin at its start.
  EXPECT_NEAR(s.densest.low, 0.0, 0.005);
  EXPECT_NEAR(s.densest.high, -std::log(0.1), 0.06);
}

TEST(Summary, QuantilesAndIntervalsOfAFewNumbers) {
  EXPECT_EQ(quantile({3.0, 1.0, 2.0, 4.0}, 0.5), 2.5);
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 0.0), 1.0);
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 1.0), 3.0);
  EXPECT_NEAR(quantile({0.0, 10.0}, 0.3), 3.0, 1e-15);
  const Interval half = highest_density_interval({9.0, 1.0, 1.5, 4.0, 1.2, 20.0}, 0.5);
  EXPECT_EQ(half.low, 1.0);
  EXPECT_EQ(half.high, 1.5);
  expect_refusal([] { quantile({}, 0.5); }, "[quantile] there are no samples");
  expect_refusal([] { quantile({1.0}, -0.1); }, "[quantile] the probability must lie in [0, 1], got -0.1");
  expect_refusal([] { highest_density_interval({1.0}, 0.0); },
                 "[highest_density_interval] the probability must lie in (0, 1], got 0");
  expect_refusal(
      [] {
        summarize("x", {{1, 2, 3, 4}}, {.interval = 1.0});
      },
      "[summarize] interval must lie in (0, 1), got 1");
  expect_refusal([] { summarize(NutsDraws{.size = 2, .chains = {}}, {"a"}); },
                 "[summarize] there are 2 numbers and 1 names");
}

TEST(Summary, WarnsOfChainsThatDoNotAgree) {
  NutsDraws draws;
  draws.size = 1;
  Rng rng(1);
  for (int c = 0; c < 4; ++c) {
    NutsChain chain;
    chain.positions = rng.normal({200}, c, 1.0, DType::f64).to_vector<double>();
    chain.log_densities.resize(200);
    chain.energies = rng.normal({200}, 0.0, 1.0, DType::f64).to_vector<double>();
    draws.chains.push_back(chain);
  }
  const auto summaries = summarize(draws, {"alpha"});
  const auto warnings = sampling_warnings(draws, summaries);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("R-hat of alpha is 1."), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("alpha has only"), std::string::npos) << warnings[1];
  EXPECT_NE(summary_table(summaries).find("alpha"), std::string::npos);
}

}  // namespace
}  // namespace likely
