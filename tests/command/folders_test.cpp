// Every command that writes into a folder leaves alone what is not its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "likely/io/file_print.hpp"
#include "likely/io/folder_list.hpp"
#include "tests/command/folders.hpp"
#include "tests/support/other_process.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;
// A new command that makes a folder is one more of them.
TEST(MakersOfFolders, AreAllCommandsWithOut) {
  int found = 0;
  for (const std::string& name : command_names()) {
    // A recipe has options of its own.
    const Words words = name == "train" ? Words{name, "moons", "--help"} : Words{name, "--help"};
    const std::string help = likely_command(".", words).out;
    if (help.find("--out DIR") == std::string::npos) continue;
    ++found;
    EXPECT_NE(help.find("--force"), std::string::npos) << name;
    EXPECT_TRUE(std::any_of(kWriters.begin(), kWriters.end(), [&](const Writer& writer) {
      return writer.quick[0] == name && writer.endless[0] == name;
    })) << name;
  }
  EXPECT_EQ(found, static_cast<int>(kWriters.size()));
}

TEST_F(Folders, AreNotNamedThroughWhatIsNotThere) {
  const std::string at = fs::canonical(folder_.path()).string();
  for (const Writer& writer : kWriters) {
    for (const Words& forced : {Words{}, Words{"--force"}}) {
      for (const auto& [out, missing] :
           std::map<std::string, std::string>{{"new/..", "/new"},
                                              {"typo/../precious", "/typo"},
                                              {"precious/a/../inner/../..", "/precious/a"}})
        expect_refused(writer.quick + forced + Words{"--out", out},
                       out + ": there is no folder " + at + missing + " to go back from with \"..\"");
    }
  }
}

// As with a shell's variable that is not set.
TEST_F(Folders, AndFilesHaveNames) {
  for (const Writer& writer : kWriters) {
    for (const Words& forced : {Words{}, Words{"--force"}})
      expect_refused(writer.quick + forced + Words{"--out", ""}, "--out is empty");
  }
  expect_refused({"simulate", "--out", ""}, "--out is empty");
  expect_refused({"simulate", "--out", "t.tsv", "--parameters", ""}, "--parameters is empty");
  expect_refused({"train", "csv", "--in", "", "--out", "run"}, "--data is empty");
  expect_refused({"predict", "run", "--in", "rows.csv", "--to", ""}, "--to is empty");
  expect_refused({"resume", ""}, "folder is empty");
}

TEST_F(Folders, OfOthersAreRefused) {
  fs::create_symlink("precious", folder_ / "link");
  for (const Writer& writer : kWriters) {
    const bool in_place = writer.quick[0] == "train" || writer.quick[0] == "sweep";
    const std::string option = in_place ? "--out " : "";
    for (const Words& forced : {Words{}, Words{"--force"}}) {
      for (const std::string out : {"precious", "precious/inner/..", ".", "link"})
        expect_refused(writer.quick + forced + Words{"--out", out},
                       option + out + ": the folder holds other things; choose another");
      expect_refused(writer.quick + forced + Words{"--out", "precious/letter.txt"},
                     option + "precious/letter.txt: this is a file, not a folder");
    }
  }
}

TEST_F(Folders, KeepWhatOthersPutThereMeanwhile) {
  if (!fs::exists("/proc/locks")) GTEST_SKIP() << "no /proc/locks tells when a command has begun";
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.quick[0]);
    bool seen = false;
    for (int attempt = 0; attempt < 30 && !seen; ++attempt) {
      fs::remove_all(folder_ / "results");
      Running quick(folder_.path(), writer.quick + Words{"--out", "results"});
      if (!quick.holds(folder_ / "results")) continue;
      quick.send(SIGSTOP);
      seen = fs::is_directory(folder_ / "results") && !fs::exists(folder_ / "results" / writer.result);
      write_bytes(folder_ / "results/theirs.txt", "keep me");
      quick.send(SIGCONT);
      const int code = quick.finish();
      EXPECT_EQ(read_bytes(folder_ / "results/theirs.txt"), "keep me");
      // It came before the command had looked into the folder that it had just locked.
      if (code == 2 && quick.errors().find("the folder holds other things") != std::string::npos) {
        seen = false;
        continue;
      }
      EXPECT_EQ(code, 0) << quick.errors();
      EXPECT_TRUE(fs::exists(folder_ / "results" / writer.result));
      EXPECT_EQ(folder_.list(), "precious results trials-parameters.csv trials.tsv");
    }
    EXPECT_TRUE(seen) << "it was never seen at work";
    fs::remove_all(folder_ / "results");
  }
}

