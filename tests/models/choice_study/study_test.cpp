#include "likely/models/choice_study/study.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "likely/models/choice/simulate.hpp"
#include "likely/models/choice_study/compare.hpp"
#include "likely/models/choice_study/recover.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/models/choice_study/subject_parameters.hpp"
#include "tests/support/refusal.hpp"
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

const train::event::Stage& stage_of(const train::Event& event) {
  return std::get<train::event::Stage>(event);
}

TEST(Study, TellsHowManySubjectsAreDoneAndGivesTheBitsOfOneFit) {
  const Trials trials = small_trials(2100, 10);
  std::vector<double> reported;
  StudyOptions options{.method = Method::mle};
  options.fit.starts = 2;
  options.events = [&](const train::Event& event) { reported.push_back(stage_of(event).done); };
  const Study study = fit_study(trials, {named_model("rw")}, options);
  const Fit whole = fit_likelihood(Likelihood(named_model("rw"), trials), options.fit);
  ASSERT_EQ(study.models[0].fit.subjects.size(), 2100U);
  for (std::size_t i = 0; i < 2100; ++i) {
    EXPECT_EQ(study.models[0].fit.subjects[i].estimate, whole.subjects[i].estimate) << i;
    EXPECT_EQ(study.models[0].fit.subjects[i].id, whole.subjects[i].id);
  }
  // At the beginning, and after every eight.
  ASSERT_EQ(reported.size(), 1U + 263U);
  EXPECT_EQ(reported.front(), 0.0);
  for (std::size_t i = 1; i < reported.size(); ++i) EXPECT_GT(reported[i], reported[i - 1]) << i;
  EXPECT_EQ(reported.back(), 1.0);
}

TEST(Study, RefusesNobody) {
  EXPECT_EQ(likely::testing::refusal_of([] { fit_study({}, {named_model("rw")}); }), "there are no subjects");
}

// Between reports, too, and what was done with an earlier model stays.
TEST(Study, StopsWhenItIsCancelled) {
  for (const Method method : {Method::mle, Method::map, Method::em, Method::nuts}) {
    StudyOptions options{.method = method};
    std::atomic<int> asked = 0;
    std::atomic<bool> is_cancelled = false;
    int told_late = 0;
    options.events = [&](const train::Event&) {
      if (is_cancelled) ++told_late;
    };
    for (const int allowed : {0, 20}) {
      asked = 0;
      is_cancelled = false;
      told_late = 0;
      options.cancelled = [&] {
        const bool now = ++asked > allowed;
        if (now) is_cancelled = true;
        return now;
      };
      const Study study = fit_study(small_trials(4), {named_model("rw")}, options);
      EXPECT_TRUE(study.interrupted) << name_of(method);
      EXPECT_TRUE(study.models.empty()) << name_of(method);
      // One thread may have asked before another was told to stop, and is the only one to tell.
      EXPECT_LE(told_late, 1) << name_of(method);
    }
    // What is cancelled at the beginning tells nothing at all.
    int told = 0;
    options.events = [&](const train::Event&) { ++told; };
    options.cancelled = [] { return true; };
    EXPECT_TRUE(fit_study(small_trials(4), {named_model("rw")}, options).interrupted) << name_of(method);
    EXPECT_EQ(told, 0) << name_of(method);
  }
  StudyOptions second{.method = Method::mle};
  bool is_second = false;
  second.events = [&](const train::Event& event) { is_second = stage_of(event).of == "rw-dual"; };
  second.cancelled = [&] { return is_second; };
  const Study study = fit_study(small_trials(4), {named_model("rw"), named_model("rw-dual")}, second);
  EXPECT_TRUE(study.interrupted);
  ASSERT_EQ(study.models.size(), 1U);
  EXPECT_EQ(study.models[0].fit.subjects.size(), 4U);
}

