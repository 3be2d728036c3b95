#include "likely/io/csv_layout.hpp"

#include <gtest/gtest.h>

#include <string>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

class CsvLayoutTest : public ::testing::Test {
 protected:
  CsvLayout guess(const std::string& text, const CsvHints& hints = {}) {
    write_bytes(path_, text);
    return guess_csv_layout(path_, hints);
  }
  Table read(const std::string& text) {
    const CsvLayout layout = guess(text);
    return read_csv(path_, layout.options());
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "table.txt";
};

TEST_F(CsvLayoutTest, FindsTheSeparator) {
  EXPECT_EQ(guess("a,b\n1,2\n3,4\n").separator, ',');
  EXPECT_EQ(guess("a;b\n1,5;2\n3,5;4\n").separator, ';');
  EXPECT_EQ(guess("a\tb\n1 x\t2\n3 y\t4\n").separator, '\t');
  EXPECT_EQ(guess("a b\n1 2\n3 4\n").separator, ' ');
  EXPECT_EQ(guess("first name,age\nAnna Maria,3\nBo,4\n").separator, ',');
  EXPECT_EQ(guess("\"a, b\";c\n\"x, y\";1\n").separator, ';');
  EXPECT_EQ(guess("y\n1\n2\n").separator, ',');
  EXPECT_EQ(guess("a|b\n1|2\n3|4\n").separator, '|');
  EXPECT_EQ(guess("a|b\n1,5|2\n3,5|4\n").separator, '|');
  EXPECT_EQ(guess("name,tags\nanna,x|y\nbo,z\n").separator, ',');
  EXPECT_EQ(guess("a;b,c;d\n1;2,3;4\n", {.separator = ','}).separator, ',');
}

TEST_F(CsvLayoutTest, FindsTheHeader) {
  EXPECT_TRUE(guess("a,b\n1,2\n").header);
  EXPECT_FALSE(guess("1,2\n3,4\n").header);
  EXPECT_TRUE(guess("name,kind\nanna,cat\nbo,dog\n").header);   // words that do not come again
  EXPECT_FALSE(guess("cat,red\ndog,blue\ncat,blue\n").header);  // words that do
  EXPECT_FALSE(guess("cat,1\ndog,2\n").header);                 // a number among the names
  EXPECT_TRUE(guess("a,b\n1,?\n,2\n").header);                  // what is missing says nothing
  EXPECT_FALSE(guess("only,one\n").header);
  EXPECT_FALSE(guess("a,b\n1,2\n", {.header = false}).header);
  EXPECT_TRUE(guess("1,2\n3,4\n", {.header = true}).header);
}

// Numbers as names, and names that may be data: what is decided is said.
TEST_F(CsvLayoutTest, SaysWhatItDecidesWhereNamesMayBeNumbers) {
  const std::string names = "line 1 is taken for the names of the columns, as ";
  const auto expect = [&](const std::string& text, bool header, const std::string& note) {
    const CsvLayout layout = guess(text);
    EXPECT_EQ(layout.header, header) << text;
    EXPECT_EQ(layout.note, note) << text;
  };
  const std::string counts =
      names + "its numbers count up and those of no other line do: `header = no` if it is a row";
  expect("2019,2020,2021\n3.5,4,7\n1,2.5,9\n", true, counts);
  expect("1,2,3\n8,4,7\n1,5,9\n", true, counts);
  expect("town,2019,2020\nBern,3,8\nZug,1,5\n", true, counts);
  expect("town,5,6\nBern,3,8\nZug,1,5\n", false, "");
  expect("1,2,3\n4,5,6\n9,8,7\n", false, "");
  expect("1,2,2\n8,4,7\n", false, "");
  const std::string above = names + "a word in it stands above numbers: `header = no` if it is a row";
  expect("id,10,20\n1,3,8\n2,1,5\n", true, above);
  const std::string row =
      "line 1 is taken for a row, though a word in it stands above numbers, as its numbers ";
  const std::string yes = ": `header = yes` if it has the names of the columns";
  expect("id,1.5,20\n1,3,8\n2,1,5\n", false, row + "are not whole or not all different" + yes);
  expect("id,5,5\n1,3,8\n2,1,6\n", false, row + "are not whole or not all different" + yes);
  // A word that stands for a missing value among values like those below.
  expect("unknown,12,7,1\n34,10,3,0\n31,12,7,0\n40,11,3,1\n", false, row + "come again below" + yes);
  expect("unknown,12,7,1\n34,10,3,0\n31,13,8,0\n40,11,3,2\n", true, above);
  // Years with gaps, and equal steps.
  expect("town,2015,2018,2024\nBern,3,8,4\nZug,1,5,9\n", true, counts);
  expect("town,2015,2018\nBern,3,8\nZug,1,5\n", true, counts);
  expect("town,2018,2015\nBern,3,8\nZug,1,5\n", false, "");
  expect("dose,10,20,30,40\nlow,3,8,4,1\nhigh,1,5,9,2\n", true, counts);
  expect("dose,10,20,30\nlow,3,8,4\nhigh,1,5,9\n", false, "");
  expect("dose,10,20,30,40\nlow,3,8,4,1\nhigh,1,3,5,7\n", false, "");
  expect("10,20\n0.5,0.25\n1,0.75\n", false,
         "line 1 is taken for a row, though its numbers are whole and those below are not: `header = yes` if "
         "it has "
         "the names of the columns");
  expect("name,kind\nanna,cat\nbo,dog\n", true,
         names + "nothing of it comes again below: `header = no` if it is a row");
  expect("a,b\n1,2\n", true, "");
  expect("3,5;4,5\n1,5;2\n", false, "");
  expect("x;y\n1,5;2\n", true, "");
  EXPECT_EQ(guess("a title\n\n1,2,3\n8,4,7\n", {.skip = 1}).note, "line 3" + counts.substr(6));
}

TEST_F(CsvLayoutTest, KnowsALineThatCountsTheRows) {
  const CsvLayout layout = guess("\n3,2,cat,dog\n1.5,2,0\n3,4,1\n5,6,1\n");
  EXPECT_EQ(layout.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(layout.skip, 2);
  EXPECT_FALSE(layout.header);
  const Table table = read_csv(path_, layout.options());
  EXPECT_EQ(table.rows(), 3);
  EXPECT_TRUE(array_equal(table["2"], tensor({0, 1, 1})));
  // Not if the rows, the columns or the classes disagree with it.
  EXPECT_TRUE(guess("4,2,cat,dog\n1.5,2,0\n3,4,1\n5,6,1\n").classes.empty());
  EXPECT_TRUE(guess("3,3,cat,dog\n1.5,2,0\n3,4,1\n5,6,1\n").classes.empty());
  EXPECT_TRUE(guess("3,2,cat,dog\n1.5,2,0\n3,4,1\n5,6,2\n").classes.empty());
}

TEST_F(CsvLayoutTest, ReadsRunsOfBlanksAndSkipsLines) {
  const Table table = read(" a   b\n 1  2.5 \n\n-3\t 4\n   \n");
  EXPECT_EQ(table.rows(), 2);
  EXPECT_TRUE(array_equal(table["a"], tensor({1, -3})));
  EXPECT_TRUE(array_equal(table["b"], tensor({2.5, 4.0}, DType::f64)));
  write_bytes(path_, "it's \"a title\nx y\n\"one two\" 3\n");
  const CsvLayout layout = guess_csv_layout(path_, {.skip = 1});
  const Table skipped = read_csv(path_, layout.options());
  EXPECT_EQ(skipped.column("x").categories, (std::vector<std::string>{"one two"}));
  EXPECT_TRUE(array_equal(skipped["y"], tensor({3})));
}

TEST_F(CsvLayoutTest, RefusesWhatHasNoLines) {
  write_bytes(path_, "\n\n");
  expect_refusal([&] { guess_csv_layout(path_); },
                 "[read_csv] " + path_.string() + ": there are no lines to read");
  write_bytes(path_, "one\ntwo");
  expect_refusal([&] { guess_csv_layout(path_, {.skip = 3}); },
                 "[read_csv] " + path_.string() + ": 3 lines are to be skipped, there are 2");
  expect_refusal([&] { guess_csv_layout(path_, {.skip = -1}); },
                 "[read_csv] a number of lines to skip is expected, got -1");
  expect_refusal([&] { read_csv(path_, {.skip = -1}); },
                 "[read_csv] a number of lines to skip is expected, got -1");
}

TEST_F(CsvLayoutTest, SaysHowToPassOverWhatStandsBeforeATable) {
  const auto expect = [&](const std::string& text, const std::string& message) {
    write_bytes(path_, text);
    expect_refusal([&] { guess_csv_layout(path_); }, "[read_csv] " + path_.string() + message);
  };
  const std::string rows = "a,b,y\n1,2,3\n4,5,6\n7,8,9\n";
  expect(
      "My measurements\n\n" + rows,
      ", line 1: 1 field, but the lines from line 3 on have 3: `skip = 2` passes over what stands before the "
      "table");
  expect("# made in May, by me\n# second line\n" + rows,
         ", line 1: 2 fields, but the lines from line 3 on have 3: `skip = 2` passes over what stands before "
         "the "
         "table");
  EXPECT_EQ(guess("# made in May, by me\n# second line\n" + rows, {.skip = 2}).header, true);
  EXPECT_EQ(guess("#a,b,y\n1,2,3\n4,5,6\n").header, true);  // names all the same
  guess("a,b\n1,2,3\n4,5,6\n7,8,9\n");                      // for the reading to refuse
  guess("a,b,c\n1,2,3\nnote\n4,5,6\n7,8,9\n");
}

TEST_F(CsvLayoutTest, KnowsTitlesWithEmptyFields) {
  const auto expect = [&](const std::string& text, const std::string& message) {
    write_bytes(path_, text);
    expect_refusal([&] { guess_csv_layout(path_); }, "[read_csv] " + path_.string() + message);
  };
  const std::string rows = "a;b;c;y\n1;2;3;4\n5;6;7;8\n9;1;2;3\n";
  const std::string skip = ": `skip = 2` passes over what stands before the table";
  expect("Report of 2024;;;\n;;;\n" + rows,
         ", line 1: 1 of 4 fields filled, but line 3 has names in all" + skip);
  expect(";;;\n;;Report;\n" + rows, ", line 1: 0 of 4 fields filled, but line 3 has names in all" + skip);
  expect("Report\n;;;\n" + rows, ", line 1: 1 field, but the lines from line 3 on have 4" + skip);
  expect("Report;;;\nof 2024\n" + rows, ", line 1: 1 of 4 fields filled, but line 3 has names in all" + skip);
  EXPECT_TRUE(guess("Report of 2024;;;\n;;;\n" + rows, {.skip = 2}).header);
  // Rows of which little is known, and names of some columns alone.
  guess("x;;;\n1;2;3;4\n5;6;7;8\n9;1;2;3\n");
  guess(";;;5\na;b;c;d\ne;f;g;h\ni;j;k;l\n");
  guess(";a;b\n1;2;3\n4;5;6\n7;8;9\n");
}

// Spreadsheets tell each other so.
TEST_F(CsvLayoutTest, IsToldTheSeparator) {
  const CsvLayout told = guess("sep=;\na;b\n1,5;2\n3,5;4\n");
  EXPECT_EQ(told.separator, ';');
  EXPECT_EQ(told.skip, 1);
  EXPECT_TRUE(told.header);
  EXPECT_EQ(told.separator_note, "line 1 names the separator (sep=): it is no part of the table");
  const Table table = read_csv(path_, told.options());
  EXPECT_TRUE(array_equal(table["a"], tensor({1.5, 3.5}, DType::f64)));
  EXPECT_EQ(table.line(0), 3);
  EXPECT_EQ(guess("SEP=,\r\n1,2\r\n3,4\r\n").skip, 1);
  EXPECT_EQ(guess("\xEF\xBB\xBF\"sep=|\"\na|b\n1|2\n").separator, '|');
  EXPECT_EQ(guess("sep=\t\na\tb\n1\t2\n").separator, '\t');
  EXPECT_EQ(guess("title\n\nsep=;\na;b\n1;2\n", {.skip = 1}).skip, 3);
  // What is asked for counts more, and a column may be called so.
  const CsvLayout asked = guess("sep=;\na,b\n1,2\n", {.separator = ','});
  EXPECT_EQ(asked.separator, ',');
  EXPECT_EQ(asked.skip, 1);
  EXPECT_EQ(guess("sep=x\n1\n2\n").skip, 0);
  EXPECT_EQ(guess("sep=;b\n1;2\n").skip, 0);
  EXPECT_EQ(guess("a,b\n1,2\n").separator_note, "");
}

TEST_F(CsvLayoutTest, NamesLinesByTheirNumberInTheFile) {
  write_bytes(path_, "a title\na,b\n1,2\n3\n");
  expect_refusal([&] { read_csv(path_, {.skip = 1}); },
                 "[read_csv] " + path_.string() + ", line 4: 1 field, 2 columns are expected");
}

TEST_F(CsvLayoutTest, ReadsTheTablesOfScikitLearn) {
  LIKELY_SHARED_DATA(toys, "sklearn_toy");
  const CsvLayout cancer = guess_csv_layout(toys / "breast_cancer.csv");
  EXPECT_EQ(cancer.classes, (std::vector<std::string>{"malignant", "benign"}));
  const CsvLayout digits = guess_csv_layout(toys / "digits.csv.gz");
  EXPECT_FALSE(digits.header);
  EXPECT_EQ(digits.separator, ',');
  const CsvLayout diabetes = guess_csv_layout(toys / "diabetes_data_raw.csv.gz");
  EXPECT_EQ(diabetes.separator, ' ');
  EXPECT_EQ(read_csv(toys / "diabetes_data_raw.csv.gz", diabetes.options()).columns().size(), 10U);
}

}  // namespace
}  // namespace likely::io
