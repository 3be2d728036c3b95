#include "likely/models/choice/hierarchical_em.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "likely/core/threads.hpp"
#include "likely/models/choice/engine/population.hpp"
#include "likely/models/choice/hierarchical_bayes.hpp"
#include "tests/models/choice/simulated_bandit.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::choice {
namespace {

using likely::testing::expect_refusal;
using testing::simulated_bandit;
using testing::simulated_learners;
using Numbers = std::vector<double>;

// People who only have a bias: so many choices of the second option in `trials`.
Trials biased_people(const std::vector<int>& counts, int trials) {
  Trials result;
  result.option_names = result.cue_names = {"1", "2"};
  for (const int count : counts) {
    Subject s;
    s.id = std::to_string(result.subjects.size() + 1);
    for (int t = 0; t < trials; ++t) {
      s.choice.push_back(t < count ? 1 : 0);
      s.outcome.push_back(0.0);
    }
    result.subjects.push_back(s);
  }
  return result;
}

// ln of the integral of everybody's likelihood over N(mean, sd), by plain sums.
double marginal(const std::vector<int>& counts, int trials, double mean, double sd) {
  double total = 0.0;
  for (const int count : counts) {
    double integral = 0.0;
    for (int i = -800; i <= 800; ++i) {
      const double z = 0.01 * i, u = mean + sd * z;
      const double log_likelihood =
          -count * std::log1p(std::exp(-u)) - (trials - count) * std::log1p(std::exp(u));
      integral += std::exp(log_likelihood - 0.5 * z * z) * 0.01 / std::sqrt(2.0 * std::acos(-1.0));
    }
    total += std::log(integral);
  }
  return total;
}

TEST(HierarchicalEm, MaximizesTheMarginalLikelihoodOfOneParameter) {
  // Laplace's approximation is all that differs, and ten times the trials leave a tenth of the difference.
  for (const int times : {1, 10}) {
    std::vector<int> counts = {31, 44, 52, 38, 60, 25, 47, 55, 41, 49, 66, 35};
    for (int& count : counts) count *= times;
    const int trials = 80 * times;
    const Likelihood likelihood(named_model("bias"), biased_people(counts, trials));
    const HierarchicalFit fit =
        fit_hierarchical(likelihood, {.tolerance = 1e-7, .integration_samples = 4000}, Rng(3));
    EXPECT_TRUE(fit.converged);
    EXPECT_TRUE(fit.warnings.empty());
    EXPECT_EQ(fit.population_parameters, 2);

    // How far a Newton step on the exact marginal likelihood would go from here.
    constexpr double kStep = 0.02;
    const double mean = fit.coefficient(0, 0), sd = fit.sd(0);
    const auto at = [&](int i, int j) { return marginal(counts, trials, mean + kStep * i, sd + kStep * j); };
    const double here = at(0, 0);
    const double slope_mean = (at(1, 0) - at(-1, 0)) / (2.0 * kStep);
    const double slope_sd = (at(0, 1) - at(0, -1)) / (2.0 * kStep);
    const double a = (at(1, 0) - 2.0 * here + at(-1, 0)) / (kStep * kStep);
    const double b = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4.0 * kStep * kStep);
    const double c = (at(0, 1) - 2.0 * here + at(0, -1)) / (kStep * kStep);
    const double determinant = a * c - b * b;
    EXPECT_NEAR((c * slope_mean - b * slope_sd) / determinant, 0.0, 0.01 / times);
    EXPECT_NEAR((a * slope_sd - b * slope_mean) / determinant, 0.0, 0.015 / times);
    EXPECT_NEAR(fit.log_evidence, here, 0.1 / times);
    EXPECT_EQ(fit.log_evidence, fit.history.back());
    EXPECT_NEAR(fit.standard_error(0, 0), 1.0 / std::sqrt(-a), 0.003);
    // And the integrated likelihood by draws.
    const double integrated =
        std::accumulate(fit.integrated_log_likelihood.begin(), fit.integrated_log_likelihood.end(), 0.0);
    EXPECT_NEAR(integrated, here, 0.6);
    EXPECT_NEAR(fit.integrated_bic, -2.0 * integrated + 2.0 * std::log(12.0 * trials), 1e-9);
  }
}

TEST(HierarchicalEm, StandardErrorsOfANormalModelAreKnown) {
  // Modes with variances s_i of their own under N(mu, sigma^2): 1 / sum 1 / (s_i + sigma^2).
  detail::Population population(1, 3, {}, false, 1e-3);
  population.covariance = {0.7};
  Numbers posterior;
  double information = 0.0;
  for (const double s : {0.1, 0.5, 2.0}) {
    posterior.push_back(1.0 / (1.0 / s + 1.0 / 0.7));
    information += 1.0 / (s + 0.7);
  }
  EXPECT_NEAR(std::sqrt(population.coefficient_covariance(posterior)[0]), 1.0 / std::sqrt(information),
              1e-12);
}

