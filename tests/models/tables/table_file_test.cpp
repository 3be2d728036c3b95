#include "likely/models/tables/table_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::tables {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

class TableFile : public ::testing::Test {
 protected:
  Rows read(const std::string& text, ReadOptions options = {}) {
    write_bytes(path_, text);
    options.file = path_;
    return read_table(options);
  }
  void expect(const std::string& text, const std::string& message, const ReadOptions& options = {}) {
    expect_refusal([&] { read(text, options); }, "[csv] " + path_.string() + ": " + message);
  }
  // So many rows "a,b,y" with y from `target`.
  static std::string rows(int count, const std::function<std::string(int)>& target) {
    std::string text = "a,b,y\n";
    for (int i = 0; i < count; ++i)
      text += std::to_string(i * i) + ".5," + std::to_string(i % 3) + "," + target(i) + "\n";
    return text;
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "mine.csv";
};

TEST_F(TableFile, EndsWhenItIsCancelled) {
  const std::string text = rows(20, [](int i) { return std::to_string(0.3 * i); });
  int asked = 0;
  const CancelTest count = [&] {
    ++asked;
    return false;
  };
  EXPECT_EQ(read(text, {.cancelled = count}).size(), 20);
  const int table = asked;
  EXPECT_GE(table, 2 * 21);
  for (const int patience : {0, 5, table - 1}) {
    asked = 0;
    EXPECT_THROW(read(text, {.cancelled = [&] { return ++asked > patience; }}), Cancelled);
    EXPECT_EQ(asked, patience + 1);
  }
  // The file of the targets, too.
  const std::filesystem::path targets = folder_ / "targets.csv";
  write_bytes(targets, text);
  asked = 0;
  EXPECT_THROW(read(text, {.target_file = targets, .cancelled = [&] { return ++asked > table + 3; }}),
               Cancelled);
}

TEST_F(TableFile, TellsClassesFromNumbers) {
  const auto classes = [&](const std::function<std::string(int)>& target, Task task = Task::automatic) {
    return read(rows(60, target), {.task = task}).schema.classes;
  };
  EXPECT_EQ(classes([](int i) { return i % 2 == 0 ? "yes" : "no"; }),
            (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(classes([](int i) { return std::to_string(i % 3 + 4); }),
            (std::vector<std::string>{"4", "5", "6"}));
  EXPECT_EQ(classes([](int i) { return std::to_string(i % 2) + ".0"; }),
            (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(classes([](int i) { return std::to_string(i % 2) + ".5"; }).empty());
  EXPECT_TRUE(classes([](int i) { return std::to_string(i % 30); }).empty());
  EXPECT_TRUE(classes([](int i) { return std::to_string(i % 3); }, Task::regress).empty());
  EXPECT_EQ(classes([](int i) { return std::to_string(i % 30); }, Task::classify).size(), 30U);
}

// Numbers of people and places are names: their zeros are kept.
TEST_F(TableFile, KeepsTheZerosOfClasses) {
  const std::vector<std::string> names{"007", "010", "100"};
  const std::string text = rows(60, [&](int i) { return names[static_cast<std::size_t>(i % 3)]; });
  const Rows table = read(text);
  EXPECT_EQ(table.schema.classes, names);
  EXPECT_EQ(table.y.to_vector<std::int64_t>()[4], 1);
  const Rows again = read_rows(path_, table.schema, {.target = true});
  EXPECT_TRUE(array_equal(again.y, table.y));
  EXPECT_TRUE(read(text, {.task = Task::regress}).schema.classes.empty());
  write_bytes(folder_ / "inputs.csv", "a,b\n1,2\n3,4\n");
  std::string apart = "y\n";
  std::string inputs = "a,b\n";
  for (int i = 0; i < 60; ++i) {
    apart += names[static_cast<std::size_t>(i % 3)] + "\n";
    inputs += std::to_string(i * i % 7) + "," + std::to_string(i % 5) + "\n";
  }
  write_bytes(folder_ / "targets.csv", apart);
  EXPECT_EQ(read(inputs, {.target_file = folder_ / "targets.csv"}).schema.classes, names);
}

// What the model does not know is missing, not a number.
TEST_F(TableFile, HasNoNumberForAWordItDoesNotKnow) {
  const Schema schema = read("size,colour,kind\n1,red,b\n2.5,blue,a\n3,red,b\n4,blue,a\n").schema;
  write_bytes(path_, "size,colour\n1,green\n2,red\n3,\n");
  const Rows further = read_rows(path_, schema, {});
  const std::vector<double> x = further.x.to_vector<double>();
  EXPECT_EQ(x[0], 1.0);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(x[3], 1.0);
  EXPECT_TRUE(std::isnan(x[5]));
  EXPECT_EQ(further.unknown, 1);
  EXPECT_EQ(further.missing, 1);
}

TEST_F(TableFile, TellsOfCodesInFurtherRowsToo) {
  const Schema schema = read(rows(60, [](int i) { return i % 2 == 0 ? "yes" : "no"; })).schema;
  write_bytes(path_, "a,b\n1,2\n-999,3\n4,5\n");
  EXPECT_EQ(read_rows(path_, schema, {}).notices,
            std::vector<std::string>{"column \"a\": -999 (once, in line 3) may stand for a missing value: it "
                                     "is read as a number"});
}

TEST_F(TableFile, NumbersClassesAndWords) {
  const Rows table = read("size,colour,kind\n1,red,b\n2.5,blue,a\n3,red,b\n4,,a\n", {.target = "kind"});
  EXPECT_EQ(table.schema.input_names(), (std::vector<std::string>{"size", "colour"}));
  EXPECT_TRUE(table.schema.inputs[1].holds_words);
  EXPECT_EQ(table.schema.inputs[1].words, (std::vector<std::string>{"blue", "red"}));
  EXPECT_TRUE(array_equal(table.y, tensor({1, 0, 1, 0})));
  EXPECT_EQ(table.x.at({1, 0}), 2.5);
  EXPECT_EQ(table.x.at({0, 1}), 1.0);
  EXPECT_TRUE(std::isnan(table.x.at({3, 1})));
  EXPECT_EQ(table.missing, 1);
  EXPECT_EQ(table.notices,
            (std::vector<std::string>{"1 missing value filled in, the first in line 5, column \"colour\": by "
                                      "means, and words by none of the words"}));
}

TEST_F(TableFile, FindsTheTarget) {
  const std::string text = "a,b,c\n1,2,3.5\n4,5,6.5\n7,8,9.5\n";
  EXPECT_EQ(read(text).schema.target, "c");
  EXPECT_EQ(read(text, {.target = "a"}).schema.target, "a");
  EXPECT_EQ(read(text, {.target = "1"}).schema.target, "b");
  EXPECT_EQ(read(text, {.target = "-3"}).schema.target, "a");
  EXPECT_EQ(read(text, {.target = "c", .ignore = {"a"}}).schema.input_names(),
            (std::vector<std::string>{"b"}));
  const std::filesystem::path apart = folder_ / "targets.txt";
  write_bytes(apart, "1.5e2\n7.5e1\n1.25\n");
  const Rows rows = read(text, {.target_file = apart});
  EXPECT_EQ(rows.schema.inputs.size(), 3U);
  EXPECT_EQ(rows.schema.target, "");
  EXPECT_TRUE(array_equal(rows.y, tensor({150.0, 75.0, 1.25}, DType::f64)));
  write_bytes(apart, "1\n2\n");
  expect_refusal([&] { read(text, {.target_file = apart}); },
                 "[csv] " + apart.string() + ": there are 2 targets for the 3 rows of " + path_.string());
}

TEST_F(TableFile, LeavesOutRowsAndColumns) {
  std::string text = "id,name,x,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i + 7) + ",person " + std::to_string(i) + "," +
            (i == 3 ? "NA" : std::to_string(i % 7)) + "," + (i == 5 ? "" : std::to_string(i) + ".5") + "\n";
  const Rows kept = read(text);
  EXPECT_EQ(kept.schema.input_names(), (std::vector<std::string>{"x"}));
  EXPECT_EQ(
      kept.notices,
      (std::vector<std::string>{
          "column \"id\" left out: it counts the rows", "column \"name\" left out: it has 40 different words",
          "1 row without a target left out, the first in line 7",
          "1 missing value filled in, the first in line 5, column \"x\": by means, and words by none of "
          "the words"}));
  EXPECT_EQ(kept.size(), 39);
  EXPECT_EQ(kept.numbers[5], 6);
  const Rows dropped = read(text, {.missing = Missing::drop});
  EXPECT_EQ(dropped.size(), 38);
  EXPECT_EQ(dropped.dropped, 2);
  expect(text, "line 5, column \"x\": the value is missing", {.missing = Missing::refuse});
}

TEST_F(TableFile, RefusesWhatCannotBeLearned) {
  expect("a,b\n1,2\n", "there is no column \"z\"; it has a, b", {.target = "z"});
  expect("a,b\n1,2\n", "there is no column \"2\"; it has a, b", {.target = "2"});
  expect("a,b\n1,2\n3,2\n", "the target \"b\" is always 2: there is nothing to learn");
  expect("a,b\n1,x\n3,x\n", "the target \"b\" is always x: there is nothing to learn");
  expect(
      "a,b\n1,x\n3,-\n",
      "the target \"b\" is always x (\"-\" in line 3 stands for a missing value): there is nothing to learn");
  expect("a,b\n1,\n3,\n", "the target \"b\" is missing in every row");
  expect("a,b\n1,x\n2,y\n3,x\n4,y\n",
         "the target \"b\" holds words such as \"x\" (line 2): numbers cannot be predicted from it",
         {.task = Task::regress});
  expect("a,b\n1,x\n2,y\n3,z\n",
         "the target \"b\" has 3 different words in 3 rows: too few rows a class to learn from");
  expect("a,b\n1,1.5\n2,2\n3,3\n",
         "the target \"b\" does not hold classes: it has 3 different numbers in 3 rows",
         {.task = Task::classify});
  expect("y\n1\n2\n", "no column is left to predict the target from");
  expect("a,b\n1,2\ninf,3\n", "line 3, column \"a\": the number is not finite");
  expect("a,b\n", "there are no rows below the names of the columns", {.hints = {.header = true}});
  expect("a,b\n", "there is only line 1: names of columns and rows below them are expected");
  expect("a,b\n", "there is only line 1: names of columns and rows below them are expected", {.target = "b"});
  expect("a,b\n3,x\n", "there is only one row: nothing can be learned from it");
  expect("a,b\n1,1.5\n2,2.5\n3,abc\n4,4.5\n",
         "line 4, the target \"b\": \"abc\" is not a number, as 3 of its 4 fields are");
}

// What was decided before may be why there is nothing to learn.
TEST_F(TableFile, RefusesWithTheReasons) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i)
    text += (i == 7 ? "oops" : std::to_string(i * i) + ".5") + "," + std::to_string(i) + ".5\n";
  expect(text,
         "no column is left to predict the target from (column \"x\" is read as words: \"oops\" in line 9 is "
         "not "
         "a number, as 39 of its 40 fields are; column \"x\" left out: it has 40 different words)");
  // What begins as text may hold anything; the message goes on behind it.
  text = "x,y\n";
  for (int i = 0; i < 999; ++i) text += std::to_string(i * i) + ".5," + std::to_string(i) + ".5\n";
  expect(text + std::string("1\0,2.5\n", 7),
         "no column is left to predict the target from (column \"x\" is read as words: \"1\\x00\" in line "
         "1001 is "
         "not a number, as 999 of its 1000 fields are; column \"x\" left out: it has 1000 different words)");
  expect(
      "2019;x;y\n1,5;2;3\n2;3;3\n4;5;3\n",
      "the target \"y\" is always 3: there is nothing to learn (line 1 is taken for the names of the "
      "columns, "
      "as a word in it stands above numbers: `header = no` if it is a row; column \"2019\": \"1,5\" in line "
      "2 is "
      "read as a number with a decimal comma)");
}

TEST_F(TableFile, IsToldTheSeparator) {
  const std::string note = "line 1 names the separator (sep=): it is no part of the table";
  const Rows table = read("sep=;\na;b;y\n1;2;3.5\n2;9;4.5\n3;7;5.5\n");
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(table.lines[0], 3);
  EXPECT_EQ(table.notices, std::vector<std::string>{note});
  EXPECT_EQ(read_rows(path_, table.schema, {.target = true}).notices, std::vector<std::string>{note});
  write_bytes(folder_ / "targets.csv", "sep=,\ny\n1.5\n2.5\n3.5\n");
  EXPECT_EQ(read("a,b\n1,2\n2,9\n3,7\n", {.target_file = folder_ / "targets.csv"}).notices,
            std::vector<std::string>{(folder_ / "targets.csv").string() + ": " + note});
}

TEST_F(TableFile, TellsOfATargetThatCountsTheRows) {
  const std::string told =
      " counts the rows, which says nothing about them: `target = NAME` chooses another column";
  const std::string text = rows(40, [](int i) { return std::to_string(i + 1); });
  EXPECT_EQ(read(text).notices, std::vector<std::string>{"the target \"y\"" + told});
  EXPECT_EQ(read(text, {.target = "y"}).notices.size(), 1U);
  EXPECT_EQ(read(text, {.target = "a"}).notices,
            std::vector<std::string>{"column \"y\" left out: it counts the rows"});
  EXPECT_TRUE(read(rows(40, [](int i) { return std::to_string(i == 7 ? 100 : i); })).notices.empty());
  std::string inputs = "a\n";
  std::string apart = "y\n";
  for (int i = 0; i < 40; ++i) {
    inputs += std::to_string(i * 7 % 40) + ".5\n";
    apart += std::to_string(i) + "\n";
  }
  write_bytes(folder_ / "targets.csv", apart);
  EXPECT_EQ(read(inputs, {.target_file = folder_ / "targets.csv"}).notices,
            std::vector<std::string>{(folder_ / "targets.csv").string() + ": the target \"y\"" + told});
}

TEST_F(TableFile, TellsOfNumbersThatAreFarFromAllOthers) {
  const auto notices = [&](const std::string& wild, int every, bool in_target) {
    std::string text = "x,y\n";
    for (int i = 0; i < 60; ++i) {
      const std::string usual = std::to_string(i * 7 % 60) + ".5";
      const std::string value = i % every == 5 ? wild : usual;
      text += (in_target ? usual + "," + value : value + "," + usual) + "\n";
    }
    return read(text).notices;
  };
  const std::string others =
      " is far from all others, which lie from 0.5 to 59.5: the model draws it in to "
      "these. If it is a mistake or stands for a missing value, leave the field empty";
  EXPECT_EQ(notices("1e160", 100, false),
            std::vector<std::string>{"column \"x\": 1e+160 in line 7" + others});
  EXPECT_EQ(notices("-50000", 100, true),
            std::vector<std::string>{"column \"y\": -50000 in line 7" + others});
  EXPECT_EQ(notices("99999", 20, false),
            std::vector<std::string>{"column \"x\": 99999 in line 7, the first of 3 such numbers," + others});
  EXPECT_EQ(notices("600", 20, false), std::vector<std::string>{});
  EXPECT_EQ(
      notices("999", 20, false),
      std::vector<std::string>{"column \"x\": 999 (3 times, first in line 7) may stand for a missing value: "
                               "it is read as a number"});
  EXPECT_EQ(notices("999", 100, false),
            std::vector<std::string>{
                "column \"x\": 999 (once, in line 7) may stand for a missing value: it is read as a number"});
  EXPECT_EQ(notices("99", 20, false),
            std::vector<std::string>{
                "column \"x\": 99 (3 times, first in line 7) may stand for a missing value: it "
                "is read as a number"});
  EXPECT_EQ(notices("99", 30, false), std::vector<std::string>{});
  // Targets in a file of their own.
  std::string inputs = "a\n";
  std::string apart = "y\n";
  for (int i = 0; i < 60; ++i) {
    inputs += std::to_string(i * 7 % 60) + ".5\n";
    apart += (i == 5 ? "1e9" : std::to_string(i) + ".5") + "\n";
  }
  write_bytes(folder_ / "targets.csv", apart);
  EXPECT_EQ(read(inputs, {.target_file = folder_ / "targets.csv"}).notices,
            std::vector<std::string>{(folder_ / "targets.csv").string() +
                                     ": column \"y\": 1000000000 in line 7" + others});
}

// 007 is not 7, and two numbers of 21 digits are two, though f64 has one for both.
TEST_F(TableFile, TellsDigitsByTheirText) {
  const auto classes = [&](const std::string& first, const std::string& second, Task task = Task::automatic) {
    const Rows table = read(rows(60, [&](int i) { return i % 3 == 0 ? first : second; }), {.task = task});
    EXPECT_TRUE(array_equal(read_rows(path_, table.schema, {.target = true}).y, table.y));
    return table.schema.classes;
  };
  EXPECT_EQ(classes("007", "7"), (std::vector<std::string>{"007", "7"}));
  EXPECT_EQ(classes("7", "007", Task::classify), (std::vector<std::string>{"007", "7"}));
  EXPECT_EQ(classes("123456789012345678901", "123456789012345678902"),
            (std::vector<std::string>{"123456789012345678901", "123456789012345678902"}));
  EXPECT_EQ(classes("9007199254740993", "9007199254740992"),
            (std::vector<std::string>{"9007199254740992", "9007199254740993"}));
  EXPECT_TRUE(classes("0.5", "7").empty());
  expect(rows(60, [](int i) { return i % 3 == 0 ? "007" : "7"; }),
         "the target \"y\" is always 7: there is nothing to learn", {.task = Task::regress});
  expect(rows(60, [](int) { return "123456789012345678901"; }),
         "the target \"y\" is always 1.2345678901234568e+20: there is nothing to learn");

  const auto input = [&](int different) {
    std::string text = "k,y\n";
    for (int i = 0; i < 400; ++i)
      text +=
          (i % 5 == 0 ? "0" : "") + std::to_string(i / 5 % different + 1) + "," + std::to_string(i) + ".5\n";
    return read(text);
  };
  const Rows words = input(2);
  EXPECT_EQ(words.schema.inputs[0].words, (std::vector<std::string>{"01", "02", "1", "2"}));
  EXPECT_EQ(words.notices, std::vector<std::string>{
                               "column \"k\" is read as words: \"01\" and \"1\" would be the same number"});
  const Rows numbers = input(80);
  EXPECT_FALSE(numbers.schema.inputs[0].holds_words);
  EXPECT_EQ(numbers.notices,
            std::vector<std::string>{"column \"k\": \"01\" and \"1\" are read as the same number"});
  // Months are numbers.
  const Rows months = read(rows(60, [](int i) { return std::to_string(i) + ".5"; }) + "01,02,7.25\n");
  EXPECT_FALSE(months.schema.inputs[0].holds_words);
}

TEST_F(TableFile, LeavesOutWhatIsMissingInEveryRow) {
  std::string text = "s,m,d,x,y\n";
  for (int i = 0; i < 30; ++i)
    text += std::string(i % 2 == 0 ? "" : "-") + ",," + (i == 4 ? "-" : std::to_string(i % 7)) + "," +
            std::to_string(i * i % 31) + "," + std::to_string(i) + ".5\n";
  const Rows table = read(text);
  EXPECT_EQ(table.schema.input_names(), (std::vector<std::string>{"d", "x"}));
  EXPECT_EQ(
      table.notices,
      (std::vector<std::string>{
          "column \"s\" left out: it is missing in every row (\"-\" in line 3 stands for a missing value)",
          "column \"m\" left out: it is empty in every row",
          "1 missing value filled in, the first in line 6, column \"d\": by means, and words by none of the "
          "words; \"-\" in line 6, column \"d\", stands for a missing value"}));
}

TEST_F(TableFile, LeavesOutWhatNeverChanges) {
  const auto table = [&](const std::string& names, const std::string& values, const std::string& odd) {
    std::string text = names + ",x,y\n";
    for (int i = 0; i < 30; ++i)
      text += (i == 4 ? odd : values) + "," + std::to_string(i * i % 31) + "," + std::to_string(i) + ".5\n";
    return read(text);
  };
  const Rows number = table("c", "5", "5");
  EXPECT_EQ(number.schema.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(number.notices, std::vector<std::string>{"column \"c\" left out: it is always 5"});
  EXPECT_EQ(table("c", "5", "").notices, std::vector<std::string>{"column \"c\" left out: it is always 5"});
  EXPECT_EQ(table("c,d,e", "red,5,0.5", "red,5,0.5").notices,
            std::vector<std::string>{
                "3 columns left out that never change, the first \"c\", which is always \"red\""});
  EXPECT_EQ(table("c", "5", "6").schema.inputs.size(), 2U);
  EXPECT_EQ(table("c", "red", "").schema.inputs.size(), 2U);  // that it is missing may say something
  expect("c,y\n5,1.5\n5,2.5\n5,3.5\n",
         "no column is left to predict the target from (column \"c\" left out: it is always 5)");
}

TEST_F(TableFile, TellsOfClassesThatMayBeMistakes) {
  const Rows table = read(rows(60, [](int i) {
    return i == 8 ? "rare" : i % 5 == 0 ? "YES" : i % 5 == 1 ? "Yes" : i % 5 == 2 ? "yes" : "no";
  }));
  EXPECT_EQ(table.schema.classes.size(), 5U);
  EXPECT_EQ(table.notices, (std::vector<std::string>{
                               "the target \"y\": \"YES\", \"Yes\" and \"yes\" differ in capital letters "
                               "alone; they are read as different",
                               "the target \"y\": a class of a single row, \"rare\" in line 10: who learns "
                               "from it cannot be judged by it"}));
  std::string text = "city,y\n";
  for (int i = 0; i < 60; ++i)
    text += std::string(i % 3 == 0 ? "Bonn" : i % 3 == 1 ? "bonn" : "Ulm") + "," + std::to_string(i) + ".5\n";
  EXPECT_EQ(
      read(text).notices,
      std::vector<std::string>{"column \"city\": \"Bonn\" and \"bonn\" differ in capital letters alone; they "
                               "are read as different"});
}

TEST_F(TableFile, TellsOfManyClassesOfOneRowOrTwo) {
  // So many classes of two rows, the last of one, and one that all other rows have.
  const auto notices = [&](int rare, int others) {
    return read(rows(2 * rare - 1 + others,
                     [&](int i) { return i < 2 * rare - 1 ? "n" + std::to_string(i / 2) : "other"; }))
        .notices;
  };
  EXPECT_EQ(notices(12, 10), std::vector<std::string>{"the target \"y\": 12 of 13 classes have one or two "
                                                      "rows, the first \"n0\" in line 2: too few to learn "
                                                      "them from"});
  EXPECT_EQ(notices(9, 10),
            std::vector<std::string>{"the target \"y\": a class of a single row, \"n8\" in line 18: who "
                                     "learns from it cannot be judged by it"});
  const auto many = rows(200, [](int i) { return "n" + std::to_string(i < 40 ? i / 2 : i % 25); });
  EXPECT_TRUE(read(many).notices.empty());
}

TEST_F(TableFile, KeepsItsSchemaAsText) {
  const Schema schema = read("size,colour,kind\n1,red,b\n2.5,blue,a\n3,red,b\n4,,a\n").schema;
  const Schema again = Schema::parse(schema.text(), "columns.json");
  EXPECT_EQ(again.text(), schema.text());
  EXPECT_EQ(again.inputs[1].words, schema.inputs[1].words);
  EXPECT_FALSE(again.inputs[0].holds_words);
  expect_refusal([] { Schema::parse("{}", "columns.json"); },
                 "[csv] columns.json does not describe the columns of a table");
}

TEST_F(TableFile, ReadsFurtherRowsByName) {
  const Schema schema = read("size,colour,kind\n1,red,b\n2.5,4,a\n3,red,b\n4,,a\n").schema;
  // Another order, another column, numbers in a column of words, a word that is not known.
  write_bytes(path_, "colour,extra,size\n4,x,10\n5,y,\nred,z,12\n");
  const Rows further = read_rows(path_, schema);
  EXPECT_EQ(further.x.at({0, 1}), 0.0);
  EXPECT_EQ(further.x.at({2, 1}), 1.0);
  EXPECT_EQ(further.x.at({2, 0}), 12.0);
  EXPECT_TRUE(std::isnan(further.x.at({1, 0})));
  EXPECT_EQ(further.unknown, 1);
  EXPECT_EQ(further.missing, 1);
  EXPECT_FALSE(further.y.defined());
  write_bytes(path_, "size,kind\n1,a\n");
  const std::string file = "[csv] " + path_.string() + ": ";
  expect_refusal([&] { read_rows(path_, schema); },
                 file + "the model needs \"colour\"; there are only size, kind");
  write_bytes(path_, "size,colour\nbig,red\n");
  expect_refusal([&] { read_rows(path_, schema); },
                 file + "line 2, column \"size\": \"big\" is not a number");
  expect_refusal([&] { read_rows(path_, schema, {.target = true}); }, file + "there is no target \"kind\"");
  write_bytes(path_, "size,colour,kind\n1,red,c\n");
  EXPECT_EQ(read_rows(path_, schema).size(), 1);
  expect_refusal([&] { read_rows(path_, schema, {.target = true}); },
                 file + "the target \"kind\" has the class \"c\", which the model does not know");
}

TEST_F(TableFile, SaysWhatItDecided) {
  std::string text = "x;ort;2019;y\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(i * i % 17) + ",5;" + (i % 2 == 0 ? "M\xFCnchen;" : "K\xF6ln;") +
            (i == 4   ? "abc"
             : i == 9 ? "-999"
                      : std::to_string(i % 7)) +
            ";" +
            (i == 6       ? "None"
             : i % 3 == 0 ? "ja"
                          : "nein") +
            "\n";
  const Rows table = read(text);
  EXPECT_EQ(table.schema.inputs[1].words, (std::vector<std::string>{"K\u00F6ln", "M\u00FCnchen"}));
  EXPECT_EQ(
      table.notices,
      (std::vector<std::string>{
          "line 1 is taken for the names of the columns, as a word in it stands above numbers: `header = no` "
          "if it "
          "is a row",
          "line 2: \"M\u00FCnchen\" is not written in UTF-8: such letters are read as Windows-1252 (Latin-1)",
          "column \"x\": \"0,5\" in line 2 is read as a number with a decimal comma",
          "column \"2019\" is read as words: \"abc\" in line 6 is not a number, as 29 of its 30 fields are",
          "1 row without a target left out, the first in line 8 (\"None\" in line 8 stands for a missing "
          "value)"}));
  // And of further rows, in the same letters or in UTF-8.
  write_bytes(path_, "ort;x;2019\nK\xF6ln;1,5;3\nM\u00FCnchen;;4\nBremen;;5\n\xDClm;2;6\n");
  const Rows further = read_rows(path_, table.schema);
  EXPECT_EQ(further.x.at({0, 1}), 0.0);
  EXPECT_EQ(further.x.at({1, 1}), 1.0);
  EXPECT_EQ(further.missing, 2);
  EXPECT_EQ(further.unknown, 2);
  EXPECT_EQ(
      further.notices,
      (std::vector<std::string>{
          "line 2: \"K\u00F6ln\" is not written in UTF-8: such letters are read as Windows-1252 (Latin-1)",
          "column \"x\": \"1,5\" in line 2 is read as a number with a decimal comma",
          "2 missing values filled in, the first in line 3, column \"x\": by means, and words by none of the "
          "words",
          "2 words that the model does not know, the first \"Bremen\" in line 4, column \"ort\": taken for "
          "none "
          "of its words"}));
  expect_refusal([&] { read_rows(path_, table.schema, {.missing = Missing::refuse}); },
                 "[csv] " + path_.string() + ": line 3, column \"x\": the value is missing");
  write_bytes(path_, "ort;x;2019\nBremen;1,5;3\n");
  expect_refusal([&] { read_rows(path_, table.schema, {.missing = Missing::refuse}); },
                 "[csv] " + path_.string() + ": line 2, column \"ort\": the model does not know \"Bremen\"");
  const Rows codes = read(rows(60, [](int i) { return i == 7 ? "-999" : std::to_string(i) + ".5"; }));
  EXPECT_EQ(codes.notices, (std::vector<std::string>{"column \"y\": -999 (once, in line 9) may stand for a "
                                                     "missing value: it is read as a number"}));
}

TEST_F(TableFile, ReadsFurtherRowsByPlace) {
  const Schema schema = read("4,2,cat,dog\n1.5,2,0\n3,4,1\n5,6,1\n7,7,0\n").schema;
  EXPECT_EQ(schema.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(schema.nameless_columns, 3);
  write_bytes(path_, "9,8\n7,6\n");  // without the target
  EXPECT_EQ(read_rows(path_, schema).x.at({1, 0}), 7.0);
  write_bytes(path_, "9,8,1\n7,6,0\n");
  EXPECT_TRUE(array_equal(read_rows(path_, schema, {.target = true}).y, tensor({1, 0})));
  write_bytes(path_, "2,2,dog,cat\n9,8,1\n7,6,0\n");  // names of its own
  EXPECT_TRUE(array_equal(read_rows(path_, schema, {.target = true}).y, tensor({0, 1})));
  write_bytes(path_, "9,8,1,4\n");
  expect_refusal([&] { read_rows(path_, schema); },
                 "[csv] " + path_.string() + ": 3 columns are needed, or the 2 inputs alone; it has 4");
}

TEST_F(TableFile, ReadsTheTablesOfScikitLearn) {
  LIKELY_SHARED_DATA(toys, "sklearn_toy");
  const Rows wine = read_table({.file = toys / "wine_data.csv"});
  EXPECT_EQ(wine.size(), 178);
  EXPECT_EQ(wine.schema.inputs.size(), 13U);
  EXPECT_EQ(wine.schema.classes, (std::vector<std::string>{"class_0", "class_1", "class_2"}));
  const Rows digits = read_table({.file = toys / "digits.csv.gz"});
  EXPECT_EQ(digits.size(), 1797);
  EXPECT_EQ(digits.schema.classes.size(), 10U);
  const Rows diabetes =
      read_table({.file = toys / "diabetes_data_raw.csv.gz", .target_file = toys / "diabetes_target.csv.gz"});
  EXPECT_EQ(diabetes.size(), 442);
  EXPECT_EQ(diabetes.schema.inputs.size(), 10U);
  EXPECT_FALSE(diabetes.schema.classifies());
}

}  // namespace
}  // namespace likely::tables
