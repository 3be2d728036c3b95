#include "likely/models/choice/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/choice/fit.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/support/refusal.hpp"

namespace likely::choice {
namespace {

using Lists = std::vector<std::vector<double>>;

TEST(Simulate, ChoicesHaveTheModelsProbabilities) {
  // Each trial's probability, against what was drawn: for a model that is right, the sum of (drawn - p) is
  // normal.
  const Model model = named_model("rw-dual-stick", {.options = 3});
  Bandit task;
  task.probabilities = {0.2, 0.5, 0.8};
  task.trials = 400;
  const std::vector<double> theta{0.4, 0.1, 3.0, 0.5};
  const Trials trials = simulate(model, Lists(20, theta), task, Rng(5));
  double sum = 0.0, variance = 0.0, paid = 0.0, payment = 0.0;
  for (std::int64_t s = 0; s < 20; ++s) {
    const Subject& subject = trials.subjects[static_cast<std::size_t>(s)];
    const Expectations expected = expectations(model, theta, trials, s);
    for (std::size_t t = 0; t < 400; ++t) {
      const double p = expected.probabilities[3 * t + 2];
      sum += (subject.choice[t] == 2 ? 1.0 : 0.0) - p;
      variance += p * (1.0 - p);
      const double chance = task.probabilities[static_cast<std::size_t>(subject.choice[t])];
      paid += subject.outcome[t] - chance;
      payment += chance * (1.0 - chance);
    }
  }
  EXPECT_LT(std::fabs(sum), 4.0 * std::sqrt(variance));
  EXPECT_LT(std::fabs(paid), 4.0 * std::sqrt(payment));
}

TEST(Simulate, ParametersAreFoundAgain) {
  const Model model = named_model("rw");
  Bandit task;
  task.trials = 4000;
  task.drift = 0.05;
  Lists truth;
  for (int s = 0; s < 24; ++s) truth.push_back({0.1 + 0.03 * s, 1.0 + 0.2 * s});
  const Fit fit = fit_likelihood(Likelihood(model, simulate(model, truth, task, Rng(2))));
  int covered = 0;
  for (std::size_t s = 0; s < truth.size(); ++s) {
    for (std::size_t i = 0; i < 2; ++i) {
      const SubjectFit& subject = fit.subjects[s];
      EXPECT_LT(std::fabs(subject.estimate[i] - truth[s][i]), 5.0 * subject.standard_error[i])
          << s << ", " << i;
      covered += subject.interval_lower[i] < truth[s][i] && truth[s][i] < subject.interval_upper[i] ? 1 : 0;
    }
  }
  EXPECT_GE(covered, 40);  // of 48, of which 45.6 are expected: fewer in a case of 500
}

TEST(Simulate, DependsOnTheSeedAlone) {
  const Model model = named_model("rw-ck");
  Bandit task;
  task.probabilities = {0.3, 0.7};
  task.blocks = 2;
  task.trials = 30;
  task.drift = 0.1;
  const std::vector<double> theta{0.3, 2.0, 0.2, 1.0};
  const Trials first = simulate(model, Lists(19, theta), task, Rng(7));
  EXPECT_EQ(first.subjects[18].block[30], 1);
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const Trials again = simulate(model, Lists(19, theta), task, Rng(7));
    for (std::size_t s = 0; s < 19; ++s) EXPECT_EQ(again.subjects[s].choice, first.subjects[s].choice);
  }
  set_threads(before);
  const Trials fewer = simulate(model, Lists(3, theta), task, Rng(7));
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(fewer.subjects[s].outcome, first.subjects[s].outcome);
  EXPECT_NE(simulate(model, Lists(3, theta), task, Rng(8)).subjects[0].choice, first.subjects[0].choice);
}

TEST(Simulate, TasksDoWhatTheySay) {
  const Model model = named_model("random", {.options = 4});
  Bandit task;
  task.probabilities = {0.0, 0.0, 0.0, 1.0};
  task.trials = 200;
  task.reversal = 50;
  task.offered = 2;
  task.reward = 2.0;
  task.otherwise = -0.5;
  const Trials trials = simulate(model, Lists(1), task, Rng(1));
  const Subject& subject = trials.subjects[0];
  int seen = 0;
  for (std::size_t t = 0; t < 200; ++t) {
    EXPECT_EQ(std::popcount(subject.offered[t]), 2);
    seen |= 1 << subject.choice[t];
    // The paying option moves to the front by one at each reversal.
    const int paying = 3 - static_cast<int>(t / 50);
    EXPECT_EQ(subject.outcome[t], subject.choice[t] == paying ? 2.0 : -0.5) << t;
  }
  EXPECT_EQ(seen, 15);
  Bandit apart;
  apart.probabilities = {1.0, 0.0};
  apart.loss_probabilities = {0.0, 1.0};
  apart.loss = 3.0;
  const Trials losses = simulate(named_model("rw-rho-dual"), {{0.5, 1.0, 1.0}}, apart, Rng(1));
  for (std::size_t t = 0; t < 200; ++t) {
    const bool first = losses.subjects[0].choice[t] == 0;
    EXPECT_EQ(losses.subjects[0].gain[t], first ? 1.0 : 0.0);
    EXPECT_EQ(losses.subjects[0].loss[t], first ? 0.0 : -3.0);
  }
}

TEST(Simulate, DriftsAreReflectedHoweverFarTheyGo) {
  // Reflections of steps that are far larger than the interval leave every place in it equally likely.
  const Model model = named_model("rw");
  for (const double drift : {1e12, 1e300}) {
    Bandit task;
    task.drift = drift;
    task.lowest = 0.4;
    task.highest = 0.8;
    task.trials = 4000;
    const Trials trials = simulate(model, Lists(4, {0.3, 0.0}), task, Rng(2));
    double paid = 0.0;
    for (const Subject& subject : trials.subjects) {
      for (const double outcome : subject.outcome) paid += outcome / 16000.0;
    }
    EXPECT_NEAR(paid, 0.6, 4.0 * std::sqrt(0.24 / 16000.0)) << drift;
  }
  // An interval of a single step of the numbers is one, too.
  Bandit task;
  task.drift = 0.1;
  task.lowest = 0.5;
  task.highest = std::nextafter(0.5, 1.0);
  task.trials = 100;
  EXPECT_EQ(simulate(model, Lists(1, {0.3, 1.0}), task, Rng(2)).size(), 100);
}

TEST(Expectations, FollowsThePlainRecursion) {
  const Trials trials =
      testing::random_trials({.subjects = 9, .trials = 40, .options = 3, .blocks = true}, 3);
  const Model model = named_model("rw-lapse", {.options = 3});
  const std::vector<double> theta{0.3, 2.0, 0.1};
  for (const std::int64_t s : {0, 5, 8}) {
    const Subject& subject = trials.subjects[static_cast<std::size_t>(s)];
    const Expectations got = expectations(model, theta, trials, s);
    EXPECT_EQ(got.trials, subject.size());
    double v[3] = {0, 0, 0};
    for (std::size_t t = 0; t < subject.choice.size(); ++t) {
      if (t > 0 && subject.block[t] != subject.block[t - 1]) v[0] = v[1] = v[2] = 0.0;
      double sum = 0.0;
      for (const double x : v) sum += std::exp(2.0 * x);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(got.values[3 * t + k], v[k], 1e-12);
        EXPECT_NEAR(got.probabilities[3 * t + k], 0.9 * std::exp(2.0 * v[k]) / sum + 0.1 / 3, 1e-12);
      }
      const double error = subject.outcome[t] - v[subject.choice[t]];
      EXPECT_NEAR(got.errors[t], error, 1e-12);
      v[subject.choice[t]] += 0.3 * error;
    }
  }
}

