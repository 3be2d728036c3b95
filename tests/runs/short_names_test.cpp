#include "likely/runs/short_names.hpp"

#include <gtest/gtest.h>

namespace likely::runs {
namespace {

using Names = std::vector<std::string>;

TEST(ShortNames, EndWhereTheyMust) {
  EXPECT_EQ(short_names({"a", "twelve bytes", "thirteen byte"}, 12),
            (Names{"a", "twelve bytes", "thirteen b.."}));
  EXPECT_EQ(short_names({}, 12), Names{});
}

TEST(ShortNames, DifferWhereTheNamesDo) {
  EXPECT_EQ(short_names({"a long name, part 1", "a long name, part 2", "other"}, 12),
            (Names{"..1", "..2", "other"}));
  EXPECT_EQ(short_names({"the same beginning, first of all", "the same beginning, second of all"}, 16),
            (Names{"..first of all", "..second of all"}));
  // One is the beginning of the other; and none is left to tell them by.
  EXPECT_EQ(short_names({"a name of many bytes", "a name of many bytes and more"}, 12),
            (Names{"..", ".. and more"}));
  EXPECT_EQ(short_names({"a name of many bytes", "a name of many bytes"}, 12),
            (Names{"1 a name o..", "2 a name o.."}));
}

TEST(ShortNames, HaveWholeLetters) {
  const Names names = short_names({"größer als alles ä1", "größer als alles ö2"}, 12);
  EXPECT_EQ(names, (Names{"..ä1", "..ö2"}));
}

}  // namespace
}  // namespace likely::runs
