// Every call by which a command changes files fails in turn, or the command is killed there, and so does
// every allocation. Afterwards there are the old results or the new ones, whole, never neither and never a
// mixture; who goes on gets the same bits as if nothing had happened; nothing is left lying about; and a
// command that did not do its work says so and ends with a documented code.
//
// As a test, some calls of each command; with LIKELY_FAULTS=all every call in every way, and every place in
// the program that allocates.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/faults/stage.hpp"
#include "tests/faults/supervisor.hpp"

namespace likely::faults {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::TemporaryFolder;

constexpr std::array kWays{How::kill, How::no_room, How::error, How::cut_short};

class Faults : public ::testing::TestWithParam<std::string> {
 protected:
  static Scenario scenario() {
    for (const Scenario& one : scenarios()) {
      if (one.name == GetParam()) return one;
    }
    throw std::logic_error("no such scenario");
  }
  void SetUp() override {
    if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  }
  // What the others rest upon: the command works, has results, and they are not the earlier ones.
  static void check(const Stage& stage) {
    ASSERT_EQ(stage.whole().code, 0) << stage.whole().errors;
    ASSERT_FALSE(stage.new_results().empty());
    ASSERT_NE(stage.new_results(), stage.old_results());
    const bool over_others = GetParam().ends_with("Instead");
    if (over_others) {
      ASSERT_FALSE(stage.old_results().empty());
    }
  }
};

TEST_P(Faults, OfTheDisk) {
  Stage stage(scenario());
  ASSERT_NO_FATAL_FAILURE(check(stage));
  const std::size_t calls = stage.whole().calls.size();
  ASSERT_GT(calls, 2U);
  if (all_of_them()) {
    for (const How how : kWays) {
      for (std::size_t at = 0; at < calls; ++at) stage.play({how, at});
    }
    return;
  }
  // Spread over the whole, each way in its turn.
  const std::size_t some = std::min<std::size_t>(6, calls);
  for (std::size_t i = 0; i < some; ++i) stage.play({kWays[i % kWays.size()], i * calls / some});
}

TEST_P(Faults, OfMemory) {
  Stage stage(scenario());
  ASSERT_NO_FATAL_FAILURE(check(stage));
  const std::vector<std::uint64_t> numbers = stage.allocations();
  ASSERT_GT(numbers.size(), 100U);
  const std::size_t some = all_of_them() ? numbers.size() : 5;
  for (std::size_t i = 0; i < some; ++i) {
    const std::uint64_t at = numbers[(2 * i + 1) * numbers.size() / (2 * some)];
    SCOPED_TRACE("allocation " + std::to_string(at));
    stage.play({}, Stage::failing_allocation(at));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(scenario_names()),
                         [](const auto& name) { return name.param; });

// A new command that writes is one more scenario; and each that replaces has one over earlier results.
TEST(Scenarios, HaveEveryCommandThatWrites) {
  const TemporaryFolder folder;
  const auto help_of = [&](const std::string& command) {
    const std::string line =
        std::string(LIKELY_COMMAND) + " " + command + " --help > " + (folder / "help").string();
    EXPECT_EQ(std::system(line.c_str()), 0);
    return read_bytes(folder / "help");
  };
  const auto tried = [](const std::string& command, const std::string& option) {
    for (const Scenario& one : scenarios()) {
      if (one.command[0] == command &&
          std::find(one.command.begin(), one.command.end(), option) != one.command.end())
        return true;
    }
    return false;
  };
  std::istringstream lines(help_of(""));
  int found = 0;
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (listed && line.starts_with("  ") && line[2] != ' ') {
      const std::string command = line.substr(2, line.find(' ', 2) - 2);
      // A recipe has options of its own.
      const std::string help = help_of(command == "train" ? "train csv" : command);
      for (const char* const option : {"--out", "--to", "--force"}) {
        if (help.find(std::string("  ") + option + " ") == std::string::npos) continue;
        ++found;
        EXPECT_TRUE(tried(command, option)) << "no scenario has " << command << " " << option;
      }
    }
    listed = listed ? !line.empty() : line == "Subcommands:";
  }
  EXPECT_GE(found, 13);
}

// A disk that has less room than the model of a table needs: that is said before anything is learned, and
// what was there stays.
TEST(FullDisk, IsSeenBeforeATableIsLearned) {
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  const TemporaryFolder folder;
  prepare_files(folder.path());
  const auto train = [&](const std::string& seed, const std::string& hidden, const std::string& free) {
    Environment environment{{"OMP_NUM_THREADS", "1"}, {"PATH", folder.path().string()}};
    if (!free.empty()) {
      environment["LD_PRELOAD"] = LIKELY_FULL_DISK;
      environment["LIKELY_DISK_FREE"] = free;
    }
    return supervise(
        {LIKELY_COMMAND, "train", "csv", "--in", "table.csv", "--epochs", "1", "--folds", "0", "--members",
         "1", "--hidden", hidden, "--seed", seed, "--out", "run", "--force", "--quiet"},
        folder.path(), environment);
  };
  // 3 features (a number, two words), 2 classes: 2 ((3 + 1) 2 + (3 + 1) 100000 + (100000 + 1) 2) 4 + 2 96 +
  // 1000000 bytes.
  const std::string too_little =
      "likely: no room in \"run\": 5.5 MB are free, the model and its pictures need 5.8 MB\n";
  const Outcome refused = train("1", "100000", "5500000");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.errors, too_little);
  EXPECT_FALSE(fs::exists(folder / "run"));

