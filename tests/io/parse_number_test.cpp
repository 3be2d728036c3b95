#include "likely/io/parse_number.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_writer.hpp"
#include "tests/support/comma_locale.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

namespace fs = std::filesystem;

TEST(ParseNumber, TakesTheWholeText) {
  double x = 0.0;
  for (const auto& [text, value] : {std::pair("1.5", 1.5), std::pair("+2", 2.0), std::pair("-1e-3", -1e-3),
                                    std::pair("4.9e-324", 4.9e-324), std::pair("1e160", 1e160)}) {
    EXPECT_TRUE(parse_number(text, x)) << text;
    EXPECT_EQ(x, value);
  }
  for (const char* text : {"", "1,5", "1.5 ", " 1.5", "0x10", "1.5x", "++1", "1e", "e5"})
    EXPECT_FALSE(parse_number(text, x)) << text;
  std::int64_t n = 0;
  EXPECT_TRUE(parse_number("-12", n));
  EXPECT_EQ(n, -12);
  EXPECT_FALSE(parse_number("9223372036854775808", n));
}

TEST(ParseNumber, BeyondWhatANumberHoldsIsStillNoWord) {
  double x = 42.0;
  const std::string zeros(5000, '0');
  for (const std::string& text : std::vector<std::string>{"1e999", "1e99999", "1" + zeros, "9e308"}) {
    EXPECT_TRUE(parse_number(text, x)) << text;
    EXPECT_EQ(x, INFINITY) << text;
    EXPECT_TRUE(parse_number("-" + text, x)) << text;
    EXPECT_EQ(x, -INFINITY) << text;
  }
  for (const std::string& text :
       std::vector<std::string>{"1e-999", "1e-99999", "1E-400", "0." + zeros.substr(0, 400) + "1"}) {
    x = 42.0;
    EXPECT_TRUE(parse_number(text, x)) << text;
    EXPECT_EQ(x, 0.0) << text;
  }
  EXPECT_FALSE(parse_number("1e999x", x));
}

TEST(ParseNumber, AColumnOfExtremeNumbersIsAColumnOfNumbers) {
  const testing::TemporaryFolder folder;
  testing::write_bytes(folder / "table.csv", "a,b\n1e-400,1\n1e160,2\n3,3\n");
  const Table table = read_csv(folder / "table.csv");
  EXPECT_EQ(table.column("a").kind, CsvColumn::Kind::number);
  EXPECT_TRUE(array_equal(table["a"], tensor({0.0, 1e160, 3.0}, DType::f64)));
}

// The comma is there where C is asked for a number; files have points all the same.
TEST(Comma, ChangesNothingInFiles) {
  const testing::CommaLocale comma;
  if (!comma.in_c()) GTEST_SKIP() << "no locale with a decimal comma, and no localedef to make one";
  ASSERT_EQ(std::strtod("1,5", nullptr), 1.5);
  ASSERT_EQ((std::ostringstream() << 1.5).str(), "1,5");
  const testing::TemporaryFolder folder;
  CsvWriter writer(folder / "table.csv", {"a"});
  writer.number(1234.5).end_row();
  writer.number(-0.25).end_row();
  writer.commit();
  EXPECT_EQ(testing::read_bytes(folder / "table.csv"), "a\n1234.5\n-0.25\n");
  EXPECT_TRUE(array_equal(read_csv(folder / "table.csv")["a"], tensor({1234.5, -0.25}, DType::f64)));
}

// Whether a line calls one of C's functions, or names one of C++'s streams, that obey the locale.
bool obeys_locale(const std::string& code) {
  if (code.find("stringstream") != std::string::npos) return true;
  if (code.find("(sprintf('%g'") != std::string::npos) return false;  // gnuplot's own
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const std::string name :
       {"strtod", "strtof", "strtold", "atof", "stod", "stof", "stold", "printf", "fprintf", "sprintf",
        "snprintf", "vsnprintf", "scanf", "sscanf", "fscanf", "setlocale"}) {
    for (std::size_t at = code.find(name + "("); at != std::string::npos;
         at = code.find(name + "(", at + 1)) {
      if (at == 0 || !is_letter(code[at - 1])) return true;
    }
  }
  return false;
}

// Where no such locale is installed, the functions that would obey it are looked for in the sources.
TEST(Locale, HasNoSayInTheSources) {
  EXPECT_TRUE(obeys_locale("  value = std::strtod(text.c_str(), &end);"));
  EXPECT_FALSE(obeys_locale("  custom_strtod(text);"));
  const fs::path root = fs::current_path();
  if (!fs::exists(root / "likely/io")) GTEST_SKIP() << "the sources are not here";
  for (const char* part : {"likely", "apps"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / part)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".hpp") continue;
      std::ifstream file(entry.path());
      int number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        const std::string code = line.substr(0, line.find("//"));
        EXPECT_FALSE(obeys_locale(code)) << entry.path().string() << ":" << number << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace likely::io
