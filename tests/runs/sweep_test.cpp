#include "likely/runs/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/io/json.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::runs {
namespace {

using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;

// A recipe that learns nothing: its error is the distance of x from 3, plus 1 in mode "bad".
Recipe toy() {
  return {
      .name = "toy",
      .chapter = "8",
      .summary = "a bowl",
      .data = "none",
      .settings = {number_setting("x", 0.0, "place", -100.0, 100.0), whole_setting("n", 5, "a whole number"),
                   word_setting("mode", "good", "how", {"good", "bad"}),
                   number_setting("far_away", 0.0, "unused")},
      .train = [](const Run& run) -> Report {
        const double x = run.settings.number("x");
        if (x < -50) throw Error("x is too small");
        const double error = std::abs(x - 3.0) + (run.settings.text("mode") == "bad" ? 1.0 : 0.0);
        return {.figures = {{.name = "test score", .better = Better::higher, .value = -error},
                            {.name = "validation error", .better = Better::lower, .value = error}}};
      }};
}

class SweepTest : public ::testing::Test {
 protected:
  SweepOptions options(const SweepOptions& base = {}) {
    SweepOptions all = base;
    all.run = default_run(recipe_);
    all.run.out = folder_ / "sweep";
    return all;
  }
  void expect(const SweepOptions& base, const std::string& message) {
    testing::expect_refusal([&] { run_sweep(recipe_, options(base)); }, message);
    EXPECT_EQ(folder_.list(), "") << message;
  }

  Recipe recipe_ = toy();
  TemporaryFolder folder_;
};

TEST_F(SweepTest, TellsOfEveryTrial) {
  SweepOptions wanted = options({.grid = {"x=2,-60"}});
  std::vector<train::event::Trial> told;
  std::size_t begun = 0;
  wanted.run.events = [&](const train::Event& event) {
    if (const auto* trial = std::get_if<train::event::Trial>(&event)) told.push_back(*trial);
    if (std::holds_alternative<train::event::Begin>(event)) ++begun;
  };
  run_sweep(recipe_, wanted);
  EXPECT_EQ(begun, 2U);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].number, 1);
  EXPECT_EQ(told[0].settings.at("x"), "2");
  EXPECT_EQ(told[0].figure, "validation error");
  EXPECT_EQ(told[0].value, 1.0);
  EXPECT_EQ(told[0].error, "");
  EXPECT_EQ(told[1].error, "x is too small");
}

