// What a table says of itself where it might be misread.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "likely/io/csv.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using Notes = std::vector<std::string>;

Notes notes_of(const std::string& text, char separator = ',') {
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "t.csv", text);
  CsvOptions options;
  options.separator = separator;
  return read_csv(folder / "t.csv", options).notes();
}

TEST(CsvNotes, NameColumnsOfNumbersWithSomethingMore) {
  const auto column_of = [](const std::string& field) {
    return notes_of("a,b\n" + field + ",1\n" + field + ",2\n");
  };
  for (const std::string word : {"5.0%", "$6.0", "6.0D+00", "1,300"}) {
    const std::string field = word.find(',') == std::string::npos ? word : '"' + word + '"';
    EXPECT_EQ(column_of(field),
              Notes{"column \"a\" is read as words: \"" + word + "\" in line 2 is not a number"});
  }
  for (const char* const word : {"A12", "2019-01-02", "10:30", "3/4", "low", "12_3", "6 of 10"})
    EXPECT_EQ(column_of(word), Notes{}) << word;
}

TEST(CsvNotes, NameColumnsOfWhichHalfAreNumbers) {
  const auto told = [](const std::string& word, int line, const std::string& share) {
    return Notes{"column \"a\" is read as words: \"" + word + "\" in line " + std::to_string(line) +
                 " is not a number, as " + share + " fields are"};
  };
  EXPECT_EQ(notes_of("a,b\n400,1\n\"1,300\",2\n\"1,200\",3\n900,4\n"), told("1,300", 3, "2 of its 4"));
  EXPECT_EQ(notes_of("a\n3\n4\n<4\n5\n6\n7\nunknown\n8\n"), told("<4", 4, "6 of its 8"));
  EXPECT_EQ(notes_of("a\n3\nlow\nhigh\n"), Notes{});
  EXPECT_EQ(notes_of("a\n3\n4\n5\n"), Notes{});
}

TEST(CsvNotes, SayWherePointsMaySeparateThousands) {
  EXPECT_EQ(notes_of("x;price\n19,1;832\n8,3;1.906\n", ';').back(),
            "column \"price\": \"1.906\" in line 3 is read as a number with a decimal point, though other "
            "columns have decimal commas: if points separate thousands here, take them out");
  EXPECT_EQ(notes_of("x;price\n19,1;832\n8,3;1.9\n", ';').size(), 1U);    // of the commas alone
  EXPECT_EQ(notes_of("x;price\n19.1;832\n8.3;1.906\n", ';').size(), 0U);  // nobody writes commas
}

TEST(CsvNotes, SayWhichNumbersMayStandForMissingValues) {
  const std::string told = " may stand for a missing value: it is read as a number";
  EXPECT_EQ(notes_of("a,b\n1,-999\n2,3\n-1,-999\n"),
            Notes{"column \"b\": -999 (2 times, first in line 2)" + told});
  EXPECT_EQ(notes_of("a;b\n1;-99\n2;3,5\n", ';').back(), "column \"b\": -99 (once, in line 2)" + told);
  EXPECT_EQ(notes_of("a\n-999\n-500\n3\n"), Notes{});            // among numbers like it
  EXPECT_EQ(notes_of("a,b\nx,-999\ny,low\nz,high\n"), Notes{});  // words
}

}  // namespace
}  // namespace likely::io
