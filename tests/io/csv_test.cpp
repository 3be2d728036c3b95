#include "likely/io/csv.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <string>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/csv_stream.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;
using Kind = CsvColumn::Kind;

class Csv : public ::testing::Test {
 protected:
  Table read(const std::string& text, const CsvOptions& options = {}) {
    write_bytes(path_, text);
    return read_csv(path_, options);
  }
  void expect_broken(const std::string& text, const std::string& message, const CsvOptions& options = {}) {
    write_bytes(path_, text);
    expect_refusal([&] { read_csv(path_, options); }, "[read_csv] " + path_.string() + message);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "table.csv";
};

TEST_F(Csv, FindsOutWhatColumnsHold) {
  const Table table = read("id,height,species\n1, 2.5,cat\n2,-1e3,dog\n-3,4,cat\n");
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(table.column("id").kind, Kind::whole);
  EXPECT_EQ(table.column("height").kind, Kind::number);
  EXPECT_EQ(table.column("species").kind, Kind::category);
  EXPECT_EQ(table.column("species").categories, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(array_equal(table["id"], tensor({1, 2, -3})));
  EXPECT_TRUE(array_equal(table["height"], tensor({2.5, -1000.0, 4.0}, DType::f64)));
  EXPECT_TRUE(array_equal(table["species"], tensor({0, 1, 0})));
}

TEST_F(Csv, KeepsWholeNumbersExactly) {
  EXPECT_TRUE(array_equal(read("a\n9007199254740993\n+4\n")["a"], tensor({9007199254740993, 4})));
}

TEST_F(Csv, ReadsQuotedFields) {
  const Table table = read("\"the, name\",n\r\n\"say \"\"yes\"\"\",1\r\n \"two\nlines\" ,2\r\n5\" pipe,3");
  EXPECT_EQ(table.rows(), 3);
  EXPECT_EQ(table.column("the, name").categories,
            (std::vector<std::string>{"5\" pipe", "say \"yes\"", "two\nlines"}));
  EXPECT_TRUE(array_equal(table["the, name"], tensor({1, 2, 0})));
  EXPECT_TRUE(array_equal(table["n"], tensor({1, 2, 3})));
}

TEST_F(Csv, ReadsOtherSeparatorsAndFilesWithoutNames) {
  const Table tabs = read("a\tb\n1\t2\n\n\n3\t4\n", {.separator = '\t'});
  EXPECT_TRUE(array_equal(tabs.matrix({"b", "a"}), tensor({{2.0, 1.0}, {4.0, 3.0}})));
  const Table bare = read(
      "\xEF\xBB\xBF"
      "1;2\n3;4",
      {.separator = ';', .header = false});
  EXPECT_TRUE(array_equal(bare.matrix({"0", "1"}), tensor({{1.0, 2.0}, {3.0, 4.0}})));
}

TEST_F(Csv, KeepsOrDropsWhatIsMissing) {
  const std::string text = "a,b,c\n1,2.5,x\n,3.5,NA\n3,?,y\n4,5.5,x\n";
  const Table kept = read(text, {.missing = Missing::keep});
  EXPECT_EQ(kept.column("a").kind, Kind::number) << "NaN is none of the whole numbers";
  EXPECT_TRUE(std::isnan(kept["a"].at({1})));
  EXPECT_EQ(kept["a"].at({2}), 3.0);
  EXPECT_TRUE(std::isnan(kept["b"].at({2})));
  EXPECT_TRUE(array_equal(kept["c"], tensor({0, -1, 1, 0})));
  const Table dropped = read(text, {.missing = Missing::drop_row});
  EXPECT_EQ(dropped.rows(), 2);
  EXPECT_TRUE(array_equal(dropped["a"], tensor({1, 4})));
  EXPECT_EQ(dropped.column("c").categories, (std::vector<std::string>{"x"}));
  expect_broken(text, ", line 3: column \"a\": the value is missing");
  expect_broken("a\n1\nNA\n", ", line 3: column \"a\": the value is missing");
  EXPECT_EQ(read("a\n1\nNA\n", {.missing_words = {}}).column("a").kind, Kind::category);
}

// Lines are looked at first and read then; words are learned in between.
TEST_F(Csv, EndsWhenItIsCancelled) {
  const std::string text = "a,b\n1,x\n2,y\n3,x\n";
  constexpr int kLines = 4, kPasses = 3;
  for (int patience = 0; patience <= kLines * kPasses; ++patience) {
    int asked = 0;
    const CsvOptions options{.cancelled = [&] { return ++asked > patience; }};
    if (patience < kLines * kPasses) {
      EXPECT_THROW(read(text, options), Cancelled) << patience;
      EXPECT_EQ(asked, patience + 1);
    } else {
      EXPECT_EQ(read(text, options).rows(), 3);
    }
  }
}

TEST_F(Csv, TakesNumbersAsNamesOnRequest) {
  const Table table = read("group,x\n10,1\n9,2\n10,3\n", {.categories = {"group"}});
  EXPECT_EQ(table.column("group").categories, (std::vector<std::string>{"10", "9"}));
  EXPECT_TRUE(array_equal(table["group"], tensor({0, 1, 0})));
}

TEST_F(Csv, BecomesADataset) {
  const Table table = read("x0,x1,label,price\n1,2,b,0.5\n3,4,a,1.5\n");
  const data::Batch labels = table.dataset("label").all();
  EXPECT_TRUE(array_equal(labels.x, tensor({{1.0, 2.0, 0.5}, {3.0, 4.0, 1.5}})));
  EXPECT_TRUE(array_equal(labels.y, tensor({1, 0})));
  const data::Batch prices = table.dataset("price", {"x1"}).all();
  EXPECT_TRUE(array_equal(prices.x, tensor({{2.0}, {4.0}})));
  EXPECT_TRUE(array_equal(prices.y, tensor({0.5, 1.5})));
}

TEST_F(Csv, RefusesToLoseNumbersThatF32CannotHold) {
  const Table table = read("x,y\n1e160,0.5\n2,1e200\n");
  expect_refusal([&] { table.dataset("y"); }, "[Table::dataset] " + path_.string() +
                                                  ", column \"y\": 1e+200 is too large for f32: ask for f64");
  expect_refusal(
      [&] { table.matrix({"x"}); },
      "[Table::matrix] " + path_.string() + ", column \"x\": 1e+160 is too large for f32: ask for f64");
  EXPECT_TRUE(array_equal(table.matrix({"x"}, DType::f64), tensor({{1e160}, {2.0}}, DType::f64)));
}

TEST_F(Csv, NamesTheFirstWordThatIsNoNumber) {
  const Table table = read("x,y\n1,0\n2,0\n3x,0\nword,1\n");
  expect_refusal([&] { read("y\n1\n2\n").dataset("y"); },
                 "[Table::dataset] " + path_.string() + " has no column but the target \"y\"");
  expect_refusal([&] { table.dataset("y"); },
                 "[Table::matrix] " + path_.string() + ", line 4, column \"x\": \"3x\" is not a number");
  expect_refusal([&] { read("x,y\n1,0\n", {.categories = {"x"}}).dataset("y"); },
                 "[Table::matrix] " + path_.string() + ", column \"x\": it holds categories");
}

TEST_F(Csv, RefusesBrokenFilesWithTheLine) {
  expect_broken("", ", line 1: a line with the names of the columns is expected");
  expect_broken("a,b\n1,2\n3\n", ", line 3: 1 field, 2 columns are expected");
  expect_broken("a,b\n\"1\n2\",2\n3,4,5\n", ", line 4: 3 fields, 2 columns are expected");
  expect_broken("a,a\n", ", line 1: two columns are named \"a\"");
  expect_broken("a,b\n1,2\n\"3,4\n", ", line 3: a quote is opened here and never closed");
  expect_broken("a,b\n\"1\"x,2\n", ", line 2: a quoted field goes on after its closing quote");
  expect_broken("a\n1\n", ", line 1: there is no column \"b\"", {.categories = {"b"}});
  expect_refusal([&] { read("a,b\n1,2\n")["c"]; },
                 "[Table] " + path_.string() + " has no column \"c\", only a, b");
  const std::string none = (folder_ / "none.csv").string();
  expect_refusal([&] { read_csv(none); }, "[read_csv] cannot open " + none + ": No such file or directory");
}

TEST_F(Csv, WithoutRowsIsATable) {
  const Table table = read("a,b\n");
  EXPECT_EQ(table.rows(), 0);
  EXPECT_EQ(table.matrix({"a", "b"}).shape().string(), "(0, 2)");
}

// 20,000 lines in more than one piece, one of them long.
std::string long_file() {
  std::string text = "n,square,parity,note\n";
  for (int i = 0; i < 20'000; ++i) {
    text += std::to_string(i) + "," + std::to_string(0.25 * i * i) + (i % 2 == 0 ? ",even," : ",odd,");
    text += i == 777 ? "\"" + std::string(400'000, 'x') + "\n\"\n" : "\"a\nb\"\n";
  }
  return text;
}

TEST_F(Csv, SaysWhatIsNoText) {
  using namespace std::string_literals;
  expect_broken(
      "\x7F"
      "ELF\0\1"s,
      ": this is no text");
  expect_broken(
      "\xFF\xFE"
      "x\0,\0y\0\n\0"s,
      ": the text is UTF-16, save it as UTF-8");
}

TEST_F(Csv, StreamsInPiecesWhatItReadsAtOnce) {
  const Table whole = read(long_file());
  ASSERT_EQ(whole.rows(), 20'000);
  CsvStream stream(path_);
  std::int64_t row = 0;
  while (const auto piece = stream.next(777)) {
    for (std::int64_t i = 0; i < piece->rows(); i += 100) {
      ASSERT_EQ((*piece)["n"].at({i}), static_cast<double>(row + i));
      ASSERT_EQ((*piece)["square"].at({i}), whole["square"].at({row + i}));
      ASSERT_EQ((*piece)["parity"].at({i}), whole["parity"].at({row + i}));
      ASSERT_EQ((*piece)["note"].at({i}), whole["note"].at({row + i}));
    }
    row += piece->rows();
  }
  EXPECT_EQ(row, 20'000);
  EXPECT_FALSE(stream.next(1).has_value());
  expect_refusal([&] { stream.next(0); }, "[CsvStream] at least one row must be asked for, got 0");
}

TEST_F(Csv, IsADatasetWhoseRowsAreReadWhenAskedFor) {
  const data::Dataset whole = read(long_file()).dataset("parity", {"n", "square"});
  const data::Dataset streamed = csv_dataset(path_, "parity", {"n", "square"});
  EXPECT_EQ(streamed.size(), 20'000);
  const auto same = [](const data::Batch& a, const data::Batch& b) {
    return array_equal(a.x, b.x) && array_equal(a.y, b.y);
  };
  EXPECT_TRUE(same(streamed.rows({19'999, 0, 777, 778}), whole.rows({19'999, 0, 777, 778})));
  EXPECT_TRUE(same(streamed.batches(64, Rng(1), {.prefetch = 2})[100], whole.batches(64, Rng(1))[100]));
  EXPECT_TRUE(same(streamed.range(300, 5), whole.range(300, 5)));
  EXPECT_TRUE(array_equal(streamed.targets(), whole.targets()));
  expect_refusal([&] { csv_dataset(path_, "none"); },
                 "[Table] " + path_.string() + " has no column \"none\", only n, square, parity, note");
  expect_refusal(
      [&] { csv_dataset(path_, "n"); },
      "[Table::matrix] " + path_.string() + ", line 2, column \"parity\": \"even\" is not a number");
}

TEST_F(Csv, LeavesOutRowsAlsoWhereTheyAreStreamed) {
  write_bytes(path_, "a,b\n1,2\n,3\n4,5\n6,\n7,8\n");
  const data::Dataset rows = csv_dataset(path_, "b", {}, {.missing = Missing::drop_row});
  EXPECT_TRUE(array_equal(rows.targets(), tensor({2, 5, 8})));
  CsvStream stream(path_, {.missing = Missing::drop_row});
  EXPECT_TRUE(array_equal((*stream.next(2))["a"], tensor({1, 4})));
  EXPECT_TRUE(array_equal((*stream.next(2))["a"], tensor({7})));
}

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST_F(Csv, ReadsPackedFiles) {
  const std::filesystem::path packed = folder_ / "table.csv.gz";
  write_gzip(packed, long_file());
  EXPECT_TRUE(array_equal(read_csv(packed)["square"], read(long_file())["square"]));
  CsvStream stream(packed);
  EXPECT_EQ(stream.next(100'000)->rows(), 20'000);
  expect_refusal([&] { csv_dataset(packed, "n"); },
                 "[csv_dataset] " + packed.string() + " is packed: unpack it, or read it with CsvStream");
  const std::string bytes = testing::read_bytes(packed);
  write_bytes(packed, bytes.substr(0, bytes.size() / 2));
  const std::string said = testing::refusal_of([&] { read_csv(packed); });
  EXPECT_TRUE(
      said.starts_with("[read_csv] " + packed.string() + ": the compressed data end too early, after byte "))
      << said;
}

// Fields that are no UTF-8 become UTF-8, by each of the readers.
TEST_F(Csv, ReadsLettersOfOtherPrograms) {
  const Table table = read(
      "stra\xDF"
      "e,ort\n1,M\xFCnchen\n2,K\xF6ln\n3,M\xFCnchen\n");
  EXPECT_EQ(table.columns()[0].name, "stra\u00DFe");
  EXPECT_EQ(table.column("ort").categories, (std::vector<std::string>{"K\u00F6ln", "M\u00FCnchen"}));
  EXPECT_EQ(table.notes(), (std::vector<std::string>{
                               "line 1: \"stra\u00DFe\" is not written in UTF-8: such letters are read as "
                               "Windows-1252 (Latin-1)"}));
  EXPECT_TRUE(array_equal(csv_dataset(path_, "ort").targets(), tensor({1, 0, 1})));
  CsvStream stream(path_);
  EXPECT_EQ(stream.columns()[1].categories, table.column("ort").categories);
  EXPECT_EQ(stream.notes(), table.notes());
  // UTF-8 stays as it is, and so does a field of it in a file that is none.
  const Table mixed = read("a,b\n\u20AC,\x80\n\u00FC,\"\x93x\x94\"\n");
  EXPECT_EQ(mixed.column("a").categories, (std::vector<std::string>{"\u00FC", "\u20AC"}));
  EXPECT_EQ(mixed.column("b").categories, (std::vector<std::string>{"\u201Cx\u201D", "\u20AC"}));
  EXPECT_TRUE(read("\u00FC\n1\n").notes().empty());
}

TEST_F(Csv, KnowsAllEndsOfLines) {
  for (const std::string end : {"\n", "\r\n", "\r", "\r\r\n"}) {
    const Table table = read("a,b" + end + "1,\"x" + end + "y\"" + end + end + "2,z" + end);
    EXPECT_EQ(table.rows(), 2) << end;
    EXPECT_TRUE(array_equal(table["a"], tensor({1, 2})));
    EXPECT_EQ(table.column("b").categories, (std::vector<std::string>{"x" + end + "y", "z"}));
    EXPECT_EQ(read("a" + end + "1" + end + "2").rows(), 2);
    if (end == "\r\r\n") continue;  // two ends
    EXPECT_EQ(read("title" + end + "\"" + end + "a" + end + "1", {.skip = 2}).columns()[0].name, "a");
  }
  expect_broken("a,b\r1,2\r\r3\r", ", line 4: 1 field, 2 columns are expected");
  // Also where a piece of the file ends between both.
  std::string text = "a\r\n";
  for (int i = 0; i < 3000; ++i) text += std::to_string(i % 10) + "\r\n";
  for (const std::string before : {"", "\r\n", "\n", "\n\n"}) EXPECT_EQ(read(before + text).rows(), 3000);
}

TEST_F(Csv, SaysOnWhichLineRowsAre) {
  const Table table = read("a,b\n1,x\n   \n\n2,\"y\nz\"\n3,x\n", {.missing = Missing::keep});
  EXPECT_EQ(table.line(0), 2);
  EXPECT_EQ(table.line(1), 5);
  EXPECT_EQ(table.line(2), 7);
}

TEST_F(Csv, TakesASeparatorAtTheEndForNoColumn) {
  for (const Missing missing : {Missing::refuse, Missing::keep, Missing::drop_row}) {
    const Table table = read("a,b,\n1,2,\n3,4,\n", {.missing = missing});
    ASSERT_EQ(table.columns().size(), 2U);
    EXPECT_TRUE(array_equal(table["b"], tensor({2, 4})));
    EXPECT_EQ(table.notes(),
              (std::vector<std::string>{"every line ends in a separator: the empty last column is none"}));
  }
  EXPECT_EQ(read("1,2,\n3,4,\n", {.header = false}).columns().size(), 2U);
  // A column without a name that holds something is one.
  EXPECT_TRUE(array_equal(read("a,b,\n1,2,\n3,4,5\n", {.missing = Missing::drop_row})[""], tensor({5})));
  expect_broken(
      "a,b\n1,2,\n",
      ", line 2: 3 fields, 2 columns are expected: the line ends in a separator, that of the names does "
      "not");
  expect_broken("a,b,\n1,2\n", ", line 2: 2 fields, 3 columns are expected");
  expect_broken("a,,,\n1,2,3,\n", ", line 1: two columns have no name, one of them is number 3");
}

TEST_F(Csv, ReadsDecimalCommas) {
  const CsvOptions semicolons{.separator = ';', .missing = Missing::keep};
  const Table table = read("x;n;s\n3,5;1;a\n-0,25;2;b\n;3;c\n1e3;4;d,e\n+2,5e-1;5;f\n", semicolons);
  EXPECT_TRUE(table.column("x").decimal_comma);
  EXPECT_EQ(table["x"].at({0}), 3.5);
  EXPECT_EQ(table["x"].at({1}), -0.25);
  EXPECT_TRUE(std::isnan(table["x"].at({2})));
  EXPECT_EQ(table["x"].at({3}), 1000.0);
  EXPECT_EQ(table["x"].at({4}), 0.25);
  EXPECT_EQ(table.column("n").kind, Kind::whole);
  EXPECT_EQ(table.column("s").kind, Kind::category);
  EXPECT_EQ(
      table.notes(),
      (std::vector<std::string>{"column \"x\": \"3,5\" in line 2 is read as a number with a decimal comma"}));
  // Not beside decimal points, where there are several commas, and where commas separate.
  EXPECT_EQ(read("x\n3,5\n2.5\n", semicolons).column("x").kind, Kind::category);
  EXPECT_EQ(read("x\n1,234,567\n", semicolons).column("x").kind, Kind::category);
  EXPECT_EQ(read("x\n,5\n", semicolons).column("x").kind, Kind::category);
  EXPECT_EQ(read("x,y\n\"3,5\",1\n\"4,5\",1\n").column("x").kind, Kind::category);
}

TEST_F(Csv, NamesSingleWordsAmongNumbers) {
  const Table word = read("x,y\n1,0\n2,0\nabc,0\n4,1\n");
  EXPECT_EQ(word.column("x").kind, Kind::category);
  EXPECT_TRUE(word.column("x").has_strays());
  EXPECT_EQ(word.notes(),
            (std::vector<std::string>{"column \"x\" is read as words: \"abc\" in line 4 is not a "
                                      "number, as 3 of its 4 fields are"}));
  const Table comma = read("x;y\n1.5;0\n2.5;0\n3,5;0\n", {.separator = ';'});
  EXPECT_EQ(comma.notes(),
            (std::vector<std::string>{"column \"x\" is read as words: \"3,5\" in line 4 is not a "
                                      "number, as 2 of its 3 fields are"}));
  EXPECT_TRUE(read("x\na\nb\n1\n").notes().empty());
  EXPECT_TRUE(read("x\n1\n2\nabc\n", {.categories = {"x"}}).notes().empty());
}

TEST_F(Csv, KnowsWhatStandsForAMissingValue) {
  for (const std::string word :
       {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", "-", ".", "?"}) {
    const Table table = read("a,b\n1,2\n" + word + ",4\n5,6\n", {.missing = Missing::keep});
    EXPECT_EQ(table.column("a").kind, Kind::number) << word;
    EXPECT_TRUE(std::isnan(table["a"].at({1}))) << word;
    EXPECT_EQ(table.column("a").missing_word, word);
    expect_broken("a,b\n1,2\n" + word + ",4\n", ", line 3: column \"a\": the value is missing");
  }
  // A minus beside a plus is a word.
  for (const Missing missing : {Missing::refuse, Missing::keep, Missing::drop_row}) {
    const Table signs = read("a,b\n1,-\n2,+\n3,-\n", {.missing = missing});
    EXPECT_EQ(signs.column("b").categories, (std::vector<std::string>{"+", "-"}));
    EXPECT_TRUE(array_equal(signs["b"], tensor({1, 0, 1})));
  }
  EXPECT_EQ(read("a,b\n-,-\n2,+\n3,-\n", {.missing = Missing::drop_row}).rows(), 2);
  expect_broken("a,b\n-,-\n2,+\n3,-\n", ", line 2: column \"a\": the value is missing");
}

TEST_F(Csv, ReadsSharedTables) {
  LIKELY_SHARED_DATA(bandit, "hbayesdm/bandit2arm_exampleData.txt");
  const Table trials = read_csv(bandit, {.separator = '\t'});
  EXPECT_EQ(trials.columns().size(), 4U);
  EXPECT_EQ(trials.column("outcome").kind, Kind::whole);
  EXPECT_EQ(trials["outcome"].at({1}), -1.0);
  LIKELY_SHARED_DATA(cora, "cora/edges.csv.gz");
  EXPECT_EQ(read_csv(cora).rows(), 5278);
}

}  // namespace
}  // namespace likely::io