  ASSERT_EQ(train("2", "3", "").code, 0);
  const std::string before = whole_of(folder / "run");
  const Outcome again = train("1", "100000", "5500000");
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(again.errors, too_little);
  EXPECT_EQ(whole_of(folder / "run"), before);
  // And where there is room for nothing at all.
  const Outcome none = train("1", "3", "50000");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.errors, "likely: no room in \"run\": 0.0 MB are free, results need at least 0.1 MB\n");
  EXPECT_EQ(whole_of(folder / "run"), before);
  // With room it is learned.
  EXPECT_EQ(train("1", "3", "2000000").code, 0);
  EXPECT_NE(whole_of(folder / "run"), before);
}

// Likewise of what is fitted, for hours perhaps: by its trials, subjects and draws.
TEST(FullDisk, IsSeenBeforeAStudyIsFitted) {
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  const TemporaryFolder folder;
  prepare_files(folder.path());
  const auto fit = [&](const std::string& samples, const std::string& free) {
    const Environment environment{{"OMP_NUM_THREADS", "1"},
                                  {"PATH", folder.path().string()},
                                  {"LD_PRELOAD", LIKELY_FULL_DISK},
                                  {"LIKELY_DISK_FREE", free}};
    return supervise({LIKELY_COMMAND, "fit", "trials.tsv", "--method", "nuts", "--samples", samples,
                      "--warm-up", "20", "--no-figures", "--out", "results", "--quiet"},
                     folder.path(), environment);
  };
  const Outcome refused = fit("100000000", "1000000000");
  EXPECT_EQ(refused.code, 1);
  // 4 chains, and 6 numbers of 25 characters in each draw; the rest is far less.
  EXPECT_EQ(refused.errors,
            "likely: no room in \"results\": 1000.0 MB are free, the results need about 60000.1 MB\n");
  EXPECT_FALSE(fs::exists(folder / "results"));
  const Outcome fitted = fit("20", "1000000");
  EXPECT_EQ(fitted.code, 0) << fitted.errors;
}

