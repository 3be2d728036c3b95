// `likely inspect`, `equations`, `bench` and `sweep`, as users run them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "likely/core/create.hpp"
#include "likely/io/json.hpp"
#include "likely/io/npy.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

class Tools : public ::testing::Test {
 protected:
  Ran run(const std::vector<std::string>& words) { return likely_command(folder_.path().string(), words); }
  void expect_complaint(const std::vector<std::string>& words, const std::string& line) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(ran.out, "") << line;
  }

  TemporaryFolder folder_;
};

TEST_F(Tools, InspectFiles) {
  io::save_npy(folder_ / "x.npy", tensor({1.0, 3.0}));
  const Ran table = run({"inspect", "x.npy"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("x.npy (npy, 136 bytes)\n")) << table.out;
  const auto json = io::parse_json<io::SortedJson>(run({"inspect", "x.npy", "--json"}).out);
  EXPECT_EQ(json["tensors"][0]["mean"], 2.0);
  EXPECT_EQ(io::parse_json<io::SortedJson>(run({"inspect", ".", "--json"}).out)["files"].size(), 1U);
  expect_complaint({"inspect", "y.npy"}, "likely: [inspect] cannot open y.npy: No such file or directory");
  expect_complaint({"inspect"}, "likely inspect: path is required; see `likely inspect --help`");
}

TEST_F(Tools, KnowTheEquations) {
  const Ran one = run({"equations", "2.5"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(one.out.starts_with("(2.5) Least-squares loss\n")) << one.out;
  EXPECT_NE(one.out.find("likely/models/book/chapter_02/line.hpp least_squares"), std::string::npos)
      << one.out;
  EXPECT_EQ(io::parse_json<io::SortedJson>(run({"equations", "2", "--json"}).out).size(), 6U);
  EXPECT_NE(run({"equations"}).out.find("      2  2.1 to 2.6 "), std::string::npos);
  expect_complaint(
      {"equations", "2.9"},
      "likely: [equations] there is no equation 2.9; the nearest is 2.6, The line of least squares");
}

TEST_F(Tools, MeasureTheMachine) {
  const Ran ran = run({"bench", "op", "--seconds", "0.001", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = io::parse_json<io::SortedJson>(ran.out);
  ASSERT_EQ(json["measured"].size(), 1U);
  EXPECT_GT(json["measured"][0]["value"].get<double>(), 0.0);
  expect_complaint({"bench", "opp"}, "likely: [bench] there is no workload \"opp\"; did you mean \"op\"?");
}

TEST_F(Tools, SweepOverSettings) {
  const Ran ran =
      run({"sweep", "linear-regression", "--grid", "lr=0.1,0.001", "--set", "epochs=2", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = io::parse_json<io::SortedJson>(ran.out);
  ASSERT_EQ(json["trials"].size(), 2U);
  EXPECT_EQ(json["out"], "runs/sweep-linear-regression");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "runs/sweep-linear-regression/sweep.csv"));
  expect_complaint({"sweep", "linear-regression", "--grid", "rl=0.1"},
                   "likely: there is no setting \"rl\" to sweep over; did you mean \"lr\"?");
  expect_complaint({"sweep", "linear-regresion", "--grid", "lr=0.1"},
                   "likely: nothing is called \"linear-regresion\"; did you mean \"linear-regression\"?");
}

}  // namespace
}  // namespace likely::testing
