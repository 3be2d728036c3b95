// Work of models/choice that is given up half way.
#include "likely/core/cancel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/hierarchical_bayes.hpp"
#include "likely/models/choice/hierarchical_em.hpp"
#include "likely/models/choice/recovery.hpp"
#include "likely/models/choice/simulate.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/models/choice/simulated_bandit.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::choice {
namespace {

using testing::random_trials;
using testing::simulated_bandit;
using testing::simulated_learners;

// Who goes on after a refusal must not go on after this.
static_assert(!std::is_base_of_v<Error, Cancelled>);

// Says yes from its question number `patience` on, and counts what it is asked.
class Owner {
 public:
  explicit Owner(int patience) : patience_(patience) {}
  CancelTest test() {
    return [this] { return ++asked_ > patience_; };
  }
  int asked() const { return asked_; }

 private:
  int patience_;
  std::atomic<int> asked_ = 0;
};

constexpr int kForever = 1'000'000'000;
constexpr int kSubjects = 90, kGroups = 12;

Trials many_subjects() { return simulated_bandit(simulated_learners({}, kSubjects, 5), 30, 6); }

// As bits: what is not determined is NaN.
std::vector<std::uint64_t> bits_of(const Fit& fit) {
  std::vector<std::uint64_t> bits;
  for (const SubjectFit& s : fit.subjects) {
    for (const std::vector<double>* numbers : {&s.estimate, &s.covariance}) {
      for (const double x : *numbers) bits.push_back(std::bit_cast<std::uint64_t>(x));
    }
    bits.push_back(std::bit_cast<std::uint64_t>(s.log_likelihood));
    bits.push_back(static_cast<std::uint64_t>(s.iterations));
  }
  return bits;
}

class SavedThreads {
 public:
  ~SavedThreads() { set_threads(saved_); }

 private:
  int saved_ = threads();
};

TEST(CancelChoice, FitsEndAtTheNextLookAtTheTrials) {
  const SavedThreads saved;
  const Likelihood likelihood(named_model("rw"), many_subjects());
  const auto fits = {+[](const Likelihood& l, const FitOptions& o) { return fit_likelihood(l, o); },
                     +[](const Likelihood& l, const FitOptions& o) { return fit_posterior(l, o); }};
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    for (const auto& fit : fits) {
      // A group alone looks at 64 candidates and then climbs.
      Owner patient(kForever), impatient(100);
      const std::vector<std::uint64_t> whole = bits_of(fit(likelihood, {.cancelled = patient.test()}));
      EXPECT_GT(patient.asked(), kGroups * 64);
      EXPECT_EQ(whole, bits_of(fit(likelihood, {})));
      EXPECT_THROW(fit(likelihood, {.cancelled = impatient.test()}), Cancelled);
      // Groups that had not begun may have asked once each.
      EXPECT_LE(impatient.asked(), 101 + kGroups);
    }
  }
}

TEST(CancelChoice, FitsTellHowManySubjectsAreDone) {
  const SavedThreads saved;
  const Likelihood likelihood(named_model("rw"), many_subjects());
  for (const int count : {1, 3}) {
    set_threads(count);
    std::vector<std::int64_t> told;
    fit_posterior(likelihood, {.progress = [&](std::int64_t done) { told.push_back(done); }});
    ASSERT_EQ(told.size(), static_cast<std::size_t>(kGroups));
    for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GT(told[i], told[i - 1]);
    EXPECT_EQ(told.back(), kSubjects);
  }
}

TEST(CancelChoice, WhatProgressThrowsEndsTheFit) {
  const Likelihood likelihood(named_model("rw"), many_subjects());
  EXPECT_THROW(fit_likelihood(likelihood, {.progress = [](std::int64_t) { throw Cancelled(); }}), Cancelled);
}

TEST(CancelChoice, PopulationsEndWithinARound) {
  const Likelihood likelihood(named_model("rw"), many_subjects());
  int rounds = 0;
  Owner impatient(100);
  EmOptions options{.fit = {.cancelled = impatient.test()}, .progress = [&](const EmProgress&) {
                      ++rounds;
                      return true;
                    }};
  EXPECT_THROW(fit_hierarchical(likelihood, options), Cancelled);
  EXPECT_EQ(rounds, 0);
  EXPECT_LE(impatient.asked(), 101 + kGroups);
}

