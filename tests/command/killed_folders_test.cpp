// What a command that was killed leaves, and what the next one makes of it: nothing of anybody else's is
// lost, and no run is traded for another behind the user's back.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/command/folders.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;

class KilledFolders : public Folders {
 protected:
  const Words train_{"train", "moons", "--quiet", "--out", "run"};

  // A finished run, and one that is killed while it replaces that, before its first checkpoint.
  void leave_a_killed_run() {
    if (!fs::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks tells when a command has begun";
    ASSERT_EQ(run(train_ + Words{"--epochs", "1", "--units", "4"}).code, 0);
    kill_early(train_ + Words{"--epochs", "100000000", "--units", "5", "--force"}, folder_ / "run");
  }
  void kill_early(const Words& words, const fs::path& out) {
    Running endless(folder_.path(), words);
    ASSERT_TRUE(endless.holds(out)) << endless.errors();
    const fs::path old = out.parent_path() / ("." + out.filename().string() + ".likely-old");
    const auto trains = [&] {
      std::error_code failed;
      return fs::exists(old / "metrics.jsonl") && fs::file_size(out / "metrics.jsonl", failed) > 0 && !failed;
    };
    for (int i = 0; i < 60'000 && !trains(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(endless.finish(SIGKILL), -SIGKILL);
    ASSERT_TRUE(fs::exists(old));
  }
  std::string units() const {
    const std::string recipe = read_bytes(folder_ / "run/recipe.json");
    const std::size_t at = recipe.find("\"units\": \"");
    return at == recipe.npos ? "" : recipe.substr(at + 10, 1);
  }
};

TEST_F(KilledFolders, LoseNothingThatSomebodyPutThereAfterwards) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  fs::rename(folder_ / "run", folder_ / "moved");
  fs::create_directory(folder_ / "run");
  write_bytes(folder_ / "run/config.json", "my own");
  write_bytes(folder_ / "run/notes.txt", "my own");
  const std::string left =
      " (.run.likely-old was left by a command that was killed, but run is not the folder that it worked in: "
      "both are left as they are)";
  expect_refused(train_, "--out run: the folder holds other things; choose another" + left);
  expect_refused({"recover", "--subjects", "3", "--quiet", "--out", "run"},
                 "run: the folder holds other things; choose another" + left);
}

TEST_F(KilledFolders, KeepALineThatWasAddedAfterwards) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  const std::string lines = read_bytes(folder_ / "run/metrics.jsonl") + "my own\n";
  write_bytes(folder_ / "run/metrics.jsonl", lines);
  const Ran refused = run(train_);
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(
      refused.err,
      "likely: run already holds a run; go on with it (likely resume run), replace it (--force) or choose "
      "another --out (a command that was to replace what run held was killed before it had anything worth "
      "keeping: what was there before is back)\n");
  EXPECT_EQ(units(), "4");
  EXPECT_EQ(read_bytes(folder_ / "run/metrics.jsonl.kept"), lines);
  EXPECT_FALSE(fs::exists(folder_ / "run/config.json.kept"));
  EXPECT_EQ(folder_.list(), "precious run trials-parameters.csv trials.tsv");
}

// What lies in the folder is what goes on.
TEST_F(KilledFolders, GoOnWithTheRunThatIsThere) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  EXPECT_EQ(units(), "5");
  for (const Words& reader :
       {Words{"plot", "run"}, Words{"eval", "run"}, Words{"predict", "run", "--in", "trials.tsv"}})
    expect_refused(reader, "run holds no finished model; finish it with: likely resume run");
  EXPECT_EQ(run({"resume", "run", "--epochs", "-1"}).code, 2);
  EXPECT_TRUE(
      fs::exists(folder_ / ".run.likely-old/model.safetensors"));  // nothing is moved for what is refused
  const Ran resumed = run({"resume", "run", "--epochs", "1", "--quiet"});
  EXPECT_EQ(resumed.code, 0);
  EXPECT_EQ(resumed.err, "likely: run was to replace an earlier run, which is kept as run.kept\n");
  EXPECT_EQ(units(), "5");
  EXPECT_TRUE(fs::exists(folder_ / "run/model.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ / "run.kept/model.safetensors"));
  EXPECT_EQ(folder_.list(), "precious run run.kept trials-parameters.csv trials.tsv");
  EXPECT_EQ(run({"eval", "run", "--quiet"}).code, 0);
  EXPECT_EQ(run({"eval", "run.kept", "--quiet"}).code, 0);
}

// Killed before there was anything to go on with.
TEST_F(KilledFolders, GoOnWithTheEarlierRunWhereThereIsNoOther) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  for (const char* const name : {"recipe.json", "config.json", "metrics.jsonl"})
    fs::remove(folder_ / "run" / name);
  const Ran resumed = run({"resume", "run", "--quiet"});
  EXPECT_EQ(resumed.code, 0);
  EXPECT_EQ(
      resumed.err,
      "likely: a command that was to replace what run held was killed before it had anything worth keeping: "
      "what was there before is back\n");
  EXPECT_EQ(units(), "4");
  EXPECT_EQ(folder_.list(), "precious run trials-parameters.csv trials.tsv");
}

