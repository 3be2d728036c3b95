// `likely calibrate`, and what `likely eval` says of a classifier's probabilities.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using Words = std::vector<std::string>;

class Calibrate : public ::testing::Test {
 protected:
  Ran run(const Words& words) const { return likely_command(folder_.path().string(), words); }
  void expect_refused(const Words& words, const std::string& line) const {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err, "likely: " + line + "\n");
    EXPECT_EQ(ran.out, "");
  }
  void write_scores() const {
    std::string text = "label,a,b\n";
    for (int i = 0; i < 60; ++i)
      text +=
          std::string(i % 4 == 0 ? "a," : "b,") + std::to_string(i % 5) + "," + std::to_string(i % 7) + "\n";
    write_bytes(folder_ / "scores.csv", text);
  }
  TemporaryFolder folder_;
};

TEST_F(Calibrate, ReadsARunAndKeepsWhatItFound) {
  ASSERT_EQ(run({"train", "moons", "--epochs", "3", "--rows", "200", "--out", "run", "--quiet"}).code, 0);
  const Ran evaluated = run({"eval", "run"});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_NE(evaluated.out.find("test calibration: ECE "), std::string::npos) << evaluated.out;
  EXPECT_NE(evaluated.out.find("Brier"), std::string::npos);
  const Ran ran = run({"calibrate", "run", "--out", "kept", "--no-figures", "--quiet"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("1000 rows, 2 classes"), std::string::npos) << ran.out;
  for (const char* name : {"calibration.json", "temperature.safetensors", "vector.safetensors",
                           "matrix.safetensors", "probabilities.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "kept" / name)) << name;
  const Ran json = run({"calibrate", "run", "--json", "--resamples", "0"});
  EXPECT_EQ(io::parse_json<io::SortedJson>(json.out)["rows"].get<int>(), 1000);
  // Corrected probabilities are a file that it reads, and earlier results stay unless told otherwise.
  EXPECT_EQ(run({"calibrate", "kept/probabilities.csv", "--resamples", "0"}).code, 0);
  EXPECT_EQ(run({"calibrate", "run", "--out", "kept", "--quiet"}).code, 2);
  EXPECT_EQ(run({"calibrate", "run", "--out", "kept", "--force", "--no-figures", "--quiet"}).code, 0);
}

TEST_F(Calibrate, ReadsAFile) {
  write_scores();
  const Ran ran = run({"calibrate", "scores.csv", "--scaler", "temperature", "--quiet"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("60 rows, 2 classes"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("matrix"), std::string::npos);
  EXPECT_NE(ran.err.find("60 rows are few for 15 bins"), std::string::npos) << ran.err;
  EXPECT_EQ(run({"calibrate", "scores.csv", "--threads", "1"}).out,
            run({"calibrate", "scores.csv", "--threads", "3"}).out);
}

TEST_F(Calibrate, Refuses) {
  write_scores();
  expect_refused({"calibrate", "none.csv"}, "none.csv: there is no such file or folder");
  expect_refused({"calibrate", "scores.csv", "--scaler", "heat"},
                 "[calibrate] there is no scaler \"heat\"; there are temperature, vector and matrix");
  expect_refused({"calibrate", "scores.csv", "--data", "x"}, "--data is about a run; a file holds its rows");
  ASSERT_EQ(run({"train", "shallow-regression", "--epochs", "1", "--out", "run", "--quiet"}).code, 0);
  expect_refused({"calibrate", "run"}, "run: shallow-regression is no classifier");
  expect_refused({"calibrate", "run", "--label", "y"}, "--label is about a file; a run knows its labels");
  write_bytes(folder_ / "kind.csv", "kind,a,b\na,1,2\n");
  const Ran ran = run({"calibrate", "kind.csv"});
  EXPECT_NE(ran.err.find("say which holds the true class with --label"), std::string::npos) << ran.err;
}

}  // namespace

}  // namespace likely::testing
