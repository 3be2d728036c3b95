// What the command does where it cannot print, and where it prints into.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

// A folder with a small run, trials and rows.
class Streams : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    EXPECT_EQ(in_shell("likely train moons --epochs 1 --units 4 --quiet --out run").code, 0);
    EXPECT_EQ(in_shell("likely simulate --subjects 2 --trials 20 --out trials.tsv").code, 0);
    write_bytes(*folder_ / "rows.csv", "0.5,-1\n");
    write_bytes(*folder_ / "chain.csv", "state,a,end\nstart,1,0\na,0.5,0.5\n");
    write_bytes(*folder_ / "text.txt", "the king and the queen of the sea\n");
    EXPECT_EQ(in_shell("likely word2vec text.txt --dimension 2 --min-count 1 --sample 1 --epochs 1 --quiet "
                       "--out vectors.txt")
                  .code,
              0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static Ran in_shell(const std::string& line) { return shell(folder_->path().string(), line); }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Streams::folder_ = nullptr;

// One of each command, with all that it prints to.
const std::vector<std::string> kPrinting = {
    "--help",
    "--version",
    "list",
    "list --json",
    "train --help",
    "train moons --epochs 1 --units 4 --force --out again",
    "resume run",
    "eval run",
    "eval run --json",
    "predict run --in rows.csv",
    "predict run --in rows.csv --json",
    "plot run",
    "fit trials.tsv --method mle",
    "compare trials.tsv --model rw,random --method mle",
    "simulate --subjects 1 --trials 5 --force --out more.tsv",
    "recover --subjects 2 --trials 10 --starts 1",
    "choice-models",
    "sweep linear-regression --grid lr=0.1 --set epochs=1 --force --out sweep",
    "calibrate run --resamples 10",
    "calibrate run --resamples 10 --json",
    "estimators --repetitions 2",
    "sequences --model chain.csv --k 2",
    "word2vec text.txt --dimension 2 --min-count 1 --sample 1 --epochs 1 --force --out vectors.txt",
    "words nearest vectors.txt sea",
    "inspect run/model.safetensors",
    "equations 2",
    "bench op --seconds 0.001",
    "info",
    "completion bash"};

TEST_F(Streams, AreTriedWithEveryCommand) {
  for (const std::string& name : command_names()) {
    EXPECT_TRUE(std::any_of(kPrinting.begin(), kPrinting.end(), [&](const std::string& line) {
      return (line + " ").starts_with(name + " ");
    })) << name;
  }
}

TEST_F(Streams, SayWhenTheOutputIsFull) {
  for (const std::string& command : kPrinting) {
    const Ran ran = in_shell("likely " + command + " > /dev/full");
    EXPECT_EQ(ran.code, 1) << command;
    const std::string said = "likely: cannot write to the standard output: No space left on device\n";
    EXPECT_TRUE(ran.err.ends_with(said)) << command << ": " << ran.err;
  }
}

TEST_F(Streams, SayWhenTheOutputIsClosed) {
  for (const std::string& command : kPrinting) {
    const Ran ran = in_shell("likely " + command + " >&-");
    EXPECT_EQ(ran.code, 1) << command;
    const std::string said = "likely: cannot write to the standard output: Bad file descriptor\n";
    EXPECT_TRUE(ran.err.ends_with(said)) << command << ": " << ran.err;
  }
  // Nothing to print, nothing lost.
  EXPECT_EQ(in_shell("likely predict run --in rows.csv --to said.csv >&-").code, 0);
}

TEST_F(Streams, AreQuietWhenTheReaderHasHadEnough) {
  const Ran ran = in_shell("likely list | head -1; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(ran.out.ends_with("\n0\n") || ran.out.ends_with("\n141\n")) << ran.out;
  // A reader that is gone before the first word.
  const auto unread = [](const std::string& command) {
    return in_shell("rm -f gone; (until [ -e gone ]; do sleep 0.01; done; likely " + command +
                    ") | (exec <&-; touch gone); echo ${PIPESTATUS[0]}");
  };
  const Ran gone = unread("list");
  EXPECT_EQ(gone.err, "");
  EXPECT_EQ(gone.out, "141\n");
  // Work is not lost with its reader.
  EXPECT_EQ(unread("train moons --epochs 1 --units 4 --out unread").out, "141\n");
  EXPECT_TRUE(std::filesystem::exists(*folder_ / "unread/report.json"));
}

TEST_F(Streams, AreNeverTakenByFiles) {
  const std::string train = "likely train moons --epochs 3 --units 4 --force --out closed";
  for (const char* without : {" >&- 2>&-", " <&- >&- 2>&-", " 2>&-", " 2>/dev/full", " >/dev/null 2>&-"}) {
    const Ran ran = in_shell(train + without);
    EXPECT_EQ(ran.code, std::string(without).find(">&- 2") != std::string::npos ? 1 : 0) << without;
    const std::string metrics = read_bytes(*folder_ / "closed/metrics.jsonl");
    EXPECT_EQ(metrics.find("rows/s"), std::string::npos) << without << ": " << metrics;
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 3) << without << ": " << metrics;
  }
}

TEST_F(Streams, PredictionsDoNotReplaceWhatTheyAreMadeOf) {
  const std::string rows = read_bytes(*folder_ / "rows.csv");
  const std::string recipe = read_bytes(*folder_ / "run/recipe.json");
  EXPECT_EQ(in_shell("ln -sf rows.csv link.csv && likely predict run --in rows.csv --to link.csv").err,
            "likely: --to link.csv: the rows are read from this file\n");
  EXPECT_EQ(in_shell("likely predict run --in rows.csv --to run/recipe.json").err,
            "likely: --to run/recipe.json: this file belongs to the run\n");
  EXPECT_EQ(read_bytes(*folder_ / "rows.csv"), rows);
  EXPECT_EQ(read_bytes(*folder_ / "run/recipe.json"), recipe);
}

TEST_F(Streams, PredictionsGoWhereTheyAreSent) {
  const std::string predict = "likely predict run --in rows.csv";
  const std::string expected = in_shell(predict).out;
  ASSERT_EQ(expected.substr(0, 10), "prediction");
  EXPECT_EQ(
      in_shell("mkfifo pipe; cat pipe > through & " + predict + " --to pipe; code=$?; wait; exit $code").code,
      0);
  EXPECT_TRUE(std::filesystem::is_fifo(*folder_ / "pipe"));
  EXPECT_EQ(read_bytes(*folder_ / "through"), expected);
  EXPECT_EQ(in_shell(predict + " --to /dev/stdout").out, expected);
  EXPECT_EQ(in_shell("(echo first; " + predict + " --to /dev/stdout) > both; cat both").out,
            "first\n" + expected);
  const Ran full = in_shell(predict + " --to /dev/full");
  EXPECT_EQ(full.code, 1);  // the machine's fault, not the input's
  EXPECT_EQ(full.err, "likely: [AtomicFile] cannot write /dev/full: No space left on device\n");

  ASSERT_EQ(in_shell("touch target; chmod 600 target; ln -s target link; " + predict + " --to link").code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(*folder_ / "link"));
  EXPECT_EQ(read_bytes(*folder_ / "target"), expected);
  struct stat there {};
  ASSERT_EQ(stat((*folder_ / "target").c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace likely::testing
