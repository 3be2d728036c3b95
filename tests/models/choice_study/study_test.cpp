#include "likely/models/choice_study/study.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/models/choice/simulate.hpp"
#include "likely/models/choice_study/compare.hpp"
#include "likely/models/choice_study/people.hpp"
#include "likely/models/choice_study/report.hpp"
#include "tests/models/choice/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::choice {

namespace {

using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

Trials small_trials(std::int64_t subjects, std::int64_t trials = 40) {
  Bandit task;
  task.trials = trials;
  const Model model = named_model("rw");
  return simulate(model, draw_population(model, {}, subjects, Rng(2)), task, Rng(3));
}

// A study is cut into pieces of 2048 subjects; nobody may notice.
TEST(Study, PiecesGiveTheBitsOfOneFit) {
  const Trials trials = small_trials(2100, 10);
  std::vector<double> reported;
  StudyOptions options{.method = Method::mle};
  options.fit.starts = 2;
  options.progress = [&](const StudyProgress& now) {
    reported.push_back(now.done);
    return true;
  };
  const Study study = fit_study(trials, {named_model("rw")}, options);
  const Fit whole = fit_likelihood(Likelihood(named_model("rw"), trials), options.fit);
  ASSERT_EQ(study.models[0].fit.subjects.size(), 2100U);
  for (std::size_t i = 0; i < 2100; ++i) {
    EXPECT_EQ(study.models[0].fit.subjects[i].estimate, whole.subjects[i].estimate) << i;
    EXPECT_EQ(study.models[0].fit.subjects[i].id, whole.subjects[i].id);
  }
  EXPECT_EQ(reported.size(), 3U);
  EXPECT_EQ(reported.back(), 1.0);
}

TEST(Study, StopsWhenItIsTold) {
  for (const Method method : {Method::mle, Method::map, Method::em, Method::nuts}) {
    StudyOptions options{.method = method};
    options.progress = [](const StudyProgress&) { return false; };
    const Study study = fit_study(small_trials(4), {named_model("rw")}, options);
    EXPECT_TRUE(study.interrupted) << name_of(method);
    EXPECT_TRUE(study.models.empty()) << name_of(method);
  }
  EXPECT_EQ(testing::refusal([] { fit_study({}, {named_model("rw")}); }), "there are no subjects");
}

TEST(Study, ComparesBySubjectsScores) {
  const Trials trials = small_trials(5, 80);
  const Study study = fit_study(trials, {named_model("rw"), named_model("random")}, {.method = Method::mle});
  const Comparison comparison = compare_models(study);
  // Choices at random: 80 ln 2 each, without parameters.
  EXPECT_NEAR(comparison.totals[1], -5.0 * 80.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(comparison.totals[0], study.models[0].fit.log_likelihood() - 5.0 * std::log(80.0), 1e-9);
  EXPECT_EQ(comparison.best_for[0] + comparison.best_for[1], 5);
  EXPECT_EQ(comparison.best, comparison.totals[0] > comparison.totals[1] ? 0U : 1U);
  EXPECT_EQ(testing::refusal([&] { compare_models(fit_study(trials, {named_model("rw")})); }),
            "at least 2 models are needed to compare, got 1");
}

TEST(Study, WarnsOfSubjectsWhoAlwaysChooseTheSame) {
  Trials trials = small_trials(2);
  for (std::int32_t& choice : trials.subjects[0].choice) choice = 1;
  const Study study = fit_study(trials, {named_model("rw")}, {.method = Method::mle});
  EXPECT_FALSE(study.models[0].warnings().empty());
  EXPECT_NE(study_text(study).find("warning: rw, subject 1: "), std::string::npos) << study_text(study);
}

TEST(Study, FilesAreNamedAfterModels) {
  EXPECT_EQ(file_name("rw-dual"), "rw-dual");
  EXPECT_EQ(file_name("dual,decay:softmax"), "dual_decay_softmax");
}

TEST(People, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const Model model = named_model("rw");
  write_people(folder / "p.csv", model, {{"7", "b c"}, {{0.25, 3.0}, {1.0 / 3.0, 0.5}}});
  const People people = read_people(folder / "p.csv", model);
  EXPECT_EQ(people.ids, (std::vector<std::string>{"7", "b c"}));
  EXPECT_EQ(people.parameters[1], (std::vector<double>{1.0 / 3.0, 0.5}));
}

TEST(People, RefuseTablesThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string path = (folder / "p.csv").string();
  const auto refused = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return testing::refusal([&] { read_people(path, named_model("rw")); });
  };
  EXPECT_EQ(refused("who,alpha,beta\n1,2,3\n"), path + ": no column \"subjID\" says whose numbers these are");
  EXPECT_EQ(refused("subjID,alpha,beta\n1,0.2,3\n1,0.2,3\n"), path + ": subject 1 has two rows");
  EXPECT_NE(refused("subjID,alpha\n1,0.2\n").find("beta"), std::string::npos);
  EXPECT_NE(refused("subjID,alpha,beta\n1,0.2,high\n").find("\"high\" is not a number"), std::string::npos);
  EmOptions em;
  write_bytes(path, "subjID,age\n1,20\n2,\n");
  EXPECT_EQ(testing::refusal([&] { read_covariates(path, small_trials(2), em); }),
            path + ": age of subject 2 is missing");
  write_bytes(path, "subjID\n1\n2\n");
  EXPECT_EQ(testing::refusal([&] { read_covariates(path, small_trials(2), em); }),
            path + ": there is no column besides the ids");
}

}  // namespace

}  // namespace likely::choice