TEST_F(Folders, OfRunsHaveOneWriter) {
  const Words train{"train", "moons", "--epochs", "1", "--units", "4", "--quiet", "--out", "run"};
  ASSERT_EQ(run(train + Words{"--seeds", "1,2"}).code, 0);
  {
    const OtherProcess other(folder_ / "run");
    expect_refused({"resume", "run"}, "another process is writing to run");
    expect_refused({"plot", "run"}, "another process is writing to run");
    expect_refused(train + Words{"--force"}, "another process is writing to run");
    EXPECT_EQ(run({"eval", "run", "--quiet"}).code, 0);  // which only reads
  }
  const OtherProcess below(folder_ / "run/seed-2");
  expect_refused({"resume", "run/seed-2"}, "another process is writing to run/seed-2");
  expect_refused(train + Words{"--force"}, "another process is writing to run/seed-2");
}

TEST_F(Folders, TakeTheLongestNames) {
  const std::string name(255, 'n');
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.quick[0]);
    for (const Words& forced : {Words{}, Words{"--force"}}) {
      const Ran ran = run(writer.quick + forced + Words{"--out", name});
      EXPECT_EQ(ran.code, 0) << ran.err;
    }
    EXPECT_TRUE(fs::exists(folder_ / name / writer.result));
    EXPECT_EQ(folder_.list(), name + " precious trials-parameters.csv trials.tsv");
    fs::remove_all(folder_ / name);
  }
}

// What the dead have left in a folder of results goes also where the next command is refused.
TEST_F(Folders, AreTidiedByRefusedCommands) {
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.quick[0]);
    const Words into = writer.quick + Words{"--out", "results"};
    ASSERT_EQ(run(into).code, 0);
    const auto before = snapshot(folder_ / "results");
    fs::create_directories(folder_ / "results/figures/.likely-figure-q1W2e3");
    write_bytes(folder_ / "results/figures/.likely-figure-q1W2e3/draw.gp", "half");
    write_bytes(folder_ / "results/figures/.loss.png.4000000.1.likely-tmp", "half");
    EXPECT_EQ(run(into).code, 2);
    std::error_code failed;
    fs::remove(folder_ / "results/figures", failed);  // where it is empty
    auto after = snapshot(folder_ / "results");
    EXPECT_TRUE(after == before);
    fs::remove_all(folder_ / "results");
  }
}

// Lists that lie about, or were forged, do not lead out of the folder, nor do links in it.
TEST_F(Folders, OfOthersAreNotReachedThroughLinks) {
  const Words train{"train", "moons", "--epochs", "1", "--units", "4", "--quiet", "--out", "run"};
  ASSERT_EQ(run(train).code, 0);
  fs::create_directories(folder_ / "home");
  for (const char* const list : {".likely-replaced", ".likely-made"}) {
    write_bytes(folder_ / "home/secret", "keep me");
    fs::create_directories(folder_ / ".run.likely-old");
    fs::create_directory_symlink("../home", folder_ / ".run.likely-old/link");
    io::detail::ListWriter forged;
    const fs::path left = fs::canonical(folder_ / ".run.likely-old");
    ASSERT_EQ(forged.begin(left / list, *io::detail::folder_print_of(left)), 0);
    ASSERT_EQ(forged.note({{"link/secret", io::detail::prints_of(folder_ / "home/secret")}}), 0);
    forged.end();
    ASSERT_TRUE(io::detail::read_list(left / list)->noted.contains("link/secret"));
    run({"plot", "run"});
    EXPECT_EQ(read_bytes(folder_ / "home/secret"), "keep me") << list;
    fs::remove_all(folder_ / ".run.likely-old");
    fs::remove(folder_ / "run/link");
  }
  // A link in a run folder is set aside, and what it leads to is not written to.
  fs::remove(folder_ / "run/report.json");
  write_bytes(folder_ / "victim", "theirs");
  fs::create_symlink("../victim", folder_ / "run/report.json");
  const Ran resumed = run({"resume", "run", "--epochs", "2", "--quiet"});
  EXPECT_EQ(read_bytes(folder_ / "victim"), "theirs");
  EXPECT_FALSE(fs::is_symlink(folder_ / "run/report.json")) << resumed.err;
}

}  // namespace
}  // namespace likely::testing