TEST_F(KilledFolders, GoOnWithAllSeedsThatAreThere) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  {
    Running endless(folder_.path(),
                    train_ + Words{"--epochs", "100000000", "--units", "6", "--repeats", "2", "--force"});
    ASSERT_TRUE(endless.holds(folder_ / "run/seed-1")) << endless.errors();
    endless.finish(SIGKILL);
  }
  const Ran resumed = run({"resume", "run", "--epochs", "1", "--quiet"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(units(), "6");
  EXPECT_TRUE(fs::exists(folder_ / "run/report.json"));
}

// What was done to folders is told also where the command fails then.
TEST_F(KilledFolders, AreToldOfByAResumeThatFails) {
  ASSERT_NO_FATAL_FAILURE(leave_a_killed_run());
  if (IsSkipped()) return;
  std::string config = read_bytes(folder_ / "run/config.json");
  config.replace(config.find("\"batch\": "), 9, "\"batch\":  ");
  write_bytes(folder_ / "run/config.json", config);
  const Ran resumed = run({"resume", "run", "--epochs", "1", "--quiet"});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_TRUE(
      resumed.err.starts_with("likely: run was to replace an earlier run, which is kept as run.kept\n"
                              "likely: [fit] run/config.json: the file was changed after"))
      << resumed.err;
  EXPECT_TRUE(fs::exists(folder_ / "run.kept/model.safetensors"));
}

// One rule for the folder and for those of its seeds.
TEST_F(KilledFolders, OfASeedAreTreatedAsThatOfTheRun) {
  if (!fs::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks tells when a command has begun";
  const Words small{"--units", "4", "--quiet"};
  ASSERT_EQ(run(Words{"train", "moons", "--epochs", "1", "--seeds", "1,2", "--out", "multi"} + small).code,
            0);
  ASSERT_NO_FATAL_FAILURE(kill_early(
      Words{"train", "moons", "--epochs", "100000000", "--seed", "1", "--out", "multi/seed-1", "--force"} +
          small,
      folder_ / "multi/seed-1"));
  expect_refused({"plot", "multi", "--quiet"},
                 "multi/seed-1 holds no finished model; finish it with: likely resume multi/seed-1");
  EXPECT_TRUE(fs::exists(folder_ / "multi/.seed-1.likely-old/model.safetensors"));
  const Ran resumed = run({"resume", "multi", "--quiet"});
  EXPECT_EQ(resumed.code, 0);
  EXPECT_EQ(resumed.err,
            "likely: multi/seed-1 was to replace an earlier run, which is kept as multi/seed-1.kept\n");
  EXPECT_TRUE(fs::exists(folder_ / "multi/seed-1/model.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ / "multi/seed-1.kept/model.safetensors"));
}

// Links under the names that likely uses beside a folder.
TEST_F(KilledFolders, AreNotTakenForWhatALinkLeadsTo) {
  for (const char* const name : {".run.likely-old", ".run.likely-gone", ".run.likely-new"}) {
    SCOPED_TRACE(name);
    fs::create_directory_symlink("precious", folder_ / name);
    fs::create_directory(folder_ / "run");
    write_bytes(folder_ / "run/mine.txt", "keep me");
    expect_refused(train_, "--out run: the folder holds other things; choose another");
    fs::remove_all(folder_ / "run");
    expect_refused({"resume", "run"}, "run: there is no such folder");
    EXPECT_EQ(run(train_ + Words{"--epochs", "1", "--units", "4"}).code, 0);
    const Ran forced = run(train_ + Words{"--epochs", "1", "--units", "4", "--force"});
    EXPECT_EQ(forced.code, 0);
    const bool needed = std::string(name) == ".run.likely-old";
    EXPECT_EQ(forced.err, needed ? "likely: .run.likely-old was in the way: it is kept as run.kept\n" : "");
    EXPECT_EQ(read_bytes(folder_ / "precious/letter.txt"), "keep me");
    EXPECT_EQ(fs::read_symlink(folder_ / (needed ? "run.kept" : name)), "precious");
    fs::remove(folder_ / (needed ? "run.kept" : name));
    fs::remove_all(folder_ / "run");
  }
}

TEST_F(KilledFolders, AreNotTidiedOfWhatOnlyLooksUnfinished) {
  fs::create_directory(folder_ / "run");
  write_bytes(folder_ / "run/.draft.99999999.7.tmp", "mine");
  expect_refused(train_, "--out run: the folder holds other things; choose another");
}

// Pictures are not drawn into somebody else's folder.
TEST_F(KilledFolders, AreNotLeftThroughALink) {
  ASSERT_EQ(run(train_ + Words{"--epochs", "1", "--units", "4"}).code, 0);
  const auto precious = snapshot(folder_ / "precious");
  for (const Words& command : {Words{"plot", "run"}, Words{"resume", "run", "--epochs", "2", "--quiet"}}) {
    fs::remove_all(folder_ / "run/figures");
    fs::create_directory_symlink("../precious", folder_ / "run/figures");
    const Ran ran = run(command);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "likely: run/figures was somebody else's: it is kept as figures.kept\n");
    EXPECT_EQ(snapshot(folder_ / "precious"), precious);
    fs::remove(folder_ / "run/figures.kept");
  }
}

TEST_F(KilledFolders, AreNotTheRootOfAllFolders) {
  expect_refused({"train", "moons", "--out", "/", "--force"},
                 "--out /: this is the root of all folders; name one in it");
  expect_refused({"recover", "--out", "//"}, "//: this is the root of all folders; name one in it");
}

// What was computed is told where it cannot be written.
TEST_F(KilledFolders, AreNotNeededForTheSummary) {
  ASSERT_EQ(run({"simulate", "--subjects", "20", "--trials", "60", "--out", "many.tsv"}).code, 0);
  const std::string fit = "likely fit many.tsv --method mle --no-figures --quiet";
  const Ran whole = shell(folder_.path().string(), fit);
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Ran failed = shell(folder_.path().string(), "ulimit -f 40; " + fit + " --out fitted");
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.out, whole.out);
  EXPECT_NE(failed.err.find("fitted/trials"), std::string::npos) << failed.err;
  EXPECT_EQ(failed.err.find(".likely-new"), std::string::npos) << failed.err;
  EXPECT_FALSE(fs::exists(folder_ / "fitted"));
}

TEST_F(KilledFolders, AreNotSpoiledByAResumeThatFails) {
  ASSERT_EQ(run(train_ + Words{"--epochs", "1", "--units", "4"}).code, 0);
  fs::rename(folder_ / "run/metrics.jsonl", folder_ / "elsewhere");
  fs::create_symlink("../elsewhere", folder_ / "run/metrics.jsonl");
  const Ran refused = run({"resume", "run", "--quiet"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(
      refused.err,
      "likely: [fit] \"run/metrics.jsonl\" is a link, or was changed: put the file there that the training "
      "wrote\n");
  EXPECT_TRUE(fs::is_symlink(folder_ / "run/metrics.jsonl"));
  EXPECT_FALSE(fs::exists(folder_ / "run/metrics.jsonl.kept"));
  fs::rename(folder_ / "elsewhere", folder_ / "run/metrics.jsonl");
  const Ran resumed = run({"resume", "run", "--epochs", "2", "--quiet"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

}  // namespace
}  // namespace likely::testing