// The events of a sweep's own folder, without those of its trials; `name` of an event and what is said below
// a key.
TEST_F(SweepTest, HasADiaryOfItsOwn) {
  run_sweep(recipe_, options({.grid = {"x=2,-60"}}));
  std::vector<io::SortedJson> lines;
  std::istringstream text(read_bytes(folder_ / "sweep/events.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(io::parse_json<io::SortedJson>(line));
  ASSERT_GE(lines.size(), 5U);
  EXPECT_EQ(lines[0]["event"], "open");
  EXPECT_EQ(lines[1]["event"], "begin");
  EXPECT_EQ(lines[1]["recipe"], "toy");
  EXPECT_EQ(lines[1]["out"], (folder_ / "sweep").string());
  EXPECT_EQ(lines[1]["settings"]["n"], "5");
  EXPECT_EQ(lines[2]["event"], "trial");
  EXPECT_EQ(lines[2]["settings"], io::SortedJson({{"x", "2"}}));
  EXPECT_EQ(lines[2]["value"], 1.0);
  EXPECT_EQ(lines[3]["number"], 2);
  EXPECT_EQ(lines[3]["error"], "x is too small");
  for (std::size_t i = 4; i + 1 < lines.size(); ++i)  // without gnuplot there is a warning
    EXPECT_TRUE(lines[i]["event"] == "picture" || lines[i]["event"] == "warning") << lines[i];
  EXPECT_EQ(lines.back()["event"], "end");
  EXPECT_EQ(lines.back()["stopped"], "finished");
  // Of the first trial the folder tells what happened in it; the second came to nothing.
  EXPECT_NE(read_bytes(folder_ / "sweep/trial-1/events.jsonl").find("\"metric\""), std::string::npos);
}

TEST_F(SweepTest, ThatIsRefusedLeavesNoDiary) {
  expect({.grid = {"x=1"}, .figure = "score"},
         "there is no figure \"score\"; there are test score, validation error");
}

TEST_F(SweepTest, TriesEveryCombinationOfAGrid) {
  const Sweep sweep = run_sweep(recipe_, options({.grid = {"x=0,2,4.5", "mode=good,bad"}}));
  ASSERT_EQ(sweep.trials.size(), 6U);
  EXPECT_EQ(sweep.figure, "validation error");  // rather than the test figure that comes first
  EXPECT_FALSE(sweep.higher_is_better);
  const std::vector<SweepTrial> ranked = sweep.ranked();
  EXPECT_EQ(ranked[0].settings.at("x"), "2");
  EXPECT_EQ(ranked[0].settings.at("mode"), "good");
  EXPECT_EQ(ranked[0].value, 1.0);
  EXPECT_EQ(ranked[5].value, 4.0);
  EXPECT_EQ(read_bytes(folder_ / "sweep/sweep.csv"),
            "trial,x,mode,\"validation error\",error\n"
            "1,0,good,3,\"\"\n2,0,bad,4,\"\"\n3,2,good,1,\"\"\n4,2,bad,2,\"\"\n5,4.5,good,1.5,\"\"\n"
            "6,4.5,bad,2.5,\"\"\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "sweep/trial-6/recipe.json"));
  EXPECT_NE(read_bytes(folder_ / "sweep/figures/sweep.gp").find("toy, 6 trials, the best in orange"),
            std::string::npos);
}

TEST_F(SweepTest, DrawsAtRandomWithinRanges) {
  const Sweep sweep =
      run_sweep(recipe_, options({.grid = {"mode=good,bad"}, .random = {"x=1..2", "n=3..9"}, .trials = 12}));
  ASSERT_EQ(sweep.trials.size(), 12U);
  for (const SweepTrial& trial : sweep.trials) {
    const double x = std::stod(trial.settings.at("x"));
    EXPECT_TRUE(x >= 1 && x <= 2) << x;
    const int n = std::stoi(trial.settings.at("n"));
    EXPECT_TRUE(n >= 3 && n <= 9) << n;
  }
  EXPECT_NE(sweep.trials[0].settings.at("x"), sweep.trials[1].settings.at("x"));
}

TEST_F(SweepTest, NotesTrialsThatFail) {
  const Sweep sweep = run_sweep(recipe_, options({.grid = {"x=-60,1"}, .figure = "test score"}));
  EXPECT_TRUE(sweep.higher_is_better);
  EXPECT_EQ(sweep.trials[0].error, "x is too small");
  EXPECT_EQ(sweep.ranked()[0].value, -2.0);
  EXPECT_EQ(sweep.table(),
            " trial            x  test score\n"
            "     2            1  -2\n"
            "     1          -60  failed: x is too small\n");
  const auto json = io::parse_json<io::SortedJson>(sweep.json());
  EXPECT_EQ(json["best"]["trial"], 2);
  EXPECT_TRUE(json["trials"][1]["value"].is_null());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "sweep/trial-1"));
}

TEST_F(SweepTest, RefusesBeforeTheFirstTrial) {
  expect({}, "there is nothing to sweep over: give `grid = lr=0.1,0.01` or `random = lr=1e-4..0.1`");
  expect({.grid = {"xx=1,2"}}, "there is no setting \"xx\" to sweep over; did you mean \"x\"?");
  expect({.grid = {"x"}}, "\"x\" is not of the form lr=0.1,0.01");
  expect({.grid = {"x=1,,2"}}, "a value is missing in \"x=1,,2\"");
  expect({.grid = {"x=1", "x=2"}}, "x is swept over twice");
  expect({.grid = {"far-away=1", "far_away=2"}}, "far_away is swept over twice");
  expect({.random = {"x=1..2"}}, "how many random choices are to be tried? Give `trials = 20`");
  expect({.grid = {"x=1"}, .trials = 3}, "`trials` is for `random`; `grid` tries every combination");
  expect({.random = {"x=2..1"}, .trials = 3}, "\"x=2..1\": the first number must be the smaller one");
  expect({.random = {"x=1"}, .trials = 3}, "\"x=1\" is not of the form width=10..200");
  expect({.random = {"mode=1..2"}, .trials = 3}, "mode is not a number: give its values to `grid`");
  expect({.grid = {"x=1"}, .figure = "score"},
         "there is no figure \"score\"; there are test score, validation error");
}

TEST_F(SweepTest, RefusesAFolderThatHoldsAnything) {
  run_sweep(recipe_, options({.grid = {"x=1"}}));
  expect_refusal(
      [&] {
        try {
          run_sweep(recipe_, options({.grid = {"x=2"}}));
        } catch (const Error& error) {
          refuse("sweep", error.what());
        }
      },
      "[sweep] " + (folder_ / "sweep").string() +
          " already holds a sweep; replace it (`force`) or choose another `out`");
  const Sweep again = run_sweep(recipe_, options({.grid = {"x=2"}, .force = true}));
  EXPECT_EQ(again.trials[0].value, 1.0);
}

// A sweep does not go on from a checkpoint: only a trial that ended is worth an earlier sweep.
TEST_F(SweepTest, AnEarlierOneComesBackUnlessATrialHadEnded) {
  ASSERT_EQ(run_sweep(recipe_, options({.grid = {"x=0,2"}})).trials.size(), 2U);
  const std::string before = read_bytes(folder_ / "sweep/sweep.csv");
  const auto die_in_trial = [&](int trial) {
    testing::in_a_process_that_dies([&] {
      Recipe dying = recipe_;
      int count = 0;
      dying.train = [&](const runs::Run& run) {
        io::write_file(run.out / "checkpoint.safetensors", "half");
        if (++count == trial) testing::die();
        return recipe_.train(run);
      };
      SweepOptions again = options({.grid = {"x=4,5"}});
      again.force = true;
      run_sweep(dying, again);
    });
    { const io::FolderLock next(folder_ / "sweep"); }
    EXPECT_EQ(folder_.list(), "sweep");
  };
  die_in_trial(1);
  EXPECT_EQ(read_bytes(folder_ / "sweep/sweep.csv"), before);
  die_in_trial(2);
  EXPECT_NE(read_bytes(folder_ / "sweep/sweep.csv"), before);
}

}  // namespace
}  // namespace likely::runs
