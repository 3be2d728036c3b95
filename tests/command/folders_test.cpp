// Every command that writes into a folder leaves alone what is not its own.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/command/command.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A command that takes --out FOLDER and --force.
struct Writer {
  Words quick;         // done within a second
  Words endless;       // goes on until it is killed
  std::string result;  // a file of what it makes
};

const std::vector<Writer> kWriters = {
    {{"train", "moons", "--epochs", "1", "--units", "4", "--quiet"},
     {"train", "moons", "--epochs", "100000000", "--units", "4", "--quiet"},
     "model.safetensors"},
    {{"sweep", "linear-regression", "--grid", "lr=0.1", "--set", "epochs=1", "--quiet"},
     {"sweep", "linear-regression", "--grid", "lr=0.1", "--set", "epochs=100000000", "--quiet"},
     "trial-1/report.json"},
    {{"fit", "trials.tsv", "--method", "mle", "--no-figures", "--quiet"},
     {"fit", "trials.tsv", "--method", "nuts", "--samples", "1000000", "--quiet"},
     "fit.json"},
    {{"compare", "trials.tsv", "--model", "rw,random", "--method", "mle", "--no-figures", "--quiet"},
     {"compare", "trials.tsv", "--model", "rw,ck", "--method", "nuts", "--samples", "1000000", "--quiet"},
     "compare.json"},
    {{"recover", "--subjects", "3", "--trials", "20", "--starts", "1", "--no-figures", "--quiet"},
     {"recover", "--subjects", "200000", "--trials", "20", "--quiet"},
     "recover.json"}};

// Everything below a folder: what files hold, where links lead.
std::map<std::string, std::string> snapshot(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    all[name] = entry.is_symlink()     ? "-> " + fs::read_symlink(entry.path()).string()
                : entry.is_directory() ? "/"
                                       : read_bytes(entry.path());
  }
  return all;
}

// A process that is running, or was.
class Running {
 public:
  Running(const fs::path& folder, const Words& words)
      : child_(start_command(folder.string(), words, (said_ / "out").string(), (said_ / "err").string())) {}
  ~Running() {
    if (child_ > 0) finish(SIGKILL);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Waits until it holds a lock on this folder. False where it ended before.
  bool holds(const fs::path& folder) {
    for (int i = 0; i < 60'000; ++i) {
      struct stat there {};
      if (stat(folder.c_str(), &there) == 0) {
        std::ifstream locks("/proc/locks");
        const std::string inode = ":" + std::to_string(there.st_ino) + " ";
        const std::string whose = " " + std::to_string(child_) + " ";
        for (std::string line; std::getline(locks, line);) {
          if (line.find(inode) != std::string::npos && line.find(whose) != std::string::npos) return true;
        }
      }
      if (kill(child_, 0) != 0) return false;
      siginfo_t ended{};
      if (waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          ended.si_pid == child_)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  void send(int signal) const { kill(child_, signal); }
  int finish(int signal = 0) {
    if (signal != 0) kill(child_, signal);
    const int code = wait_for(child_);
    child_ = -1;
    return code;
  }
  std::string errors() const { return read_bytes(said_ / "err"); }

 private:
  TemporaryFolder said_;
  pid_t child_;
};

class Folders : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "precious/inner");
    write_bytes(folder_ / "precious/letter.txt", "keep me");
    write_bytes(folder_ / "precious/inner/photo", "keep me, too");
    const Ran made = run({"simulate", "--subjects", "2", "--trials", "20", "--out", "trials.tsv"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  Ran run(const Words& words) const { return likely_command(folder_.path().string(), words); }
  // Exit code 2, one line, and everything as before.
  void expect_refused(const Words& words, const std::string& line) const {
    const auto before = snapshot(folder_.path());
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0] << ": " << line;
    EXPECT_EQ(ran.err, "likely: " + line + "\n") << words[0];
    EXPECT_EQ(snapshot(folder_.path()), before) << words[0] << ": " << line;
  }

  TemporaryFolder folder_;
};

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

TEST_F(Folders, AreReplacedOnlyByForceAndLeaveNothingBeside) {
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
TEST_F(Folders, HaveOneWriterAndSurviveItsDeath) {
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
      EXPECT_EQ(quick.finish(), 0) << quick.errors();
      EXPECT_EQ(read_bytes(folder_ / "results/theirs.txt"), "keep me");
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

TEST_F(Folders, SimulationsAreNotOverwritten) {
  const Words simulate{"simulate", "--subjects", "1", "--trials", "5", "--out"};
  expect_refused(simulate + Words{"trials.tsv"},
                 "trials.tsv is there already; replace it (--force) or choose another --out");
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

// A training that comes to nothing is not worth one that did, however it ends.
TEST_F(Folders, KeepAFinishedRunFromOneThatComesToNothing) {
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

}  // namespace
}  // namespace likely::testing
