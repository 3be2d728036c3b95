#include "likely/models/choice/hierarchical_bayes.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/threads.hpp"
#include "tests/models/choice/simulated_bandit.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::choice {
namespace {

using likely::testing::expect_refusal;
using testing::simulated_bandit;
using testing::simulated_learners;
using Numbers = std::vector<double>;

TEST(HierarchicalBayes, TheGradientIsThatOfTheDensity) {
  const Trials trials = simulated_bandit(simulated_learners({}, 3, 1), 20, 2);
  for (const char* name : {"rw", "rw-dual", "rw-stick"}) {
    const Likelihood likelihood(named_model(name), trials);
    for (const SpreadPrior prior : {SpreadPrior::half_normal, SpreadPrior::half_cauchy}) {
      const HierarchicalOptions options{.mean_scale = 1.2, .spread_prior = prior, .spread_scale = 0.6};
      const DensityGradientFunction density = detail::hierarchical_density(likelihood, options);
      Numbers x(static_cast<std::size_t>(5 * likelihood.parameters()));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(1.7 * static_cast<double>(i) + 0.3);
      const DensityGradient at = density(x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        Numbers more = x, less = x;
        more[i] += 1e-5;
        less[i] -= 1e-5;
        const double difference = (density(more).log_density - density(less).log_density) / 2e-5;
        EXPECT_NEAR(at.gradient[i], difference, 1e-7 * std::max(1.0, std::abs(difference))) << name << i;
      }
    }
  }
}

TEST(HierarchicalBayes, ThePosteriorOfOnePersonsBiasByQuadrature) {
  // One parameter and one person: the posterior of (mu, log sigma, z) is a sum over a grid in three
  // dimensions. 14 choices of the second option in 20.
  Trials trials;
  trials.option_names = trials.cue_names = {"1", "2"};
  Subject subject;
  subject.id = "1";
  for (int t = 0; t < 20; ++t) {
    subject.choice.push_back(t < 14 ? 1 : 0);
    subject.outcome.push_back(0.0);
  }
  trials.subjects.push_back(subject);
  const Likelihood likelihood(named_model("bias"), trials);
  ASSERT_EQ(likelihood.parameters(), 1);
  for (const SpreadPrior prior : {SpreadPrior::half_normal, SpreadPrior::half_cauchy}) {
    double total = 0.0, mean = 0.0, spread = 0.0, own = 0.0;
    for (int a = 0; a < 120; ++a) {
      const double mu = -6.0 + 0.1 * (a + 0.5);
      for (int b = 0; b < 140; ++b) {
        const double log_sigma = -9.0 + 0.1 * (b + 0.5), sigma = std::exp(log_sigma);
        const double prior_of_spread =
            prior == SpreadPrior::half_normal ? std::exp(-0.5 * sigma * sigma) : 1.0 / (1.0 + sigma * sigma);
        for (int c = 0; c < 100; ++c) {
          const double z = -5.0 + 0.1 * (c + 0.5), u = mu + sigma * z;
          const double log_likelihood = -14.0 * std::log1p(std::exp(-u)) - 6.0 * std::log1p(std::exp(u));
          const double weight =
              std::exp(log_likelihood - 0.5 * z * z - mu * mu / 4.5) * prior_of_spread * sigma;
          total += weight;
          mean += weight * mu;
          spread += weight * std::min(sigma, 3.0);
          own += weight * u;
        }
      }
    }
    HierarchicalOptions options{.spread_prior = prior};
    options.sampler.samples = 2000;
    options.sampler.target_acceptance = 0.95;
    const HierarchicalPosterior posterior = sample_hierarchical(likelihood, Rng(4), options);
    const auto expect = [&](const char* what, Chains chains, double exact) {
      for (auto& chain : chains) {
        for (double& v : chain) v = std::min(v, 3.0);  // the half-Cauchy law has no mean
      }
      const Summary s = summarize(what, chains);
      EXPECT_NEAR(s.mean, exact, 4.0 * s.mcse_mean + 0.002) << what;
      EXPECT_LT(s.r_hat, 1.02) << what;
    };
    expect("mu", posterior.group_mean(0, Scale::unconstrained), mean / total);
    expect("sigma", posterior.group_spread(0), spread / total);
    expect("own", posterior.subject(0, 0, Scale::unconstrained), own / total);
  }
}

TEST(HierarchicalBayes, FindsThePopulation) {
  const testing::Population truth;
  const auto learners = simulated_learners(truth, 15, 11);
  const Trials trials = simulated_bandit(learners, 80, 12);
  const Likelihood likelihood(named_model("rw"), trials);
  HierarchicalOptions options;
  options.sampler.samples = 300;
  options.sampler.warm_up = 300;
  const HierarchicalPosterior posterior = sample_hierarchical(likelihood, Rng(1), options);
  EXPECT_EQ(posterior.draws.divergences(), 0);
  const auto group = posterior.group_summaries({.interval = 0.99});
  ASSERT_EQ(group.size(), 6U);
  EXPECT_EQ(group[1].name, "mu alpha");
  EXPECT_LT(group[1].low, truth.alpha_mean);
  EXPECT_GT(group[1].high, truth.alpha_mean);
  EXPECT_LT(group[4].low, truth.beta_mean);
  EXPECT_GT(group[4].high, truth.beta_mean);
  EXPECT_NEAR(group[0].median, 1.0 / (1.0 + std::exp(-group[1].median)), 1e-3);

  std::vector<std::string> ids;
  for (const Subject& s : trials.subjects) ids.push_back(s.id);
  const auto people = posterior.subject_summaries(ids, {.interval = 0.99});
  ASSERT_EQ(people.size(), 30U);
  EXPECT_EQ(people[3].name, "beta[2]");
  int inside = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    inside += people[2 * i].low < learners[i].alpha && learners[i].alpha < people[2 * i].high ? 1 : 0;
    inside += people[2 * i + 1].low < learners[i].beta && learners[i].beta < people[2 * i + 1].high ? 1 : 0;
  }
  EXPECT_GE(inside, 27);

