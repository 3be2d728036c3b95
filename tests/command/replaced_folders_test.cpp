// What a command replaces, and when: never by accident, never by something worse, never its own input.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/command/folders.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;

class ReplacedFolders : public Folders {};

TEST_F(ReplacedFolders, AreReplacedOnlyByForceAndLeaveNothingBeside) {
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.quick[0]);
    const Words into = writer.quick + Words{"--out", "results"};
    ASSERT_EQ(run(into).code, 0);
    const auto first = snapshot(folder_ / "results");
    EXPECT_EQ(first.count(writer.result), 1U);
    const Ran refused = run(into);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
    EXPECT_EQ(snapshot(folder_ / "results"), first);
    // Through a link, which stays one.
    fs::create_symlink("results", folder_ / "link");
    const Ran replaced = run(writer.quick + Words{"--out", "link", "--force"});
    EXPECT_EQ(replaced.code, 0) << replaced.err;
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(folder_.list(), "link precious results trials-parameters.csv trials.tsv");
    fs::remove(folder_ / "link");
    fs::remove_all(folder_ / "results");
  }
}

// One that works is started over earlier results; meanwhile another comes, and somebody writes there; then it
// is killed.
TEST_F(ReplacedFolders, HaveOneWriterAndSurviveItsDeath) {
  if (!fs::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks tells when a command has begun";
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.quick[0]);
    ASSERT_EQ(run(writer.quick + Words{"--out", "results"}).code, 0);
    {
      Running endless(folder_.path(), writer.endless + Words{"--out", "results", "--force"});
      ASSERT_TRUE(endless.holds(folder_ / "results")) << endless.errors();
      for (const Words& forced : {Words{}, Words{"--force"}}) {
        const Ran second = run(writer.quick + forced + Words{"--out", "results"});
        EXPECT_EQ(second.code, 2);
        EXPECT_EQ(second.err, "likely: another process is writing to results\n");
      }
      write_bytes(folder_ / "results/theirs.txt", "keep me");
      endless.finish(SIGKILL);
    }
    // Whatever was going on, the next one finds results, and puts everything in its place.
    const Ran next = run(writer.quick + Words{"--out", "results"});
    EXPECT_EQ(next.code, 2);
    EXPECT_NE(next.err.find("results already holds"), std::string::npos) << next.err;
    EXPECT_EQ(read_bytes(folder_ / "results/theirs.txt"), "keep me");
    EXPECT_EQ(folder_.list(), "precious results trials-parameters.csv trials.tsv");
    const Ran forced = run(writer.quick + Words{"--out", "results", "--force"});
    EXPECT_EQ(forced.code, 0) << forced.err;
    EXPECT_EQ(folder_.list(), "precious results trials-parameters.csv trials.tsv");
    for (const auto& [name, contents] : snapshot(folder_ / "results"))
      EXPECT_FALSE(fs::path(name).filename().string().starts_with(".")) << name;
    fs::remove_all(folder_ / "results");
  }
}