TEST(SimulateChoices, KeepsTheTrialsAndDrawsTheChoices) {
  const Trials trials =
      testing::random_trials({.subjects = 10, .trials = 60, .options = 2, .cues = 3, .predict = true}, 4);
  const Model model = named_model("rw", {.options = 2, .cues = 3});
  const Trials made = simulate_choices(model, Lists(10, {0.3, 3.0}), trials, Rng(3));
  for (std::size_t s = 0; s < 10; ++s) {
    EXPECT_EQ(made.subjects[s].outcome, trials.subjects[s].outcome);
    EXPECT_EQ(made.subjects[s].learned, trials.subjects[s].learned);
    EXPECT_NE(made.subjects[s].choice, trials.subjects[s].choice);
  }
  check_trials(made);
}

TEST(Simulate, Refuses) {
  const auto message = [](const auto& change) {
    Model model = named_model("rw");
    Lists theta{{0.3, 2.0}};
    Bandit task;
    change(model, theta, task);
    return likely::testing::refusal_of([&] { simulate(model, theta, task, Rng(1)); });
  };
  EXPECT_EQ(message([](Model&, Lists& theta, Bandit&) { theta[0][0] = 1.5; }),
            "[choice::simulate] alpha of subject 1 is 1.5, outside 0 to 1");
  EXPECT_EQ(message([](Model&, Lists& theta, Bandit&) { theta[0].pop_back(); }),
            "[choice::simulate] subject 1 has 1 parameters, rw needs 2");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) {
              task.probabilities = {0.1, 0.2, 0.3};
            }),
            "[choice::simulate] the task has 3 options, rw is for 2");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.probabilities[1] = 1.2; }),
            "[choice::simulate] 1.2 is no probability");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.drift = -1.0; }),
            "[choice::simulate] drift must not be negative, got -1");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.drift = INFINITY; }),
            "[choice::simulate] drift must be at most 1e+300, got inf");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.drift = NAN; }),
            "[choice::simulate] drift must be at most 1e+300, got nan");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.reward = NAN; }),
            "[choice::simulate] reward must be finite, got nan");
  EXPECT_EQ(message([](Model&, Lists&, Bandit& task) { task.trials = 0; }),
            "[choice::simulate] there must be trials and blocks, got 0 and 1");
}

}  // namespace
}  // namespace likely::choice