  // What leave_one_out is given adds up.
  const auto subjects = subject_log_likelihood(posterior, likelihood);
  const auto choices = trial_log_likelihood(posterior, likelihood, 1200);
  ASSERT_EQ(subjects.samples, 1200);
  ASSERT_EQ(subjects.observations, 15);
  ASSERT_EQ(choices.observations, 15 * 80);
  for (const std::int64_t s : {0, 700}) {
    for (std::int64_t i = 0; i < 15; ++i) {
      const auto first = choices.values.begin() + s * 1200 + i * 80;
      EXPECT_NEAR(subjects.values[static_cast<std::size_t>(s * 15 + i)],
                  std::accumulate(first, first + 80, 0.0), 1e-9);
    }
  }
  const PredictiveDensity loo = leave_one_out(choices), w = waic(choices);
  EXPECT_LE(loo.unreliable, 12);  // one in a hundred
  EXPECT_NEAR(loo.elpd, w.elpd, 1.0);
  EXPECT_GT(loo.elpd, 15 * 80 * std::log(0.5));
  const std::vector<double> each = by_subject(loo, likelihood);
  ASSERT_EQ(each.size(), 15U);
  EXPECT_NEAR(std::accumulate(each.begin(), each.end(), 0.0), loo.elpd, 1e-9);
  EXPECT_EQ(trial_log_likelihood(posterior, likelihood, 100).samples, 100);
}

TEST(HierarchicalBayes, TheSameOnAnyNumberOfThreads) {
  const int saved = threads();
  const Trials trials = simulated_bandit(simulated_learners({}, 20, 3), 30, 4);
  const Likelihood likelihood(named_model("rw"), trials);
  HierarchicalOptions options;
  options.sampler.samples = 10;
  options.sampler.warm_up = 30;
  set_threads(1);
  const HierarchicalPosterior first = sample_hierarchical(likelihood, Rng(1), options);
  for (const int count : {2, 3}) {
    set_threads(count);
    const HierarchicalPosterior again = sample_hierarchical(likelihood, Rng(1), options);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(first.draws.chains[c].positions, again.draws.chains[c].positions) << count;
    }
  }
  set_threads(saved);
}