// Power may fail right after a renaming: what has its name then must be on the disk, as it was last written.
TEST(Supervisor, SeesThatWhatIsRenamedWasSynced) {
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  int folders = 0;
  for (const Scenario& scenario : scenarios()) {
    SCOPED_TRACE(scenario.name);
    const Stage stage(scenario);
    ASSERT_EQ(stage.whole().code, 0) << stage.whole().errors;
    std::map<std::string, bool> synced;            // by the name of the unfinished file
    std::map<fs::path, std::string> to_be_synced;  // folders in which something has got its name since
    int renamed = 0;
    for (const std::string& call : stage.whole().calls) {
      std::istringstream words(call);
      std::string what, path, to;
      words >> what >> path >> to;
      const fs::path whole_path = fs::weakly_canonical(stage.folder() / path);
      if (what == "rename") to_be_synced[fs::weakly_canonical(stage.folder() / to).parent_path()] = call;
      if (what == "fsync") to_be_synced.erase(whole_path);
      // What is in a folder must be on the disk before it gets the name of the results.
      if (what == "rename" && to.ends_with(".likely-new")) {
        ++folders;
        EXPECT_FALSE(to_be_synced.contains(fs::weakly_canonical(stage.folder() / to))) << call;
      }
      const std::string file = fs::path(path).filename().string();
      if (!file.ends_with(".likely-tmp")) continue;
      if (what == "write" || what == "pwrite" || what == "writev") synced[file] = false;
      if (what == "fsync" || what == "fdatasync") synced[file] = true;
      if (what != "rename") continue;
      ++renamed;
      EXPECT_TRUE(synced[file]) << call;
    }
    EXPECT_GT(renamed, 0);
    // A name is on the disk when its folder is.
    for (const auto& [folder, call] : to_be_synced)
      ADD_FAILURE() << "\"" << folder.filename().string() << "\" was not synced after: " << call;
  }
  EXPECT_GT(folders, 4);
}

// The supervisor itself: what it promises is so.
TEST(Supervisor, SeesCallsAndLetsThemFail) {
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  const TemporaryFolder folder;
  const Command command{"/bin/sh", "-c", "echo one > a; mv a b; echo text > /dev/null"};
  const Outcome whole = supervise(command, folder.path(), {});
  EXPECT_EQ(whole.code, 0);
  ASSERT_EQ(whole.calls.size(), 3U);
  EXPECT_EQ(whole.calls[0], "open a");
  EXPECT_EQ(whole.calls[1], "write " + (folder / "a").string());
  EXPECT_TRUE(whole.calls[2].starts_with("rename a b")) << whole.calls[2];
  fs::remove(folder / "b");

  EXPECT_EQ(supervise(command, folder.path(), {}, {How::kill, 2}).code, -1);
  EXPECT_EQ(folder.list(), "a");
  EXPECT_EQ(read_bytes(folder / "a"), "one\n");

  EXPECT_NE(supervise(command, folder.path(), {}, {How::error, 2}).errors.find("Input/output error"),
            std::string::npos);
  EXPECT_NE(supervise(command, folder.path(), {}, {How::no_room, 0}).errors.find("No space left"),
            std::string::npos);
}

// And so does what lets allocations fail: it counts from main() on, sees places, and one of them fails.
TEST(FailingMemory, CountsFromTheBeginningOfMain) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& fails_at) {
    return supervise({LIKELY_COMMAND, "--version"}, folder.path(),
                     {{"LD_PRELOAD", LIKELY_FAILING_MEMORY},
                      {"LIKELY_MEMORY_FAILS_AT", fails_at},
                      {"LIKELY_MEMORY_PLACES", (folder / "places").string()}});
  };
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  EXPECT_EQ(run("0").code, 0);
  const std::string places = read_bytes(folder / "places");
  EXPECT_TRUE(places.starts_with("1 ")) << "no allocation is the first";
  EXPECT_EQ(run("0").code, 0);
  EXPECT_EQ(read_bytes(folder / "places"), places) << "a place has another name in each run";
  const Outcome failed = run("1");
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.errors, "likely: there is not enough memory\n");
}

}  // namespace
}  // namespace likely::faults
