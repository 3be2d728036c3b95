// Ctrl-C while fit, compare and recover are at work that would take far longer than a test may.
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using Words = std::vector<std::string>;

// A folder with trials.tsv, long enough for minutes with a model of many parameters.
class LongStudy : public ::testing::Test {
 protected:
  LongStudy() {
    const Ran made = likely_command(
        at(), {"simulate", "--subjects", "4000", "--trials", "60", "--out", "trials.tsv", "--quiet"});
    EXPECT_EQ(made.code, 0) << made.err;
    before_ = folder_.list();
  }
  std::string at() const { return folder_.path().string(); }

  // Runs it with an --out until `is_there` says so, interrupts it, and expects that it is as if it had never
  // been.
  template <class IsThere>
  void interrupt(const Words& words, int signal, const IsThere& is_there) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    const TemporaryFolder output;
    Words all = words;
    for (const char* word : {"--out", "results"}) all.emplace_back(word);
    const pid_t child = start_command(at(), all, (output / "out").string(), (output / "err").string());
    for (int i = 0; i < 16000 && !is_there(output / "err"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_there(output / "err")) << read_bytes(output / "err");
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    const std::string said = read_bytes(output / "err");
    EXPECT_TRUE(("\n" + said).ends_with("\ninterrupted; nothing was written\n")) << said;
    EXPECT_EQ(read_bytes(output / "out"), "");
    EXPECT_EQ(folder_.list(), before_);
  }
  // When its progress has said this much.
  void interrupt_after(const Words& words, const std::string& told, int signal = SIGINT) {
    interrupt(words, signal, [&](const std::filesystem::path& err) {
      return std::filesystem::exists(err) && read_bytes(err).find(told) != std::string::npos;
    });
  }

  TemporaryFolder folder_;
  std::string before_;
};

const Words kManyParameters{"--learn", "dual,decay,v0", "--choose", "softmax,stick,lapse,bias"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(LongStudy, EndsFitsOfSingleSubjects) {
  interrupt_after(with({"fit", "trials.tsv", "--method", "mle"}, kManyParameters), ": fitting ");
  interrupt_after(with({"fit", "trials.tsv", "--method", "map"}, kManyParameters), ": fitting ", SIGTERM);
}

TEST_F(LongStudy, EndsFitsOfAPopulation) {
  interrupt_after(with({"fit", "trials.tsv", "--method", "em"}, kManyParameters), ": round ");
  // Its first report may take longer: one trajectory has up to a thousand looks at all trials.
  interrupt(with({"fit", "trials.tsv", "--method", "nuts"}, kManyParameters), SIGINT,
            [&](const std::filesystem::path&) {
              if (folder_.list() == before_) return false;
              std::this_thread::sleep_for(std::chrono::seconds(1));
              return true;
            });
}

TEST_F(LongStudy, EndsComparisonsAndRecoveries) {
  interrupt_after(
      {"compare", "trials.tsv", "--model", "rw-dual-stick,rw-ck", "--method", "mle", "--starts", "2000"},
      "rw-dual-stick: fitting ");
  interrupt_after(with({"recover", "--subjects", "4000", "--trials", "60"}, kManyParameters),
                  ": recovering ");
}

// Before anything is fitted: the folder of the results is there already.
TEST_F(LongStudy, EndsWhileTheFileIsRead) {
  interrupt(with({"fit", "trials.tsv"}, kManyParameters), SIGINT,
            [&](const std::filesystem::path&) { return folder_.list() != before_; });
}

}  // namespace

}  // namespace likely::testing
