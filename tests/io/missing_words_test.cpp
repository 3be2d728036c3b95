#include "likely/io/missing_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace likely::io {
namespace {

std::string note(const std::vector<double>& numbers) {
  MissingCodes codes;
  for (std::size_t i = 0; i < numbers.size(); ++i) codes.add(numbers[i], static_cast<std::int64_t>(i) + 2);
  return codes.note();
}

TEST(MissingWords, AreKnownByTheirSpelling) {
  EXPECT_TRUE(is_usually_missing(""));
  EXPECT_TRUE(is_usually_missing("n/a"));
  EXPECT_FALSE(is_usually_missing("none"));
  EXPECT_FALSE(is_usually_missing("na"));
  EXPECT_FALSE(is_usually_missing("0"));
  EXPECT_FALSE(is_usually_missing("--"));
}

TEST(MissingCodes, AreFarBelowAllOthers) {
  EXPECT_EQ(note({1, 2, -999, 3, -999}),
            "-999 (2 times, first in line 4) may stand for a missing value: it is read as a number");
  EXPECT_EQ(note({-50, 2, -999}),
            "-999 (once, in line 4) may stand for a missing value: it is read as a number");
  EXPECT_EQ(note({-99, 2, -999, std::nan("")}).substr(0, 4), "-999");
  EXPECT_EQ(note({-99, 2}).substr(0, 3), "-99");
  EXPECT_EQ(note({-500, 2, -999}), "");
  EXPECT_EQ(note({-1200, -999}), "");
  EXPECT_EQ(note({-999, -999}), "");
  EXPECT_EQ(note({1, 2}), "");
  EXPECT_EQ(note({}), "");
}

TEST(MissingCodes, AreFarAboveManyOthers) {
  const auto with = [](std::vector<double> numbers) {
    for (int i = 0; i < 12; ++i) numbers.push_back(i % 3 - 1);
    return note(numbers);
  };
  const std::string told = " (once, in line 2) may stand for a missing value: it is read as a number";
  for (const char* code : {"9", "99", "999", "9999"}) EXPECT_EQ(with({std::stod(code)}), code + told) << code;
  EXPECT_EQ(with({999, 99}), "999" + told);
  EXPECT_EQ(with({-999, 99}), "-999" + told);
  EXPECT_EQ(with({9, 3}), "");    // a scale from 0 to 9
  EXPECT_EQ(with({99, 10}), "");  // percents
  EXPECT_EQ(with({99, -10}), "");
  EXPECT_EQ(with({8}), "");
  EXPECT_EQ(note({9, 0, 1}), "");  // too few to know what is usual
  EXPECT_EQ(note(std::vector<double>(30, 99)), "");
}

}  // namespace
}  // namespace likely::io
