#include "likely/io/windows_1252.hpp"

#include <gtest/gtest.h>

#include "likely/core/printable.hpp"

namespace likely::io {
namespace {

std::string decoded(std::string_view text) {
  std::string utf8;
  append_windows_1252(text, utf8);
  return utf8;
}

// As Python's bytes.decode("cp1252") has them; and the five bytes that it does not know.
TEST(Windows1252, BecomesUtf8) {
  EXPECT_EQ(decoded("plain, text"), "plain, text");
  EXPECT_EQ(decoded("\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8A\x8B\x8C\x8E"),
            "\u20AC\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u017D");
  EXPECT_EQ(decoded("\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9A\x9B\x9C\x9E\x9F"),
            "\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u017E\u0178");
  EXPECT_EQ(decoded("\xA0\xC4\xD6\xDC\xDF\xE4\xE9\xFF"), "\u00A0\u00C4\u00D6\u00DC\u00DF\u00E4\u00E9\u00FF");
  EXPECT_EQ(decoded("\x81\x8D\x8F\x90\x9D"), "\xC2\x81\xC2\x8D\xC2\x8F\xC2\x90\xC2\x9D");
  for (int byte = 1; byte < 256; ++byte) {
    const std::string letter = decoded(std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(is_utf8(letter)) << byte;
    EXPECT_LE(letter.size(), kLongestWindows1252);
  }
}

TEST(IsUtf8, KnowsWhatIsNone) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\u00FC\u20AC\U0001F600"));
  for (const char* text : {"\xFC", "\xC3", "\xC3x", "\xE2\x82", "\xC0\x80", "\xED\xA0\x80",
                           "\xF5\x80\x80\x80", "\xF4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace likely::io
