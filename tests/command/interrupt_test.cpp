// Ctrl-C while commands are at work that would take far longer than a test may.
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

// Until Ctrl-C would not simply end a process.
void wait_until_caught(pid_t child) {
  const auto is_caught = [&] {
    const std::string status = read_bytes("/proc/" + std::to_string(child) + "/status");
    const std::size_t caught = status.find("SigCgt:");
    return caught != std::string::npos &&
           (std::stoull(status.substr(caught + 7), nullptr, 16) & (1ULL << (SIGINT - 1))) != 0;
  };
  for (int i = 0; i < 16000 && !is_caught(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_caught());
}

// Every row was held out once, so that the folds are fitted again.
TEST(LongEvaluation, EndsWithoutAdviceToResume) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  std::string table = "a,b,kind\n";
  for (int i = 0; i < 400; ++i)
    table += std::to_string(i * 37 % 101) + "," + std::to_string(i * 53 % 97) + "," +
             (i * 37 % 101 > i * 53 % 97 ? "more" : "less") + "\n";
  write_bytes(folder / "mine.csv", table);
  const Ran trained =
      likely_command(at, {"train", "csv", "--in", "mine.csv", "--hidden", "64", "--epochs", "30",
                          "--patience", "30", "--folds", "20", "--quiet", "--out", "run"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  for (const Words& words : {Words{"eval", "run"}, Words{"plot", "run"}}) {
    const pid_t child = start_command(at, words, (folder / "out").string(), (folder / "err").string());
    wait_until_caught(child);
    kill(child, SIGINT);
    EXPECT_EQ(wait_for(child), 130);
    const std::string said = "\n" + read_bytes(folder / "err");
    EXPECT_TRUE(said.ends_with(words[0] == "eval"
                                   ? "\ninterrupted; nothing was written\n"
                                   : "\ninterrupted; draw the pictures with: likely plot run\n"))
        << said;
    if (words[0] == "eval") {
      EXPECT_EQ(read_bytes(folder / "out"), "");
    }
  }
}

// Model and report are kept, whatever is missing of the pictures.
TEST(LongDrawing, EndsWithModelAndReport) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  constexpr int kColumns = 200;
  std::string table;
  for (int i = 0; i < kColumns; ++i) table += "c" + std::to_string(i) + ",";
  table += "kind\n";
  for (int row = 0; row < 40; ++row) {
    for (int i = 0; i < kColumns; ++i)
      table += std::to_string((row * 37 + i * 53) % 101 * (i + 1) % 89) + ",";
    table += row % 2 == 0 ? "more\n" : "less\n";
  }
  write_bytes(folder / "wide.csv", table);
  const pid_t child =
      start_command(at, {"train", "csv", "--in", "wide.csv", "--epochs", "2", "--quiet", "--out", "run"},
                    (folder / "out").string(), (folder / "err").string());
  for (int i = 0; i < 60000 && !std::filesystem::exists(folder / "run/report.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, SIGTERM);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_EQ(read_bytes(folder / "err"),
            "likely: interrupted before all pictures were drawn\ninterrupted; all is learned, draw the "
            "pictures with: likely plot run\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/report.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run/figures/importance.png"));
}

}  // namespace

}  // namespace likely::testing
