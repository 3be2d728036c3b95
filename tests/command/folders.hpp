// Folders that commands write into: the commands, and a place with things that are not theirs.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A command that takes --out FOLDER and --force.
struct Writer {
  Words quick;         // done within a second
  Words endless;       // goes on until it is killed
  std::string result;  // a file of what it makes
};

inline const std::vector<Writer> kWriters = {
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
     "recover.json"},
    {{"calibrate", "precious/scores.csv", "--resamples", "10", "--no-figures", "--quiet"},
     {"calibrate", "precious/scores.csv", "--resamples", "1000000", "--no-figures", "--quiet"},
     "calibration.json"},
    {{"estimators", "--repetitions", "20", "--no-figures", "--quiet"},
     {"estimators", "--repetitions", "10000000", "--no-figures", "--quiet"},
     "estimators.json"},
    {{"sequences", "--model", "precious/chain.csv", "--compare", "--runs", "3", "--max-length", "4",
      "--no-figures", "--quiet"},
     {"sequences", "--model", "precious/chain.csv", "--compare", "--runs", "1000000", "--no-figures",
      "--quiet"},
     "sequences.json"}};

// Everything below a folder: what files hold, where links lead.
inline std::map<std::string, std::string> snapshot(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    all[name] = entry.is_symlink()     ? "-> " + std::filesystem::read_symlink(entry.path()).string()
                : entry.is_directory() ? "/"
                                       : read_bytes(entry.path());
  }
  return all;
}

// A process that is running, or was.
class Running {
 public:
  Running(const std::filesystem::path& folder, const Words& words)
      : child_(start_command(folder.string(), words, (said_ / "out").string(), (said_ / "err").string())) {}
  ~Running() {
    if (child_ > 0) finish(SIGKILL);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Waits until it holds a lock on this folder. False where it ended before.
  bool holds(const std::filesystem::path& folder) {
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
    std::filesystem::create_directories(folder_ / "precious/inner");
    write_bytes(folder_ / "precious/letter.txt", "keep me");
    write_bytes(folder_ / "precious/inner/photo", "keep me, too");
    const Ran made = run({"simulate", "--subjects", "2", "--trials", "20", "--out", "trials.tsv"});
    ASSERT_EQ(made.code, 0) << made.err;
    std::string scores = "label,a,b\n";
    for (int i = 0; i < 2000; ++i)
      scores += std::string(i % 5 == 0 ? "a," : "b,") + std::to_string(i % 7) + "," +
                std::to_string(i % 4 + 2) + "\n";
    write_bytes(folder_ / "precious/scores.csv", scores);
    write_bytes(folder_ / "precious/chain.csv",
                "state,a,b,end\nstart,0.5,0.5,0\na,0.25,0.5,0.25\nb,0.5,0,0.5\n");
  }
  Ran run(const Words& words) const { return likely_command(folder_.path().string(), words); }
  // Exit code 2, one line, and everything as before.
  void expect_refused(const Words& words, const std::string& line) const {
    const auto before = snapshot(folder_.path());
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0] << ": " << line;
    EXPECT_EQ(ran.err, "likely: " + line + "\n") << words[0];
    const bool is_as_before = snapshot(folder_.path()) == before;  // as a text it may be megabytes
    EXPECT_TRUE(is_as_before) << words[0] << ": " << line;
  }

  TemporaryFolder folder_;
};

}  // namespace likely::testing
