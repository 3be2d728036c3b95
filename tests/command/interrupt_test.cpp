// Ctrl-C while commands are at work that would take far longer than a test may.
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
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

// A command whose work is doubled until an interrupt finds it still there: nobody knows for how long a test
// is kept from sending one. `start` prepares a fresh folder and starts the command, `wait_until_time` waits
// for the moment.
struct Interrupted {
  std::function<pid_t(const TemporaryFolder&, int work)> start;
  std::function<void(const TemporaryFolder&, pid_t)> wait_until_time;
  int signal = SIGINT;
};
// `check` looks at what it said and left.
void interrupt_at_work(const Interrupted& how, const std::function<void(const TemporaryFolder&)>& check) {
  for (int work = 1; work <= 16; work *= 2) {
    const TemporaryFolder folder;
    const pid_t child = how.start(folder, work);
    how.wait_until_time(folder, child);
    kill(child, how.signal);
    const int code = wait_for(child);
    // Finished, or at its very end, when nobody listens any more.
    if (code == 0 || code == -how.signal) continue;
    EXPECT_EQ(code, 130) << read_bytes(folder / "err");
    check(folder);
    return;
  }
  FAIL() << "it was always done before the signal came";
}

// Every row was held out once, so that the folds are fitted again.
TEST(LongEvaluation, EndsWithoutAdviceToResume) {
  for (const Words& words : {Words{"eval", "run"}, Words{"plot", "run"}}) {
    SCOPED_TRACE(words[0]);
    const auto start = [&](const TemporaryFolder& folder, int work) {
      std::string table = "a,b,kind\n";
      for (int i = 0; i < 400; ++i)
        table += std::to_string(i * 37 % 101) + "," + std::to_string(i * 53 % 97) + "," +
                 (i * 37 % 101 > i * 53 % 97 ? "more" : "less") + "\n";
      write_bytes(folder / "mine.csv", table);
      const std::string epochs = std::to_string(30 * work);
      const std::string at = folder.path().string();
      const Ran trained =
          likely_command(at, {"train", "csv", "--in", "mine.csv", "--hidden", "64", "--epochs", epochs,
                              "--patience", epochs, "--folds", "20", "--quiet", "--out", "run"});
      EXPECT_EQ(trained.code, 0) << trained.err;
      return start_command(at, words, (folder / "out").string(), (folder / "err").string());
    };
    interrupt_at_work({start, [](const TemporaryFolder&, pid_t child) { wait_until_caught(child); }},
                      [&](const TemporaryFolder& folder) {
                        const std::string said = "\n" + read_bytes(folder / "err");
                        EXPECT_TRUE(said.ends_with(
                            words[0] == "eval" ? "\ninterrupted; nothing was written\n"
                                               : "\ninterrupted; draw the pictures with: likely plot run\n"))
                            << said;
                        if (words[0] == "eval") {
                          EXPECT_EQ(read_bytes(folder / "out"), "");
                        }
                      });
  }
}

// All is learned, and only to be judged: resumption does that, and only that.
TEST(LongJudging, EndsWithAModelThatIsJudgedLater) {
  for (const bool replaces : {false, true}) {
    SCOPED_TRACE(replaces);
    const auto start = [&](const TemporaryFolder& folder, int work) {
      const std::string at = folder.path().string();
      if (replaces) {
        const Ran earlier = likely_command(
            at, {"train", "confident", "--rows", "50", "--epochs", "1", "--quiet", "--out", "run"});
        EXPECT_EQ(earlier.code, 0) << earlier.err;
      }
      // Each of 40,000 places outside is compared with each row.
      Words words{"train", "confident", "--rows", std::to_string(2000 * work), "--epochs", "1"};
      for (const char* word : {"--batch", "1000", "--quiet", "--force", "--out", "run"})
        words.emplace_back(word);
      return start_command(at, words, (folder / "out").string(), (folder / "err").string());
    };
    // The earlier run has a report.
    const auto until_learned = [](const TemporaryFolder& folder, pid_t) {
      for (int i = 0; i < 60000; ++i) {
        if (std::filesystem::exists(folder / "run/model.safetensors") &&
            !std::filesystem::exists(folder / "run/report.json"))
          return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    interrupt_at_work({start, until_learned}, [](const TemporaryFolder& folder) {
      EXPECT_EQ(read_bytes(folder / "err"), "interrupted; go on with: likely resume run\n");
      EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
      EXPECT_FALSE(std::filesystem::exists(folder / "run/report.json"));
      const std::string model = read_bytes(folder / "run/model.safetensors");
      const Ran resumed = likely_command(folder.path().string(), {"resume", "run", "--quiet"});
      EXPECT_EQ(resumed.code, 0) << resumed.err;
      EXPECT_EQ(read_bytes(folder / "run/model.safetensors"), model);
      EXPECT_NE(read_bytes(folder / "run/report.json").find("AUROC_around"), std::string::npos);
    });
  }
}

// Model and report are kept, whatever is missing of the pictures.
TEST(LongDrawing, EndsWithModelAndReport) {
  const auto start = [](const TemporaryFolder& folder, int work) {
    const int columns = 200 * work;
    std::string table;
    for (int i = 0; i < columns; ++i) table += "c" + std::to_string(i) + ",";
    table += "kind\n";
    for (int row = 0; row < 40; ++row) {
      for (int i = 0; i < columns; ++i)
        table += std::to_string((row * 37 + i * 53) % 101 * (i + 1) % 89) + ",";
      table += row % 2 == 0 ? "more\n" : "less\n";
    }
    write_bytes(folder / "wide.csv", table);
    return start_command(folder.path().string(),
                         {"train", "csv", "--in", "wide.csv", "--epochs", "2", "--quiet", "--out", "run"},
                         (folder / "out").string(), (folder / "err").string());
  };
  const auto until_reported = [](const TemporaryFolder& folder, pid_t) {
    for (int i = 0; i < 60000 && !std::filesystem::exists(folder / "run/report.json"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  interrupt_at_work({start, until_reported, SIGTERM}, [](const TemporaryFolder& folder) {
    EXPECT_EQ(read_bytes(folder / "err"),
              "likely: interrupted before all pictures were drawn\ninterrupted; all is learned, draw the "
              "pictures with: likely plot run\n");
    EXPECT_TRUE(std::filesystem::exists(folder / "run/model.safetensors"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run/report.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "run/figures/importance.png"));
  });
}

}  // namespace

}  // namespace likely::testing
