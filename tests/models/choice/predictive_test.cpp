#include "likely/models/choice/predictive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/threads.hpp"
#include "tests/models/choice/simulated_bandit.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::choice {
namespace {

using likely::testing::expect_refusal;
using testing::simulated_bandit;
using testing::simulated_learners;
using Numbers = std::vector<double>;

TEST(Predictive, LearningCurvesCountChoices) {
  Trials trials;
  Subject a, b;
  a.id = "a";
  b.id = "b";
  a.choice = {0, 1, 1, 1, 0};
  b.choice = {1, 1, 0};
  a.outcome = Numbers(5);
  b.outcome = Numbers(3);
  trials.subjects = {a, b};
  const LearningCurve each = learning_curve(trials);
  EXPECT_EQ(each.trial, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(each.rates, (Numbers{0.5, 0.5, 0, 1, 0.5, 0.5, 0, 1, 1, 0}));
  EXPECT_EQ(each.counts, (Numbers{2, 2, 2, 1, 1}));
  const LearningCurve pairs = learning_curve(trials, 2);
  ASSERT_EQ(pairs.trial.size(), 3U);
  EXPECT_DOUBLE_EQ(pairs.trial[0], 1.5);
  EXPECT_DOUBLE_EQ(pairs.trial[1], 10.0 / 3.0);  // of 3, 4 and 3
  EXPECT_DOUBLE_EQ(pairs.trial[2], 5.0);         // no trial comes after it
  EXPECT_EQ(pairs.counts, (Numbers{4, 3, 1}));
  EXPECT_EQ(pairs.rates[1], 0.75);
  expect_refusal([&] { learning_curve(trials, 0); },
                 "[choice::learning_curve] bin must be at least 1, got 0");
  expect_refusal([] { learning_curve({}); }, "[choice::learning_curve] there are no trials");
}

// Everybody's true parameters, again and again.
std::vector<Numbers> truth_as_draws(const std::vector<testing::BanditLearner>& learners, std::size_t count) {
  Numbers draw;
  for (const auto& learner : learners) {
    draw.push_back(std::log(learner.alpha / (1.0 - learner.alpha)));
    draw.push_back(std::log(learner.beta));
  }
  return std::vector<Numbers>(count, draw);
}

TEST(Predictive, CoversWhatTheModelMadeAndNotWhatItDidNot) {
  const auto learners = simulated_learners({}, 40, 31);
  const Trials trials = simulated_bandit(learners, 100, 32);
  const Model model = named_model("rw");
  const auto draws = truth_as_draws(learners, 200);
  const PredictiveCheck past = predictive_check(model, trials, draws, Rng(1));
  PredictiveOptions anew;
  anew.task = Bandit{};
  anew.task->probabilities = {0.3, 0.7};
  anew.task->trials = 100;
  const PredictiveCheck played = predictive_check(model, trials, draws, Rng(1), anew);
  for (const PredictiveCheck* check : {&past, &played}) {
    EXPECT_GE(check->covered, 0.75);  // 19 of 20 on average
    for (std::size_t b = 0; b < 10; ++b) {
      EXPECT_NEAR(check->expected[2 * b] + check->expected[2 * b + 1], 1.0, 1e-12);
      EXPECT_LT(check->low[2 * b], check->high[2 * b]);
      EXPECT_NEAR(check->expected[2 * b], check->observed.rates[2 * b], 0.12);
    }
  }
  // They learn: the second arm pays more.
  EXPECT_GT(played.expected[19], played.expected[1] + 0.05);
  ASSERT_EQ(past.hit_rate.size(), 40U);
  for (const double rate : past.hit_rate) {
    EXPECT_GT(rate, 0.4);
    EXPECT_LT(rate, 1.0);
  }
  EXPECT_TRUE(played.hit_rate.empty());
  // People who learn nothing would choose both arms alike.
  std::vector<Numbers> wrong(100, Numbers(80, -8.0));
  EXPECT_LT(predictive_check(model, trials, wrong, Rng(1)).covered, 0.5);
}

TEST(Predictive, TheSameOnAnyNumberOfThreads) {
  const int saved = threads();
  const auto learners = simulated_learners({}, 10, 31);
  const Trials trials = simulated_bandit(learners, 30, 32);
  set_threads(1);
  const PredictiveCheck first =
      predictive_check(named_model("rw"), trials, truth_as_draws(learners, 20), Rng(1));
  for (const int count : {2, 3}) {
    set_threads(count);
    const PredictiveCheck again =
        predictive_check(named_model("rw"), trials, truth_as_draws(learners, 20), Rng(1));
    EXPECT_EQ(first.expected, again.expected);
    EXPECT_EQ(first.high, again.high);
  }
  set_threads(saved);
}

TEST(Predictive, DrawsOfAPosteriorAndRefusals) {
  const auto learners = simulated_learners({}, 3, 1);
  const Trials trials = simulated_bandit(learners, 20, 2);
  const Model model = named_model("rw");
  const Likelihood likelihood(model, trials);
  HierarchicalOptions options;
  options.sampler.samples = 30;
  options.sampler.warm_up = 50;
  const HierarchicalPosterior posterior = sample_hierarchical(likelihood, Rng(1), options);
  const auto draws = parameter_draws(posterior, 40);
  ASSERT_EQ(draws.size(), 40U);
  EXPECT_EQ(draws[0], posterior.subject_parameters(0, 0));
  EXPECT_EQ(draws[10], posterior.subject_parameters(1, 0));
  EXPECT_EQ(parameter_draws(posterior, 1000).size(), 120U);
  const std::string name = "[choice::predictive_check] ";
  expect_refusal([&] { predictive_check(model, trials, {}, Rng(1)); }, name + "there are no draws");
  expect_refusal([&] { predictive_check(model, trials, {{1.0}}, Rng(1)); },
                 name + "a draw has 1 numbers, 6 are needed");
  expect_refusal([&] { predictive_check(model, trials, draws, Rng(1), {.interval = 1.0}); },
                 name + "interval must lie in (0, 1), got 1");
  expect_refusal([&] { predictive_check(model, trials, draws, Rng(1), {.task = Bandit{}}); },
                 name + "the task has 200 trials, subject 1 has 20");
  expect_refusal([&] { parameter_draws(posterior, 0); }, "[even_draws] most must be at least 1, got 0");
}

}  // namespace
}  // namespace likely::choice
