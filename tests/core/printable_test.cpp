#include "likely/core/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace likely {
namespace {

TEST(Printable, LeavesWhatIsReadAsItIs) {
  for (const std::string text :
       {"", "plain", "two\nlines\tand a tab", "\\x1b as typed", "Größe 体重 😀", "\u00a0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsCommandsAsTheirCodes) {
  EXPECT_EQ(printable("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(printable(std::string("a\0b\rc\x7f", 6)), "a\\x00b\\x0dc\\x7f");
  EXPECT_EQ(printable("\u009b2J"), "\\u009b2J");
  EXPECT_EQ(printable("safe\u202egpj.exe"), "safe\\u202egpj.exe");
  EXPECT_EQ(printable("\U0001ffff"), "\\u01ffff");
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "another spelling of escape";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(Printable, KeepsANameWithinItsLine) {
  EXPECT_EQ(printable_line("two\nlines\r\n\tand a tab"), "two\\x0alines\\x0d\\x0a\\x09and a tab");
  EXPECT_EQ(printable_line("Größe 体重 \x1b[2J\u2028"), "Größe 体重 \\x1b[2J\\u2028");
}

TEST(Printable, QuotesAWordForAShell) {
  EXPECT_EQ(shell_word("runs/spirals-2.b"), "runs/spirals-2.b");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("|touch pwn #"), "'|touch pwn #'");
  EXPECT_EQ(shell_word("it's $HOME `ls` \\"), "'it'\\''s $HOME `ls` \\'");
  EXPECT_EQ(shell_word("~/run"), "'~/run'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-rf"), "./-rf");
  EXPECT_EQ(shell_word("- f"), "'./- f'");
  EXPECT_EQ(shell_word("Größe"), "'Größe'");
  EXPECT_EQ(shell_word("a\x1b[2J\nit's \\ \xff"), "$'a\\x1b[2J\\x0ait\\'s \\\\ \\xff'");
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(beginning("Größe", 3), "Gr");
  EXPECT_EQ(beginning("Größe", 4), "Grö");
  EXPECT_EQ(beginning("Größe", 40), "Größe");
  EXPECT_EQ(beginning("体", 1), "");
}

}  // namespace
}  // namespace likely