// When all rounds are done, each subject's likelihood is integrated.
TEST(CancelChoice, IntegrationsEndToo) {
  const Likelihood likelihood(named_model("rw"), simulated_bandit(simulated_learners({}, 6, 5), 20, 6));
  const auto options = [](Owner& owner, int samples) {
    return EmOptions{
        .starts = 1, .max_iterations = 1, .integration_samples = samples, .fit = {.cancelled = owner.test()}};
  };
  Owner none(kForever);
  fit_hierarchical(likelihood, options(none, 0));
  Owner impatient(none.asked() + 3);
  EXPECT_THROW(fit_hierarchical(likelihood, options(impatient, 1'000'000'000)), Cancelled);
  EXPECT_EQ(impatient.asked(), none.asked() + 4);
}

TEST(CancelChoice, SamplersEndWithinATrajectory) {
  const SavedThreads saved;
  const Likelihood likelihood(named_model("rw"), simulated_bandit(simulated_learners({}, 6, 5), 20, 6));
  for (const int count : {1, 2}) {
    set_threads(count);
    Owner impatient(200);
    bool ended_one = false;
    // Steps so short that a trajectory has 2^20 of them.
    HierarchicalOptions options{.sampler = {.samples = 5,
                                            .warm_up = 0,
                                            .max_depth = 20,
                                            .step_size = 1e-9,
                                            .progress =
                                                [&](const NutsProgress&) {
                                                  ended_one = true;
                                                  return true;
                                                }},
                                .cancelled = impatient.test()};
    EXPECT_THROW(sample_hierarchical(likelihood, Rng(1), options), Cancelled);
    EXPECT_FALSE(ended_one);
    EXPECT_LE(impatient.asked(), 201 + 4);  // and one of each chain
  }
}

TEST(CancelChoice, WhatFollowsSamplingEndsToo) {
  const Likelihood likelihood(named_model("rw"), simulated_bandit(simulated_learners({}, 3, 5), 20, 6));
  const auto posterior = sample_hierarchical(
      likelihood, Rng(1), {.sampler = {.chains = 2, .samples = 20, .warm_up = 20, .max_depth = 4}});
  const std::vector<std::string> ids{"1", "2", "3"};
  Owner summaries(2), densities(2), patient(kForever);
  EXPECT_THROW(posterior.subject_summaries(ids, {}, summaries.test()), Cancelled);
  EXPECT_THROW(trial_log_likelihood(posterior, likelihood, 1000, densities.test()), Cancelled);
  EXPECT_EQ(trial_log_likelihood(posterior, likelihood, 1000, patient.test()).values,
            trial_log_likelihood(posterior, likelihood).values);
  EXPECT_EQ(patient.asked(), 40);
}

TEST(CancelChoice, RecoveriesCountAndEnd) {
  const Model model = named_model("rw");
  const std::vector<Model> models{model, named_model("wsls")};
  Bandit task;
  task.trials = 20;
  std::vector<std::int64_t> told;
  ConfusionOptions options{.datasets = 10};
  options.fit.progress = [&](std::int64_t done) { told.push_back(done); };
  confuse_models(models, task, Rng(1), options);
  // Two groups in each of four fits, whichever is done first.
  ASSERT_EQ(told.size(), 8U);
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GT(told[i], told[i - 1]);
  for (std::size_t i = 1; i < told.size(); i += 2) EXPECT_EQ(told[i], 5 * static_cast<std::int64_t>(i + 1));
  Owner first(20), second(20);
  EXPECT_THROW(recover_parameters(model, draw_parameters(model, 10, Rng(1)), task, Rng(2),
                                  Estimator::likelihood, {.cancelled = first.test()}),
               Cancelled);
  options.fit.cancelled = second.test();
  EXPECT_THROW(confuse_models(models, task, Rng(1), options), Cancelled);
}

TEST(CancelChoice, TrialsAreNeitherMadeNorReadNorWritten) {
  const likely::testing::TemporaryFolder folder;
  const Trials trials = random_trials({.subjects = 20}, 1);
  const auto file = folder / "trials.tsv";
  write_trials(file, trials);
  Owner reading(5), making(1), writing(5);
  EXPECT_THROW(read_trials(file, {.cancelled = reading.test()}), Cancelled);
  EXPECT_EQ(reading.asked(), 6);
  const Model model = named_model("rw");
  EXPECT_THROW(simulate(model, draw_parameters(model, 20, Rng(1)), {}, Rng(2), making.test()), Cancelled);
  {
    io::AtomicFile other(folder / "other.tsv");
    EXPECT_THROW(write_trials(other, trials, '\t', writing.test()), Cancelled);
  }
  EXPECT_EQ(writing.asked(), 6);
  EXPECT_EQ(folder.list(), "trials.tsv");
}

}  // namespace
}  // namespace likely::choice