// What is asked of the disk before the fit is enough for the files, and of their kind of size.
TEST(Study, KnowsHowLargeItsFilesWillBe) {
  for (const Method method : {Method::map, Method::em, Method::nuts}) {
    const TemporaryFolder folder;
    const Trials trials = small_trials(60);
    const std::vector<Model> models{named_model("rw-dual-stick"), named_model("rw")};
    StudyOptions options{.method = method};
    options.hierarchical.sampler.samples = 2000;
    options.hierarchical.sampler.warm_up = 50;
    options.hierarchical.sampler.max_depth = 2;
    const WriteOptions write{.figures = false};
    const std::int64_t needed = bytes_of_study(trials, models, options, write);
    const Study study = fit_study(trials, models, options);
    write_bytes(folder / "fit.json", study_json(study));
    write_study(study, trials, folder.path(), write);
    std::int64_t written = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      written += entry.is_regular_file() ? static_cast<std::int64_t>(entry.file_size()) : 0;
    EXPECT_LE(written, needed) << name_of(method);
    EXPECT_LE(needed, 4 * written + 200'000) << name_of(method);
  }
}

TEST(Study, KnowsHowLargeTheFilesOfARecoveryWillBe) {
  const TemporaryFolder folder;
  const std::vector<Model> models{named_model("rw-dual-stick"), named_model("rw")};
  const RecoverOptions options{.subjects = 2000};
  const std::int64_t needed = bytes_of_recovery(models, options, false);
  const RecoverStudy study = recover_study(models, {.probabilities = {0.3, 0.7}, .trials = 5}, options);
  write_bytes(folder / "recover.json", recover_json(study));
  write_recovery(study, folder.path(), false);
  std::int64_t written = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    written += static_cast<std::int64_t>(entry.file_size());
  EXPECT_LE(written, needed);
  EXPECT_LE(needed, 4 * written + 200'000);
}

TEST(Study, WritingEndsWhenItIsCancelled) {
  const TemporaryFolder folder;
  const Trials trials = small_trials(4);
  const Study study = fit_study(trials, {named_model("rw")}, {.method = Method::mle});
  for (const bool with_trials : {true, false}) {
    int asked = 0;
    const WriteOptions options{.trials = with_trials, .cancelled = [&] { return ++asked > 2; }};
    EXPECT_THROW(write_study(study, trials, folder.path(), options), Cancelled);
    EXPECT_EQ(asked, 3);
    EXPECT_FALSE(std::filesystem::exists(folder / "trials-rw.csv"));
  }
  const TemporaryFolder other;
  const SimulationFiles files{other / "s.tsv", other / "p.csv"};
  const SubjectParameters subjects{{"1", "2", "3", "4"}, std::vector<std::vector<double>>(4, {0.5, 1.0})};
  EXPECT_THROW(write_simulation(files, trials, named_model("rw"), subjects, [] { return true; }), Cancelled);
  EXPECT_EQ(other.list(), "");
  write_simulation(files, trials, named_model("rw"), subjects, [] { return false; });
  EXPECT_EQ(other.list(), "p.csv s.tsv");
}

TEST(Recover, TellsWhereItIsAndStops) {
  Bandit task;
  task.trials = 20;
  const std::vector<Model> models{named_model("rw"), named_model("wsls")};
  for (const Method method : {Method::mle, Method::em}) {
    RecoverOptions options;
    options.method = method;
    options.subjects = 10;
    double last = 0.0;
    std::vector<std::string> told;
    options.events = [&](const train::Event& event) {
      const train::event::Stage& now = stage_of(event);
      if (told.empty() || told.back() != now.of) told.push_back(now.of);
      last = now.done;
    };
    EXPECT_FALSE(recover_study(models, task, options).interrupted);
    EXPECT_EQ(told, (std::vector<std::string>{"rw", "wsls", "all models"}));
    EXPECT_EQ(last, 1.0);
    std::atomic<int> asked = 0;
    options.cancelled = [&] { return ++asked > 30; };
    const RecoverStudy stopped = recover_study(models, task, options);
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_TRUE(stopped.recoveries.empty());
    EXPECT_FALSE(stopped.confusion);
  }
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
  EXPECT_EQ(likely::testing::refusal_of([&] { compare_models(fit_study(trials, {named_model("rw")})); }),
            "at least 2 models are needed to compare, got 1");
}

TEST(Study, WarnsOfSubjectsWhoAlwaysChooseTheSame) {
  Trials trials = small_trials(2);
  for (std::int32_t& choice : trials.subjects[0].choice) choice = 1;
  const Study study = fit_study(trials, {named_model("rw")}, {.method = Method::mle});
  EXPECT_FALSE(study.models[0].warnings().empty());
  EXPECT_NE(study_text(study).find("warning: rw, subject 1: "), std::string::npos) << study_text(study);
}

TEST(Study, WarnsOfOutcomesThatDoNotSuitThePriors) {
  const auto warnings = [](double factor) {
    Trials trials = small_trials(2);
    for (Subject& subject : trials.subjects) {
      for (double& outcome : subject.outcome) outcome *= factor;
    }
    return fit_study(trials, {named_model("rw")}, {.method = Method::map}).warnings;
  };
  const std::string middle =
      ": priors and bounds suit outcomes of about 1, so the estimates may say more about them than about the "
      "trials; ";
  EXPECT_EQ(warnings(1e12), (std::vector<std::string>{"the largest outcome is 1e+12" + middle +
                                                      "divide all outcomes by 1e+12"}));
  EXPECT_EQ(warnings(-1e-12), (std::vector<std::string>{"the largest outcome is 1e-12" + middle +
                                                        "multiply all outcomes by 1e+12"}));
  EXPECT_EQ(warnings(2000), (std::vector<std::string>{"the largest outcome is 2000" + middle +
                                                      "divide all outcomes by 1000"}));
  for (const double fine : {0.0, 0.01, 1.0, 100.0}) EXPECT_TRUE(warnings(fine).empty()) << fine;
}

TEST(Recover, SaysWhatDoesNotVary) {
  RecoverOptions options;
  options.subjects = 6;
  options.laws = {"alpha=0.1"};
  Bandit task;
  task.trials = 40;
  const RecoverStudy study = recover_study({named_model("rw")}, task, options);
  const std::string text = recover_text(study);
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_NE(text.find("alpha does not vary: nothing can be correlated with it\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("beta does not vary"), std::string::npos) << text;
  const std::string json = recover_json(study);
  EXPECT_NE(json.find("\"correlation\": null"), std::string::npos) << json;
}

// A logarithmic axis has no place for 0: nobody is left out all the same.
TEST(Recover, DrawsEverybody) {
  const TemporaryFolder folder;
  const auto script_of = [&](const std::vector<double>& truth, const std::vector<double>& fitted) {
    Recovery recovery{named_model("rw"), {}, {}, {}, {}};
    for (std::size_t i = 0; i < truth.size(); ++i) {
      recovery.truth.push_back({0.5, truth[i]});
      recovery.fitted.push_back({0.5, fitted[i]});
    }
    recovery.parameters = {{"alpha", 0, 0, 0, 0, 0}, {"beta", 0.5, 0.4, 0, 0, 2}};
    write_recovery({{}, {}, {recovery}, std::nullopt}, folder.path(), true);
    return likely::testing::read_bytes(folder / "figures/recovery-rw.gp");
  };
  const auto has = [](const std::string& script, const std::string& part) {
    return script.find(part) != std::string::npos;
  };
  const std::string zeros = script_of({0.01, 0.1, 0.2, 0.5}, {0, 0.06, 0, 0.003});
  EXPECT_TRUE(has(zeros, "fitted beta (2 of 4 at 0: in orange)")) << zeros;
  EXPECT_TRUE(has(zeros, "\n0.01 0.002\n0.2 0.002\nEOD")) << zeros;
  const std::string tiny = script_of({0.01, 0.1, 0.2, 0.5}, {1e-9, 0.06, 0, 0.5});
  EXPECT_TRUE(has(tiny, "fitted beta (2 of 4 at most 1e-09: in orange)")) << tiny;
  const std::string usual = script_of({0.01, 0.1, 0.2, 0.5}, {0.02, 0.06, 0.2, 0.5});
  EXPECT_FALSE(has(usual, "orange")) << usual;
  const std::string plain = script_of({0.1, 0.1, 0.2, 0.5}, {0.0, 0.06, 0.2, 0.5});  // no logarithms
  EXPECT_FALSE(has(plain, "orange")) << plain;
  EXPECT_TRUE(has(plain, "\n0.1 0\n")) << plain;
}

TEST(Recover, CountsWhatIsDrawnAgain) {
  RecoverOptions options;
  options.subjects = 40;
  options.laws = {"alpha=uniform:0.5,1.5", "beta=4"};
  Bandit task;
  task.trials = 5;
  const RecoverStudy study = recover_study({named_model("rw")}, task, options);
  ASSERT_EQ(study.warnings.size(), 1U);
  const std::string& warning = study.warnings[0];
  EXPECT_TRUE(warning.starts_with("`param = alpha=uniform:0.5,1.5`: alpha lies between 0 and 1: "))
      << warning;
  EXPECT_TRUE(warning.ends_with(" numbers outside were drawn again")) << warning;
  EXPECT_TRUE(recover_text(study).ends_with("\nwarning: " + warning + "\n")) << recover_text(study);
  EXPECT_NE(recover_json(study).find(warning), std::string::npos);
  options.laws = {"alpha=uniform:0.5,1"};
  EXPECT_TRUE(recover_study({named_model("rw")}, task, options).warnings.empty());
}

// Half of the numbers are outside: on average one is drawn again for each that is kept.
TEST(Population, CountsWhatIsDrawnAgain) {
  Redrawn redrawn;
  const auto people =
      draw_population(named_model("rw"), {"alpha=uniform:0.5,1.5"}, 1000, Rng(5), false, &redrawn);
  ASSERT_EQ(redrawn.warnings().size(), 1U);
  const std::string before = "`param = alpha=uniform:0.5,1.5`: alpha lies between 0 and 1: ";
  const double count = std::stod(redrawn.warnings()[0].substr(before.size()));
  EXPECT_NEAR(count, 1000.0, 5.0 * std::sqrt(2000.0));  // geometric: variance 2 each
  EXPECT_EQ(people, draw_population(named_model("rw"), {"alpha=uniform:0.5,1.5"}, 1000, Rng(5)));
  Redrawn one;
  one.add("`param = alpha=normal:0,1`", named_model("rw").parameters[0]);
  EXPECT_EQ(one.warnings(),
            std::vector<std::string>{"`param = alpha=normal:0,1`: alpha lies between 0 and 1: 1 "
                                     "number outside was drawn again"});
}

TEST(SubjectParameters, AreReadFromTablesOfOthers) {
  const TemporaryFolder folder;
  const std::string path = (folder / "p.csv").string();
  write_bytes(path, "subjID;age\n1;20,5\n2;30\n");
  EmOptions em;
  EXPECT_EQ(
      read_covariates(path, small_trials(2), em),
      (std::vector<std::string>{path + ": column \"age\": \"20,5\" in line 2 is read as a number with a "
                                       "decimal comma"}));
  EXPECT_EQ(em.values, (std::vector<double>{20.5, 30.0}));
}

// Whoever reads "population" thinks of an average person, not of one who is 0 years old.
TEST(Study, PopulationIsThatOfAverageCovariates) {
  const Trials trials = small_trials(8, 60);
  const std::vector<double> ages{20, 31, 25, 60, 44, 37, 52, 29};
  StudyOptions options{.method = Method::em};
  options.em.covariates = {"age"};
  options.em.values = ages;
  const Study study = fit_study(trials, {named_model("rw")}, options);
  const HierarchicalFit& em = *study.models[0].em;
  EXPECT_NEAR(em.covariate_means.at(0), 37.25, 1e-12);
  // The same law with the ages counted from their mean: there the constant is what is asked for.
  for (double& age : options.em.values) age -= 37.25;
  const HierarchicalFit centred = *fit_study(trials, {named_model("rw")}, options).models[0].em;
  // Both stop where they hardly move any more, which is not the same place.
  EXPECT_NEAR(em.log_evidence, centred.log_evidence, 0.02);
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(em.means[at], em.coefficient(k, 0) + 37.25 * em.coefficient(k, 1), 1e-12);
    EXPECT_NEAR(em.means[at], centred.coefficient(k, 0), 0.05 * em.mean_errors[at]);
    EXPECT_NEAR(em.mean_errors[at], centred.standard_error(k, 0), 0.02 * em.mean_errors[at]);
    EXPECT_NEAR(em.coefficient(k, 1), centred.coefficient(k, 1), 0.05 * em.standard_error(k, 1));
    // Least squares go through the mean of everything.
    double mode = 0.0;
    for (const SubjectFit& subject : em.subjects.subjects) mode += subject.unconstrained[at] / 8.0;
    EXPECT_NEAR(em.means[at], mode, 0.05 * em.mean_errors[at]);
    EXPECT_NEAR(centred.means[at], centred.coefficient(k, 0), 1e-12);
  }
  const std::string text = study_text(study);
  EXPECT_NE(text.find("mean and middle are those of somebody with the mean of the covariates: age 37.25\n"),
            std::string::npos)
      << text;
  const Study plain = fit_study(trials, {named_model("rw")}, {.method = Method::em});
  EXPECT_EQ(study_text(plain).find("covariates"), std::string::npos);
  EXPECT_EQ(plain.models[0].em->means[1], plain.models[0].em->coefficient(1, 0));
  EXPECT_EQ(plain.models[0].em->mean_errors[1], plain.models[0].em->standard_error(1, 0));
  const TemporaryFolder folder;
  write_study(study, trials, folder.path(), {.trials = false, .figures = false});
  const std::string table = testing::read_bytes(folder / "group-rw.csv");
  for (const char* term : {"\nalpha,mean,", "\nalpha,intercept,", "\nalpha,age,"})
    EXPECT_NE(table.find(term), std::string::npos) << table;
}

TEST(Study, SaysWhichOptionsAndColumnsThereAre) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", "id,subject,choice,reward\n1,a,left,1\n2,a,right,0\n");
  Study study = fit_study(read_trials(folder / "t.csv"), {named_model("rw")});
  study.file = "t.csv";
  EXPECT_TRUE(
      study_text(study).starts_with("t.csv: 1 subject, 2 trials, 2 options: left, right\n"
                                    "columns: subject=subject, choice=choice, outcome=reward; not used: id\n"
                                    "map: "))
      << study_text(study);
  study.trials = 1;
  EXPECT_TRUE(study_text(study).starts_with("t.csv: 1 subject, 1 trial, 2 options: left, right\n"));
  const std::string json = study_json(study);
  EXPECT_NE(json.find("\"option_names\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"columns: subject=subject, choice=choice, outcome=reward; not used: id\""),
            std::string::npos)
      << json;
}

TEST(Study, FilesAreNamedAfterModels) {
  EXPECT_EQ(file_name("rw-dual"), "rw-dual");
  EXPECT_EQ(file_name("dual,decay:softmax"), "dual_decay_softmax");
}

TEST(SubjectParameters, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const Model model = named_model("rw");
  write_subject_parameters(folder / "p.csv", model, {{"7", "b c"}, {{0.25, 3.0}, {1.0 / 3.0, 0.5}}});
  const SubjectParameters subjects = read_subject_parameters(folder / "p.csv", model);
  EXPECT_EQ(subjects.ids, (std::vector<std::string>{"7", "b c"}));
  EXPECT_EQ(subjects.parameters[1], (std::vector<double>{1.0 / 3.0, 0.5}));
}

TEST(SubjectParameters, RefuseTablesThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string path = (folder / "p.csv").string();
  const auto refused = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return likely::testing::refusal_of([&] { read_subject_parameters(path, named_model("rw")); });
  };
  EXPECT_EQ(refused("who,alpha,beta\n1,2,3\n"), path + ": no column \"subjID\" says whose numbers these are");
  EXPECT_EQ(
      refused("# made today\nsubjID,alpha,beta\n1,0.2,3\n2,0.2,3\n"),
      "[read_csv] " + path +
          ", line 1: 1 field, but the lines from line 2 on have 3: take out what stands before the table");
  EXPECT_EQ(refused("subjID,alpha,beta\n1,0.2,3\n1,0.2,3\n"), path + ": subject 1 has two rows");
  EXPECT_NE(refused("subjID,alpha\n1,0.2\n").find("beta"), std::string::npos);
  EXPECT_NE(refused("subjID,alpha,beta\n1,0.2,high\n").find("\"high\" is not a number"), std::string::npos);
  EmOptions em;
  write_bytes(path, "subjID,age\n1,20\n2,\n");
  EXPECT_EQ(likely::testing::refusal_of([&] { read_covariates(path, small_trials(2), em); }),
            path + ": age of subject 2 is missing");
  write_bytes(path, "subjID\n1\n2\n");
  EXPECT_EQ(likely::testing::refusal_of([&] { read_covariates(path, small_trials(2), em); }),
            path + ": there is no column besides the ids");
}

TEST(SubjectParameters, MayHaveCodesForMissingValues) {
  const TemporaryFolder folder;
  const std::string path = (folder / "p.csv").string();
  write_bytes(path, "subjID,age\n1,-999\n2,30\n");
  EmOptions em;
  EXPECT_EQ(
      read_covariates(path, small_trials(2), em),
      std::vector<std::string>{path + ": column \"age\": -999 (once, in line 2) may stand for a missing "
                                      "value: it is read as a number"});
}

TEST(Study, SaysOfWhichKindTheOtherWarningsAre) {
  Study study = fit_study(small_trials(2), {named_model("rw")}, {.method = Method::map});
  study.warnings = {};
  for (int i = 1; i <= 7; ++i)
    study.warnings.push_back("subject s" + std::to_string(i) + " always chose 2: so");
  study.warnings.push_back("2 rows left out");
  const std::string text = study_text(study);
  EXPECT_TRUE(
      text.ends_with("warning: subject s5 always chose 2: so\n"
                     "warning: and 3 more:\n"
                     "  2 such as: subject s6 always chose 2: so\n"
                     "  2 rows left out\n"))
      << text;
  study.warnings.resize(5);
  EXPECT_TRUE(study_text(study).ends_with("warning: subject s5 always chose 2: so\n"));
}

// With a prior every parameter has an estimate: nobody can tell from it what the trials say.
TEST(Study, CountsWhatIsNotDeterminedOnlyWithoutAPrior) {
  const Trials trials = small_trials(3);
  const auto text = [&](Method method) {
    return study_text(fit_study(trials, {named_model("rw")}, {.method = method}));
  };
  EXPECT_NE(text(Method::mle).find("at a bound  not determined\n"), std::string::npos);
  EXPECT_EQ(text(Method::mle).find("the prior settles"), std::string::npos);
  for (const Method method : {Method::map, Method::em}) {
    EXPECT_EQ(text(method).find("not determined"), std::string::npos) << name_of(method);
    EXPECT_NE(text(method).find("the prior settles what the trials leave open; `method = mle` counts the "
                                "subjects whose parameters they do not determine\n"),
              std::string::npos)
        << name_of(method);
  }
}

TEST(Study, TrialsKeepTheNumbersOfTheFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv",
              "subjID,block,trial,choice,outcome\n007,b,11,1,1\n007,b,12,2,0\n007,a,3,1,1\n007,a,4,2,1\n");
  const Trials trials = read_trials(folder / "t.csv");
  const Study study = fit_study(trials, {named_model("rw")}, {.method = Method::map});
  write_study(study, trials, folder.path(), {});
  const std::string table = testing::read_bytes(folder / "trials-rw.csv");
  for (const char* row : {"\n007,b,11,1,1,", "\n007,b,12,2,0,", "\n007,a,3,1,1,", "\n007,a,4,2,1,"})
    EXPECT_NE(table.find(row), std::string::npos) << table;
}

}  // namespace

}  // namespace likely::choice
