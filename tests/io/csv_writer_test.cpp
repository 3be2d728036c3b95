#include "likely/io/csv_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "likely/core/error.hpp"
#include "likely/io/csv.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {

namespace {

TEST(CsvWriter, WritesWhatCanBeReadBack) {
  const testing::TemporaryFolder folder;
  CsvWriter table(folder / "t.csv", {"id", "x", "n"});
  table.text("a, \"b\"").number(0.1).whole(-3).end_row();
  table.text("plain").number(std::numeric_limits<double>::infinity()).whole(4).end_row();
  EXPECT_FALSE(std::filesystem::exists(folder / "t.csv"));  // not before commit
  table.commit();
  EXPECT_EQ(testing::read_bytes(folder / "t.csv"), "id,x,n\n\"a, \"\"b\"\"\",0.1,-3\nplain,,4\n");
  const Table read = read_csv(folder / "t.csv", {.missing = Missing::keep});
  EXPECT_EQ(read.column("id").categories, (std::vector<std::string>{"a, \"b\"", "plain"}));
  EXPECT_EQ(read["x"].to_vector<double>()[0], 0.1);
}

TEST(CsvWriter, TakesOtherSeparatorsAndManyRows) {
  const testing::TemporaryFolder folder;
  CsvWriter table(folder / "t.tsv", {"a", "b"}, '\t');
  for (int i = 0; i < 20000; ++i) table.whole(i).number(1.0 / 3.0).end_row();
  table.commit();
  const Table read = read_csv(folder / "t.tsv", {.separator = '\t'});
  EXPECT_EQ(read.rows(), 20000);
  EXPECT_EQ(read["b"].to_vector<double>()[19999], 1.0 / 3.0);
}

TEST(CsvWriter, RefusesRowsOfAnotherLength) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder / "t.csv").string();
  {
    CsvWriter table(path, {"a", "b"});
    table.whole(1);
    testing::expect_refusal([&] { table.end_row(); },
                            "[CsvWriter] " + path + ": a row has 1 fields, 2 are needed");
  }
  EXPECT_EQ(folder.list(), "");
}

}  // namespace

}  // namespace likely::io
