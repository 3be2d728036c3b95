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

// So many rows of what `usual` says, with a code in every eleventh.
template <class Usual>
std::string note_with(double code, int rows, const Usual& usual) {
  std::vector<double> numbers;
  for (int i = 0; i < rows; ++i) numbers.push_back(i % 11 == 4 ? code : static_cast<double>(usual(i)));
  return note(numbers);
}

TEST(MissingCodes, StandBeyondAScale) {
  const auto scale = [](int low, int high) { return [=](int i) { return low + i * 13 % (high - low + 1); }; };
  const std::string told =
      " (6 times, first in line 6) may stand for a missing value: it is read as a number";
  EXPECT_EQ(note_with(9, 60, scale(1, 5)), "9" + told);
  EXPECT_EQ(note_with(9, 60, scale(0, 6)), "9" + told);
  EXPECT_EQ(note_with(99, 60, scale(1, 10)), "99" + told);
  EXPECT_EQ(note_with(9, 60, scale(1, 7)), "");                          // 8 is rare where 7 is
  EXPECT_EQ(note_with(9, 60, scale(0, 9)), "");                          // counts
  EXPECT_EQ(note_with(9, 60, scale(1, 10)), "");                         // a scale of its own
  EXPECT_EQ(note_with(9, 60, scale(3, 5)), "");                          // numbers of something
  EXPECT_EQ(note_with(9, 60, [](int i) { return 1 + i % 4 * 2; }), "");  // 1, 3, 5, 7, 9
  EXPECT_EQ(note_with(9, 60, [](int i) { return 0.5 * (i % 8); }), "");
  EXPECT_EQ(note_with(9, 20, scale(1, 5)), "");  // twice: one large count may be, too
}

TEST(MissingCodes, AreMoreFrequentThanWhatIsNear) {
  const auto ages = [](int low, int high) { return [=](int i) { return low + i * 37 % (high - low + 1); }; };
  const std::string told =
      " (9 times, first in line 6) may stand for a missing value: it is read as a number";
  EXPECT_EQ(note_with(99, 100, ages(25, 75)), "99" + told);
  EXPECT_EQ(note_with(99, 100, ages(18, 92)), "99" + told);
  EXPECT_EQ(note_with(999, 100, ages(100, 700)), "999" + told);
  EXPECT_EQ(note_with(99, 100, ages(18, 98)), "");                                         // up to 99 evenly
  EXPECT_EQ(note_with(99, 100, [](int i) { return i % 3 == 0 ? 40 : 40 + i % 25; }), "");  // 40 is, too
  EXPECT_EQ(note_with(98, 100, ages(25, 75)), "");
  // Known by what comes first, whatever comes later.
  EXPECT_EQ(note_with(99, 30'000, ages(25, 75)).substr(0, 20), "99 (2727 times, firs");
}

TEST(MissingCodes, AreBelowWhatIsCounted) {
  const auto from = [](int low, int high) { return [=](int i) { return low + i * 13 % (high - low + 1); }; };
  const std::string told =
      " (6 times, first in line 6) may stand for a missing value: it is read as a number";
  EXPECT_EQ(note_with(-1, 60, from(0, 4)), "-1" + told);
  EXPECT_EQ(note_with(-1, 60, from(1, 500)), "-1" + told);
  EXPECT_EQ(note_with(-1, 60, from(0, 1)), "");   // signs
  EXPECT_EQ(note_with(-1, 60, from(-2, 4)), "");  // differences
  EXPECT_EQ(note_with(-1, 60, [](int i) { return 0.25 * (i % 20); }), "");
  EXPECT_EQ(note_with(-1, 20, from(0, 4)), "");
}

}  // namespace
}  // namespace likely::io