// A training that comes to nothing is not worth one that did, however it ends.
TEST_F(ReplacedFolders, KeepAFinishedRunFromOneThatComesToNothing) {
  const Words train{"train", "linear-regression", "--quiet", "--out", "run"};
  ASSERT_EQ(run(train + Words{"--epochs", "1"}).code, 0);
  const auto finished = snapshot(folder_ / "run");
  const Ran diverged = run(train + Words{"--force", "--epochs", "3", "--lr", "1e300"});
  EXPECT_EQ(diverged.code, 2);
  EXPECT_NE(diverged.err.find("not finite"), std::string::npos) << diverged.err;
  EXPECT_EQ(diverged.err.find("checkpoint"), std::string::npos) << diverged.err;
  EXPECT_TRUE(snapshot(folder_ / "run") == finished);  // too long to be printed
  EXPECT_EQ(folder_.list(), "precious run trials-parameters.csv trials.tsv");

  if (!fs::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks tells when a command has begun";
  Running endless(folder_.path(), train + Words{"--force", "--epochs", "100000000"});
  ASSERT_TRUE(endless.holds(folder_ / "run")) << endless.errors();
  const auto trains = [&] {
    return fs::exists(folder_ / ".run.likely-old/metrics.jsonl") && fs::exists(folder_ / "run/metrics.jsonl");
  };
  for (int i = 0; i < 60'000 && !trains(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  endless.finish(SIGKILL);
  EXPECT_EQ(run(train).code, 2);  // which has the folder for a moment
  EXPECT_TRUE(snapshot(folder_ / "run") == finished);
  EXPECT_EQ(folder_.list(), "precious run trials-parameters.csv trials.tsv");
}

// --force replaces what a folder holds, but never what the same command reads.
TEST_F(ReplacedFolders, AreNotReplacedWhereTheyHoldTheInput) {
  std::string table = "x,y\n";
  for (int i = 0; i < 20; ++i)
    table += std::to_string(i % 7) + "." + std::to_string(i) + (i % 3 == 0 ? ",a\n" : ",b\n");
  write_bytes(folder_ / "table.csv", table);
  const Words csv{"train", "csv",      "--epochs", "1",     "--members", "1",      "--folds",
                  "0",     "--hidden", "3",        "--out", "run",       "--quiet"};
  ASSERT_EQ(run(csv + Words{"--in", "table.csv"}).code, 0);
  write_bytes(folder_ / "run/table.csv", table);
  const std::string at = folder_.path().string();
  expect_refused(
      csv + Words{"--force", "--in", "run/table.csv"},
      "--out run: this would replace " + at + "/run/table.csv, which is to be read; choose another --out");
  expect_refused(
      {"sweep", "csv", "--grid", "lr=0.1", "--in", "run/table.csv", "--out", "run", "--force", "--quiet"},
      "--out run: the folder holds other things; choose another");

  const Words sweep{"sweep",     "csv",   "--grid",  "lr=0.01", "--set", "epochs=1", "--set",
                    "members=1", "--set", "folds=0", "--out",   "swept", "--quiet"};
  ASSERT_EQ(run(sweep + Words{"--in", "table.csv"}).code, 0);
  write_bytes(folder_ / "swept/table.csv", table);
  expect_refused(
      sweep + Words{"--force", "--in", "swept/table.csv"},
      "--out swept: this would replace swept/table.csv, which is to be read; choose another --out");
  // Also what only some of the trials read.
  std::string inputs = "x\n", targets = "y\n";
  for (int i = 0; i < 20; ++i) {
    inputs += std::to_string(i % 7) + "." + std::to_string(i) + "\n";
    targets += i % 3 == 0 ? "a\n" : "b\n";
  }
  write_bytes(folder_ / "x.csv", inputs);
  write_bytes(folder_ / "y.csv", targets);
  write_bytes(folder_ / "swept/y3.csv", targets);
  for (const char* const how : {"--set", "--grid"})
    expect_refused(sweep + Words{"--force", "--in", "x.csv", how,
                                 std::string("target_file=") +
                                     (how == std::string("--grid") ? "y.csv," : "") + "swept/y3.csv"},
                   "--out swept: this would replace swept/y3.csv, which is to be read; choose another --out");

  const Words fit{"--method", "mle", "--no-figures", "--quiet", "--out", "fitted"};
  for (const std::string command : {"fit", "compare"}) {
    const Words models{"--model", command == "fit" ? "rw" : "rw,random"};
    ASSERT_EQ(run(Words{command, "trials.tsv"} + models + fit).code, 0);
    fs::copy(folder_ / "trials.tsv", folder_ / "fitted/trials.tsv");
    expect_refused(Words{command, "fitted/trials.tsv", "--force"} + models + fit,
                   "fitted: this would replace fitted/trials.tsv, which is to be read; choose another --out");
    write_bytes(folder_ / "fitted/age.csv", "subjID,age\n1,3\n2,4\n");
    expect_refused(Words{command, "trials.tsv", "--force", "--method", "em", "--covariates", "fitted/age.csv",
                         "--out", "fitted", "--quiet"} +
                       models,
                   "fitted: this would replace fitted/age.csv, which is to be read; choose another --out");
    fs::remove_all(folder_ / "fitted");
  }

  const Words simulate{"simulate", "--trials", "5", "--out", "trials.tsv", "--force"};
  expect_refused(simulate + Words{"--parameters", "trials-parameters.csv"},
                 "--out trials.tsv: this would replace trials-parameters.csv, which is to be read; choose "
                 "another --out");
  fs::create_symlink("trials-parameters.csv", folder_ / "link.csv");
  expect_refused(simulate + Words{"--parameters", "link.csv"},
                 "--out trials.tsv: this would replace link.csv, which is to be read; choose another --out");

  write_bytes(folder_ / "rows.csv", "x\n1\n");
  expect_refused({"predict", "run", "--in", "rows.csv", "--to", "table.csv"},
                 "--to table.csv: the model learned from this file");
  expect_refused({"predict", "run", "--in", "rows.csv", "--to", "run/figures/../table.json"},
                 "--to run/figures/../table.json: this file belongs to the run");
}

// A sweep of which nothing came is not worth one of which something did.
TEST_F(ReplacedFolders, KeepASweepFromOneInWhichAllTrialsFail) {
  const Words sweep{"sweep", "linear-regression", "--set", "epochs=3", "--out", "swept", "--quiet"};
  ASSERT_EQ(run(sweep + Words{"--grid", "lr=0.1"}).code, 0);
  const auto before = snapshot(folder_ / "swept");
  const Ran failed = run(sweep + Words{"--grid", "lr=1e300,1e301", "--force"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.err, "likely: no trial succeeded: the sweep that swept held is kept\n");
  EXPECT_EQ(failed.out.find("table: "), std::string::npos) << failed.out;
  EXPECT_TRUE(snapshot(folder_ / "swept") == before);
  EXPECT_EQ(folder_.list(), "precious swept trials-parameters.csv trials.tsv");
  // Where there was none, what failed is in the table.
  const Ran first = run(
      {"sweep", "linear-regression", "--set", "epochs=3", "--out", "new", "--quiet", "--grid", "lr=1e300"});
  EXPECT_EQ(first.code, 1);
  EXPECT_NE(read_bytes(folder_ / "new/sweep.csv").find("not finite"), std::string::npos);
}

TEST_F(ReplacedFolders, SimulationsAreNotOverwritten) {
  const Words simulate{"simulate", "--subjects", "1", "--trials", "5", "--out"};
  expect_refused(simulate + Words{"trials.tsv"},
                 "trials.tsv is there already; replace it (--force) or choose another --out");
  expect_refused(simulate + Words{"new.tsv.gz"},
                 "--out new.tsv.gz: trials are written as plain text; leave .gz out");
  fs::remove(folder_ / "trials.tsv");
  expect_refused(simulate + Words{"trials.tsv"},
                 "trials-parameters.csv is there already; replace it (--force) or choose another --out");
  EXPECT_EQ(run(simulate + Words{"trials.tsv", "--force"}).code, 0);
  const std::string trials = read_bytes(folder_ / "trials.tsv");
  EXPECT_EQ(std::count(trials.begin(), trials.end(), '\n'), 6);
  // The trials go through the link to where the parameters were to be.
  fs::create_symlink("link-parameters.csv", folder_ / "link.tsv");
  EXPECT_EQ(run(simulate + Words{"link.tsv"}).code, 2);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.tsv"));
}

}  // namespace
}  // namespace likely::testing
