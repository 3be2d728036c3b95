// `likely train csv` and what can be done with its run folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

using Words = std::vector<std::string>;

// 90 rows: the kind depends on size and colour; one size is missing.
std::string table() {
  std::string text = "size,colour,kind\n";
  for (int i = 0; i < 90; ++i) {
    const int size = (i * 37) % 100;
    const bool red = i % 3 == 0;
    text += (i == 7 ? "NA" : std::to_string(size)) + (red ? ",red," : ",blue,") +
            (size + (red ? 30 : 0) > 60 ? "big" : "small") + "\n";
  }
  return text;
}

Words train(const Words& more = {}) {
  Words words = {"train",    "csv", "--in",  "mine.csv", "--members", "2",
                 "--epochs", "30",  "--out", "run",      "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class CsvCommand : public ::testing::Test {
 protected:
  CsvCommand() { write_bytes(folder_ / "mine.csv", table()); }
  Ran run(const Words& words) { return likely_command(folder_.path().string(), words); }
  void expect_complaint(const Words& words, const std::string& line) {
    const std::string before = folder_.list();
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(folder_.list(), before) << line;
  }

  TemporaryFolder folder_;
};

TEST_F(CsvCommand, TrainsEvaluatesPredictsAndPlots) {
  const Ran trained = run(train({"--target", "kind", "--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto json = io::parse_json<io::SortedJson>(trained.out);
  EXPECT_GT(json["figures"]["test_accuracy"].get<double>(), 0.75) << trained.out;
  const io::SortedJson notes{
      "1 missing value filled in, the first in line 9, column \"size\": by means, and words by none of the "
      "words"};
  EXPECT_EQ(json["notes"], notes);
  EXPECT_EQ(io::parse_json<io::SortedJson>(read_bytes(folder_ / "run/report.json"))["notes"], notes);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/model.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/figures/confusion.gp"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/figures/importance.gp"));

  const Ran judged = run({"eval", "run", "--json"});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(io::parse_json<io::SortedJson>(judged.out)["figures"]["test_accuracy"],
            json["figures"]["test_accuracy"]);

  write_bytes(folder_ / "new.csv", "colour,size\nblue,5\nred,99\ngreen,\n");
  const Ran predicted = run({"predict", "run", "--in", "new.csv"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const std::string filled =
      "1 missing value filled in, the first in line 4, column \"size\": by means, and words by none of the "
      "words";
  const std::string unknown =
      "1 word that the model does not know, the first \"green\" in line 4, column \"colour\": taken for none "
      "of its "
      "words";
  EXPECT_EQ(predicted.err, "likely: " + filled + "\nlikely: " + unknown + "\n");
  const Ran told = run({"predict", "run", "--in", "new.csv", "--json"});
  EXPECT_EQ(told.err, "");
  EXPECT_EQ(io::parse_json<io::SortedJson>(told.out)["notes"], io::SortedJson({filled, unknown}));
  EXPECT_TRUE(predicted.out.starts_with("prediction,probability,p_big,p_small\nsmall,")) << predicted.out;
  EXPECT_NE(predicted.out.find("\nbig,"), std::string::npos);

  EXPECT_EQ(run({"plot", "run"}).code, 0);
  write_bytes(folder_ / "mine.csv", table() + "4,red,small\n");
  const Ran changed = run({"eval", "run"});
  EXPECT_EQ(changed.code, 2);
  EXPECT_EQ(changed.err,
            "likely: [csv] " + (folder_ / "mine.csv").string() +
                " has changed since the model was fitted: which rows were held out is not known any "
                "more\n");
}

TEST_F(CsvCommand, JudgesSmallTablesByFolds) {
  const Ran trained = run(train({"--target", "size", "--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto figures = io::parse_json<io::SortedJson>(trained.out)["figures"];
  EXPECT_TRUE(figures.contains("test_R2"));
  EXPECT_TRUE(figures.contains("worst_fold_R2"));
  EXPECT_FALSE(figures.contains("fold_R2"));
  const auto again = io::parse_json<io::SortedJson>(run({"eval", "run", "--json"}).out)["figures"];
  EXPECT_EQ(again["test_R2"], figures["test_R2"]);
  EXPECT_EQ(again["worst_fold_R2"], figures["worst_fold_R2"]);
}

TEST_F(CsvCommand, HoldsOutWhatIsAsked) {
  const Ran trained = run(train({"--holdout", "0.5", "--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto json = io::parse_json<io::SortedJson>(trained.out);
  EXPECT_FALSE(json["figures"].contains("worst_fold_accuracy"));
  EXPECT_EQ(io::parse_json<io::SortedJson>(run({"eval", "run", "--json"}).out)["figures"]["test_accuracy"],
            json["figures"]["test_accuracy"]);

  const Ran both = run(train({"--holdout", "0.5", "--folds", "3", "--json", "--force"}));
  ASSERT_EQ(both.code, 0) << both.err;
  const auto figures = io::parse_json<io::SortedJson>(both.out)["figures"];
  EXPECT_EQ(figures["test_accuracy"], json["figures"]["test_accuracy"]);
  EXPECT_TRUE(figures.contains("fold_accuracy"));
  EXPECT_TRUE(figures.contains("worst_fold_accuracy"));
}

TEST_F(CsvCommand, LearnsFromAllRowsAndHasNothingToJudgeBy) {
  ASSERT_EQ(run(train({"--holdout", "0"})).code, 0);
  expect_complaint({"eval", "run"}, "likely: [csv] the model learned from all rows of " +
                                        (folder_ / "mine.csv").string() + ": give others with --data");
  EXPECT_EQ(run({"eval", "run", "--data", "mine.csv"}).code, 2);
  write_bytes(folder_ / "same.csv", table());
  expect_complaint({"eval", "run", "--data", "same.csv"},
                   "likely: [csv] the model learned from all rows of " + (folder_ / "same.csv").string() +
                       ": give others with --data");
  // The same rows but for the last.
  const std::string rows = table();
  write_bytes(folder_ / "other.csv", rows.substr(0, rows.rfind('\n', rows.size() - 2) + 1));
  EXPECT_EQ(run({"eval", "run", "--data", "other.csv"}).code, 0);
  EXPECT_EQ(run({"plot", "run"}).code, 0);
}

// Another file of that name in the folder from which it goes on is another file.
TEST_F(CsvCommand, GoesOnFromAnyFolderWithItsOwnTargets) {
  std::string inputs = "size\n", targets = "kind\n", others = "kind\n";
  for (int i = 0; i < 90; ++i) {
    inputs += std::to_string((i * 37) % 100) + "\n";
    targets += (i * 37) % 100 > 60 ? "big\n" : "small\n";
    others += i % 2 == 0 ? "odd\n" : "even\n";
  }
  std::filesystem::create_directories(folder_ / "sub");
  std::filesystem::create_directories(folder_ / "tables");
  write_bytes(folder_ / "mine.csv", inputs);
  write_bytes(folder_ / "y.csv", targets);
  write_bytes(folder_ / "tables/mine.csv", inputs);
  write_bytes(folder_ / "tables/y2.csv", targets);
  for (const std::string name : {"sub/y.csv", "sub/y2.csv"}) write_bytes(folder_ / name, others);
  ASSERT_EQ(run(train({"--target-file", "y.csv"})).code, 0);
  const Words beside{"train", "csv",           "--in",   "tables/mine.csv", "--members", "2",      "--epochs",
                     "30",    "--target-file", "y2.csv", "--out",           "run2",      "--quiet"};
  ASSERT_EQ(run(beside).code, 0);
  for (const auto& [out, file] : {std::pair("run", "y.csv"), std::pair("run2", "tables/y2.csv")}) {
    const auto recipe = io::parse_json<io::SortedJson>(read_bytes(folder_ / out / "recipe.json"));
    EXPECT_EQ(recipe["settings"]["target_file"], (folder_ / file).string());
    const std::string model = read_bytes(folder_ / out / "model.safetensors");
    const Ran resumed =
        likely_command((folder_ / "sub").string(), {"resume", std::string("../") + out, "--quiet"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(read_bytes(folder_ / out / "model.safetensors"), model);
  }
  write_bytes(folder_ / "y.csv", others);
  const std::string named = (folder_ / "mine.csv").string() + " or " + (folder_ / "y.csv").string();
  expect_complaint({"resume", "run"}, "likely: [csv] " + named +
                                          " has changed since the run was begun: train anew, in another "
                                          "folder");
}

TEST_F(CsvCommand, DoesNotGoOnWithAnotherTable) {
  ASSERT_EQ(run(train()).code, 0);
  const std::string model = read_bytes(folder_ / "run/model.safetensors");
  std::string rows = table();
  rows.replace(rows.find("\n0,red"), 2, "\n50");
  write_bytes(folder_ / "mine.csv", rows);
  const std::string file = (folder_ / "mine.csv").string();
  expect_complaint({"eval", "run"}, "likely: [csv] " + file +
                                        " has changed since the model was fitted: which rows were held out "
                                        "is not known any more");
  const std::string line =
      "likely: [csv] " + file + " has changed since the run was begun: train anew, in another folder";
  expect_complaint({"resume", "run"}, line);
  // What was interrupted has no model yet.
  std::filesystem::remove(folder_ / "run/model.safetensors");
  expect_complaint({"resume", "run"}, line);
  write_bytes(folder_ / "mine.csv", table());
  EXPECT_EQ(run({"resume", "run", "--quiet"}).code, 0);
  EXPECT_EQ(read_bytes(folder_ / "run/model.safetensors"), model);
}

TEST_F(CsvCommand, RefusesInOneLine) {
  const std::string file = "likely: [csv] " + (folder_ / "mine.csv").string() + ": ";
  expect_complaint(train({"--target", "kid"}),
                   file + "there is no column \"kid\"; it has size, colour, kind");
  expect_complaint(
      train({"--task", "regress"}),
      file +
          "the target \"kind\" holds words such as \"small\" (line 2): numbers cannot be predicted from it");
  expect_complaint(train({"--missing", "refuse"}), file + "line 9, column \"size\": the value is missing");
  expect_complaint(
      train({"--hidden", "big"}),
      "likely: [csv] hidden must be whole numbers from 1 to 100000 such as 64 or 64,32, got \"big\"");
  for (const std::string hidden : {"8,,4", "8,", ",8", ","})
    expect_complaint(
        train({"--hidden", hidden}),
        "likely: [csv] hidden must be whole numbers from 1 to 100000 such as 64 or 64,32, got \"" + hidden +
            "\"");
  expect_complaint(train({"--holdout", "-0.5"}),
                   "likely: [csv] holdout must be a share from 0 to 0.9, or -1, got -0.5");
  expect_complaint(
      train({"--weight-decay", "0.1,x"}),
      "likely: [csv] weight_decay must be numbers from 0 on such as 0.1 or 0.01,1, got \"0.1,x\"");
  expect_complaint(
      {"train", "csv", "--quiet"},
      "likely: csv needs --data: Your table: CSV or text with tabs, blanks or semicolons, plain or gzip");
  expect_complaint({"train", "csv", "--in", "none.csv", "--quiet"},
                   "likely: --data none.csv: there is no such file or folder");
}

// What was decided about a table is told, also where nothing comes of it.
TEST_F(CsvCommand, TellsWhyNothingCanBeLearned) {
  const std::string file = "likely: [csv] " + (folder_ / "mine.csv").string() + ": ";
  write_bytes(folder_ / "mine.csv", "a,b,y\n1,,3\n2,,4\n");
  expect_complaint(train(),
                   file +
                       "at least 10 rows are needed to learn from, there are 2 (column \"b\" left out: "
                       "it is empty in every row)");
  std::string text = "a,b,y\n";
  for (int i = 0; i < 60; ++i) text += "5,," + std::to_string(i) + ".5\n";
  write_bytes(folder_ / "mine.csv", text);
  expect_complaint(train(),
                   file +
                       "no column is left to predict the target from (column \"b\" left out: it is empty in "
                       "every row; column \"a\" left out: it is always 5)");
}

TEST_F(CsvCommand, TellsOfNumbersBeyondWhatWasLearned) {
  std::string text = "area,price\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i * 7 % 60) + "," + std::to_string(i * 21 % 180) + ".5\n";
  write_bytes(folder_ / "mine.csv", text);
  ASSERT_EQ(run(train()).code, 0);
  write_bytes(folder_ / "new.csv", "area\n5\n1e30\n-1e30\n");
  const Ran predicted = run({"predict", "run", "--in", "new.csv"});
  EXPECT_EQ(predicted.code, 0);
  const std::string note =
      "2 numbers outside of what the model learned from, the first 1e+30 in line 3, column \"area\" (from 0 "
      "to "
      "59): drawn in to the ends";
  EXPECT_EQ(predicted.err, "likely: " + note + "\n");
  write_bytes(folder_ / "other.csv", "area,price\n5,15.5\n1e30,30\n-1e30,40\n");
  const auto judged =
      io::parse_json<io::SortedJson>(run({"eval", "run", "--data", "other.csv", "--json"}).out);
  EXPECT_EQ(judged["notes"].back(), note);
}

// Names and classes are the same in tables of other letters, in the run folder and in UTF-8.
TEST_F(CsvCommand, KnowsNamesInOtherLetters) {
  const auto written = [](const std::string& ue) {
    std::string text = "gr" + ue + "n,ort,art\n";
    for (int i = 0; i < 60; ++i) {
      const int size = (i * 37) % 100;
      text += std::to_string(size) + (i % 2 == 0 ? ",Z" + ue + "rich," : ",Bern,") +
              (size > 50 ? ue + "ber" : "unter") + "\n";
    }
    return text;
  };
  write_bytes(folder_ / "mine.csv", written("\xFC"));
  const Ran trained = run(train({"--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(
      io::parse_json<io::SortedJson>(trained.out)["notes"],
      io::SortedJson({"line 1: \"gr\u00FCn\" is not written in UTF-8: such letters are read as Windows-1252 "
                      "(Latin-1)"}));
  const std::string columns = read_bytes(folder_ / "run/columns.json");
  EXPECT_NE(columns.find("\u00FCber"), std::string::npos) << columns;
  EXPECT_EQ(columns.find("\uFFFD"), std::string::npos) << columns;
  EXPECT_EQ(run({"eval", "run"}).code, 0);
  write_bytes(folder_ / "other.csv", written("\u00FC"));
  const Ran other = run({"predict", "run", "--in", "other.csv"});
  EXPECT_EQ(other.err, "");
  EXPECT_TRUE(other.out.starts_with("prediction,probability,p_unter,p_\u00FCber\n")) << other.out;
  const Ran same = run({"predict", "run", "--in", "mine.csv"});
  EXPECT_EQ(same.out, other.out);
  EXPECT_EQ(same.code, 0);
  EXPECT_EQ(run({"eval", "run", "--data", "other.csv"}).code, 0);
}

TEST_F(CsvCommand, RefusesRowsThatDoNotFit) {
  ASSERT_EQ(run(train()).code, 0);
  write_bytes(folder_ / "new.csv", "size\n4\n");
  expect_complaint({"predict", "run", "--in", "new.csv"},
                   "likely: [csv] new.csv: the model needs \"colour\"; there is only size");
}

}  // namespace
}  // namespace likely::testing
