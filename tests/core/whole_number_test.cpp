#include "likely/core/whole_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace likely {
namespace {

TEST(WholeNumber, IsTheWholeText) {
  EXPECT_EQ(whole_number<std::int64_t>("0"), 0);
  EXPECT_EQ(whole_number<std::int64_t>("-12"), -12);
  EXPECT_EQ(whole_number<std::int64_t>("010"), 10);
  EXPECT_EQ(whole_number<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(whole_number<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(WholeNumber, IsNothingElse) {
  for (const char* text : {"", " ", "1 ", " 1", "+1", "1.5", "1.0", "1e3", "0x10", "1,000", "--1", "-", "٣",
                           "9223372036854775808", "-9223372036854775809", "99999999999999999999"}) {
    EXPECT_FALSE(whole_number<std::int64_t>(text)) << text;
  }
  EXPECT_FALSE(whole_number<std::uint64_t>("-1"));
  EXPECT_FALSE(whole_number<std::uint64_t>("-0"));
  EXPECT_FALSE(whole_number<std::uint64_t>("18446744073709551616"));
  EXPECT_FALSE(whole_number<int>("4294967298"));
}

TEST(WholeNumber, IsWithinItsRange) {
  EXPECT_EQ(whole_number("1", 1, 8), 1);
  EXPECT_EQ(whole_number("8", 1, 8), 8);
  EXPECT_FALSE(whole_number("0", 1, 8));
  EXPECT_FALSE(whole_number("9", 1, 8));
  EXPECT_EQ(no_whole_number("1.5", 1, 8), "must be a whole number from 1 to 8, got \"1.5\"");
}

}  // namespace
}  // namespace likely
