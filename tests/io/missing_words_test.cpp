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

}  // namespace
}  // namespace likely::io