TEST(HierarchicalEm, ShrinksPeopleTowardsThePopulationItFinds) {
  const testing::Population truth;
  const auto learners = simulated_learners(truth, 40, 21);
  const Likelihood likelihood(named_model("rw"), simulated_bandit(learners, 60, 22));
  const HierarchicalFit fit = fit_hierarchical(likelihood);
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.coefficient(0, 0), truth.alpha_mean, 4.0 * fit.standard_error(0, 0));
  EXPECT_NEAR(fit.coefficient(1, 0), truth.beta_mean, 4.0 * fit.standard_error(1, 0));
  EXPECT_NEAR(fit.sd(0), truth.alpha_sd, 0.5);
  EXPECT_NEAR(fit.sd(1), truth.beta_sd, 0.25);
  // Closer to the truth than maximum likelihood for each alone.
  const Fit alone = fit_likelihood(likelihood);
  double together_error = 0.0, alone_error = 0.0;
  for (std::size_t i = 0; i < learners.size(); ++i) {
    together_error += std::pow(fit.subjects.subjects[i].estimate[0] - learners[i].alpha, 2);
    alone_error += std::pow(alone.subjects[i].estimate[0] - learners[i].alpha, 2);
  }
  EXPECT_LT(together_error, alone_error);
  // The integrated likelihood prefers what made the data.
  const Likelihood other(named_model("wsls"), simulated_bandit(learners, 60, 22));
  EXPECT_LT(fit.integrated_bic, fit_hierarchical(other).integrated_bic);
}

TEST(HierarchicalEm, FindsTheEffectOfACovariate) {
  // logit alpha rises by 0.9 for each unit of the covariate; log beta does not depend on it.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<testing::BanditLearner> learners;
  Numbers ages;
  for (int i = 0; i < 60; ++i) {
    ages.push_back(normal(random));
    const double u = -0.8 + 0.9 * ages.back() + 0.4 * normal(random);
    learners.push_back({1.0 / (1.0 + std::exp(-u)), std::exp(1.3 + 0.3 * normal(random))});
  }
  const Likelihood likelihood(named_model("rw"), simulated_bandit(learners, 150, 6));
  for (const bool full : {false, true}) {
    const HierarchicalFit fit = fit_hierarchical(
        likelihood,
        {.covariates = {"age"}, .values = ages, .full_covariance = full, .integration_samples = 0});
    EXPECT_TRUE(fit.converged);
    EXPECT_NEAR(fit.coefficient(0, 1), 0.9, 4.0 * fit.standard_error(0, 1));
    EXPECT_LT(fit.p_value(0, 1), 1e-4);
    EXPECT_NEAR(fit.coefficient(1, 1), 0.0, 4.0 * fit.standard_error(1, 1));
    EXPECT_GT(fit.p_value(1, 1), 1e-4);
    EXPECT_EQ(fit.population_parameters, full ? 7 : 6);
    EXPECT_TRUE(std::isnan(fit.integrated_bic));
    EXPECT_EQ(fit.covariance[1] != 0.0, full);
  }
}

TEST(HierarchicalEm, ArrivesWhereTheTrialsDoNotHoldAParameter) {
  // People without forgetting: its rate is best at 0, which is infinitely far on the logit scale.
  const Likelihood likelihood(named_model("rw-decay"),
                              simulated_bandit(simulated_learners({}, 12, 8), 60, 9));
  const HierarchicalFit fit = fit_hierarchical(likelihood, {.integration_samples = 0});
  EXPECT_TRUE(fit.converged);
  const auto decay = static_cast<std::size_t>(fit.model.place("decay"));
  EXPECT_LT(fit.coefficient(static_cast<int>(decay), 0), -2.5);
  const Likelihood plain(named_model("rw"), simulated_bandit(simulated_learners({}, 12, 8), 60, 9));
  EXPECT_NEAR(fit.log_evidence, fit_hierarchical(plain, {.integration_samples = 0}).log_evidence, 2.0);
}

TEST(HierarchicalEm, AllStartsLeadToTheSameLaw) {
  Model model = named_model("rw");
  const Trials trials = simulated_bandit(simulated_learners({}, 15, 8), 60, 9);
  const HierarchicalFit first = fit_hierarchical(Likelihood(model, trials), {.integration_samples = 0});
  for (Parameter& p : model.parameters) p.prior_mean += 1.0;
  const HierarchicalFit other =
      fit_hierarchical(Likelihood(model, trials), {.starts = 1, .integration_samples = 0});
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(first.coefficient(k, 0), other.coefficient(k, 0), 0.02);
    EXPECT_NEAR(first.sd(k), other.sd(k), 0.02);
  }
  EXPECT_NEAR(first.log_evidence, other.log_evidence, 0.01);
  EXPECT_LT(other.iterations, first.iterations);
}