// Simulation-based calibration (Talts et al. 2018): where a parameter is drawn from the prior and data from
// it, its rank among samples of the posterior is uniform.
TEST(HierarchicalBayes, RanksOfTrueParametersAreUniform) {
  constexpr int kSimulations = 300, kRanks = 100, kBins = 10;
  constexpr int kThin = 4;
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  const Model model = named_model("rw");
  std::vector<std::vector<int>> bins(2, std::vector<int>(kBins));
  for (int n = 0; n < kSimulations; ++n) {
    // logit alpha ~ N(0, 1.5), log beta ~ N(1, 0.7)
    const Numbers truth = {1.5 * normal(random), 1.0 + 0.7 * normal(random)};
    Trials trials;
    trials.option_names = trials.cue_names = {"1", "2"};
    trials.subjects.push_back(testing::simulated_learner(
        {1.0 / (1.0 + std::exp(-truth[0])), std::exp(truth[1])}, 50, 0.3, 0.7, random));
    trials.subjects.back().id = "1";
    const Likelihood likelihood(model, trials);
    const auto density = [&](const Numbers& x) {
      DensityGradient slope{0.0, Numbers(2)};
      slope.log_density = likelihood.evaluate_subject(0, x, slope.gradient);
      const double a = x[0] / 1.5, b = (x[1] - 1.0) / 0.7;
      slope.log_density -= 0.5 * (a * a + b * b);
      slope.gradient[0] -= a / 1.5;
      slope.gradient[1] -= b / 0.7;
      return slope;
    };
    const NutsDraws draws = nuts({0.0, 1.0}, density, Rng(static_cast<std::uint64_t>(n)),
                                 {.chains = 1, .samples = kThin * (kRanks - 1), .warm_up = 150});
    for (std::size_t k = 0; k < 2; ++k) {
      int rank = 0;
      for (int i = 0; i < kRanks - 1; ++i) {
        rank += draws.chains[0].positions[static_cast<std::size_t>(kThin * i) * 2 + k] < truth[k] ? 1 : 0;
      }
      bins[k][static_cast<std::size_t>(rank * kBins / kRanks)] += 1;
    }
  }
  const double limit = boost::math::quantile(boost::math::chi_squared(kBins - 1), 0.999);
  for (std::size_t k = 0; k < 2; ++k) {
    double chi_square = 0.0;
    for (const int count : bins[k]) {
      const double expected = static_cast<double>(kSimulations) / kBins;
      chi_square += (count - expected) * (count - expected) / expected;
    }
    EXPECT_LT(chi_square, limit) << k;
    RecordProperty(k == 0 ? "alpha" : "beta", std::to_string(chi_square));
  }
}

TEST(HierarchicalBayes, Refusals) {
  const Trials trials = simulated_bandit(simulated_learners({}, 2, 1), 10, 2);
  const Likelihood likelihood(named_model("rw"), trials);
  expect_refusal([&] { sample_hierarchical(likelihood, Rng(1), {.mean_scale = 0.0}); },
                 "[sample_hierarchical] mean_scale must be finite and above 0, got 0");
  expect_refusal([&] { sample_hierarchical(likelihood, Rng(1), {.spread_scale = -1.0}); },
                 "[sample_hierarchical] spread_scale must be finite and above 0, got -1");
  expect_refusal([&] { sample_hierarchical(Likelihood(named_model("random"), trials), Rng(1)); },
                 "[sample_hierarchical] the model random has no parameters");
  HierarchicalPosterior none;
  none.subjects = 2;
  expect_refusal([&] { none.subject_summaries({"1"}); },
                 "[subject_summaries] there are 2 subjects and 1 ids");
}

}  // namespace
}  // namespace likely::choice
