#include "likely/models/equations/equations.hpp"

#include <gtest/gtest.h>

#include "likely/io/json.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::equations {
namespace {

using testing::expect_refusal;

std::vector<Equation> sample() {
  return parse(
      "2.1 A model\n"
      "  y = f[x]\n"
      "  notation: a call\n"
      "\n"
      "2.2 Least squares\n"
      "  L = a\n"
      "    + b\n"
      "  code: likely/line.hpp loss\n"
      "  code: likely/fit.hpp fit\n"
      "  test: Udl02.Eq2_Loss\n"
      "  note: see errata\n"
      "3.1 Another chapter\n"
      "  z\n"
      "  code: likely/z.hpp z\n"
      "  test: Udl03.Eq1_Z\n",
      "sample.txt");
}

TEST(Equations, ReadsTheirTexts) {
  const std::vector<Equation> all = sample();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].name(), "2.2");
  EXPECT_EQ(all[1].title, "Least squares");
  EXPECT_EQ(all[1].formula, (std::vector<std::string>{"L = a", "+ b"}));
  EXPECT_EQ(all[1].code, (std::vector<std::string>{"likely/line.hpp loss", "likely/fit.hpp fit"}));
  EXPECT_EQ(all[1].tests, (std::vector<std::string>{"Udl02.Eq2_Loss"}));
  EXPECT_EQ(all[1].notes, (std::vector<std::string>{"see errata"}));
  EXPECT_EQ(all[0].notation, (std::vector<std::string>{"a call"}));
}

TEST(Equations, FindsOneOrAChapterOrAll) {
  EXPECT_EQ(find(sample(), "").size(), 3U);
  EXPECT_EQ(find(sample(), "2").size(), 2U);
  ASSERT_EQ(find(sample(), "3.1").size(), 1U);
  EXPECT_EQ(find(sample(), "3.1")[0].title, "Another chapter");
}

TEST(Equations, DescribesThem) {
  EXPECT_EQ(describe(find(sample(), "2.2"), "2.2"),
            "(2.2) Least squares\n\n    L = a\n    + b\n\n"
            "code      likely/line.hpp loss\ncode      likely/fit.hpp fit\n"
            "test      Udl02.Eq2_Loss\nnote      see errata\n");
  EXPECT_EQ(describe(find(sample(), "2"), "2"),
            "2.1    A model\n         notation\n"
            "2.2    Least squares\n         likely/line.hpp loss\n         likely/fit.hpp fit\n");
  const std::string table = describe(find(sample(), ""), "");
  EXPECT_NE(table.find("      2  2.1 to 2.2            1              1      1\n"), std::string::npos)
      << table;
  EXPECT_NE(table.find("    all  3                     2              1      2\n"), std::string::npos)
      << table;
  EXPECT_EQ(io::parse_json<io::SortedJson>(json_of(find(sample(), "2.2")))[0]["tests"][0], "Udl02.Eq2_Loss");
}

TEST(Equations, RefusesOthersWithTheNearest) {
  expect_refusal([] { find(sample(), "2.7"); },
                 "[equations] there is no equation 2.7; the nearest is 2.2, Least squares");
  expect_refusal([] { find(sample(), "9"); }, "[equations] there is no chapter 9; there are chapters 2 to 3");
  expect_refusal([] { find(sample(), "two"); },
                 "[equations] a number such as 6.11, or a chapter such as 6, is expected, got \"two\"");
  expect_refusal([] { find({}, "2"); }, "[equations] no equations were built into this program");
  expect_refusal([] { parse("2.1\n", "x.txt"); },
                 "[equations] x.txt, line 1: \"CHAPTER.NUMBER Title\" is expected, got \"2.1\"");
}

}  // namespace
}  // namespace likely::equations