TEST(HierarchicalEm, SaysWhenPeopleDoNotDiffer) {
  const Likelihood likelihood(named_model("bias"), biased_people(std::vector<int>(10, 30), 50));
  const HierarchicalFit fit = fit_hierarchical(likelihood, {.least_sd = 0.05, .integration_samples = 0});
  EXPECT_NEAR(fit.coefficient(0, 0), std::log(30.0 / 20.0), 1e-3);
  ASSERT_EQ(fit.warnings.size(), 1U);
  EXPECT_EQ(fit.warnings[0].find("subjects hardly differ in "), 0U) << fit.warnings[0];
}

TEST(HierarchicalEm, TheSameOnAnyNumberOfThreadsAndStoppable) {
  const int saved = threads();
  const Likelihood likelihood(named_model("rw"), simulated_bandit(simulated_learners({}, 20, 3), 30, 4));
  std::optional<HierarchicalFit> first;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const HierarchicalFit fit =
        fit_hierarchical(likelihood, {.max_iterations = 5, .integration_samples = 20});
    EXPECT_FALSE(fit.converged);
    if (!first) first = fit;
    EXPECT_EQ(fit.history, first->history);
    EXPECT_EQ(fit.coefficients, first->coefficients);
    EXPECT_EQ(fit.integrated_log_likelihood, first->integrated_log_likelihood);
  }
  set_threads(saved);
  EmOptions options{.integration_samples = 0};
  options.progress = [](const EmProgress& p) { return p.iteration < 3; };
  EXPECT_EQ(fit_hierarchical(likelihood, options).iterations, 3);
}

TEST(HierarchicalEm, ImprovesOnAFixedPriorInRealData) {
  LIKELY_SHARED_DATA(folder, "cbm");
  const Likelihood likelihood(named_model("rw"), read_trials(folder / "rl_task.csv.gz"));
  const HierarchicalFit fit = fit_hierarchical(likelihood, {.integration_samples = 0});
  EXPECT_TRUE(fit.converged);
  // The evidence that cbm finds under N(0, 6.25), which is one of the laws to choose from.
  EXPECT_GT(fit.log_evidence, -1611.27433);
  // The population that full Bayes finds, up to the priors.
  HierarchicalOptions options;
  options.sampler.samples = 250;
  options.sampler.warm_up = 250;
  const HierarchicalPosterior posterior = sample_hierarchical(likelihood, Rng(1), options);
  for (int k = 0; k < 2; ++k) {
    const Summary mu = summarize("mu", posterior.group_mean(k, Scale::unconstrained));
    EXPECT_NEAR(mu.mean, fit.coefficient(k, 0), 1.5 * fit.standard_error(k, 0));
    EXPECT_NEAR(mu.sd, fit.standard_error(k, 0), 0.5 * fit.standard_error(k, 0));
  }
}

TEST(HierarchicalEm, Refusals) {
  const Trials trials = simulated_bandit(simulated_learners({}, 4, 1), 10, 2);
  const Likelihood likelihood(named_model("rw"), trials);
  const auto with = [&](const EmOptions& options) { fit_hierarchical(likelihood, options); };
  const std::string name = "[choice::fit_hierarchical] ";
  expect_refusal([&] { with({.max_iterations = 0}); }, name + "max_iterations must be at least 1, got 0");
  expect_refusal([&] { with({.starts = 0}); }, name + "starts must be at least 1, got 0");
  expect_refusal([&] { with({.tolerance = 0.0}); }, name + "tolerance must be above 0, got 0");
  expect_refusal([&] { with({.least_sd = 0.0}); }, name + "least_sd must be above 0, got 0");
  expect_refusal([&] { with({.integration_samples = -1}); },
                 name + "integration_samples must be at least 0, got -1");
  expect_refusal(
      [&] {
        with({.covariates = {"age"}, .values = {1.0, 2.0}});
      },
      name + "1 covariates of 4 subjects need 4 values, got 2");
  expect_refusal(
      [&] {
        with({.covariates = {"age"}, .values = {1.0, 2.0, std::nan(""), 3.0}});
      },
      name + "age of subject 3 is nan");
  expect_refusal(
      [&] {
        with({.covariates = {"age"}, .values = {2.0, 2.0, 2.0, 2.0}});
      },
      name + "the covariates are constant or determine each other");
  expect_refusal(
      [&] {
        with({.covariates = {"age"}, .values = {1.0, 2.0, 3.0, -1e160}});
      },
      name +
          "the largest number of the covariate age is 1e+160: it must lie between 1e-100 and 1e+100, in "
          "other "
          "units");
  expect_refusal(
      [&] {
        with({.covariates = {"age"}, .values = {1e-160, 2e-160, 3e-160, 5e-160}});
      },
      name +
          "the largest number of the covariate age is 5e-160: it must lie between 1e-100 and 1e+100, in "
          "other "
          "units");
  expect_refusal(
      [&] {
        with({.covariates = {"a", "b", "c"}, .values = Numbers(12)});
      },
      name + "3 covariates need at least 5 subjects, got 4");
  expect_refusal([&] { fit_hierarchical(Likelihood(named_model("random"), trials)); },
                 name + "the model random has no parameters");
}

}  // namespace
}  // namespace likely::choice
