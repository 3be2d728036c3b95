#include "likely/plot/fonts.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "likely/core/create.hpp"
#include "likely/plot/figure.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::plot {
namespace {

using likely::testing::ProgramsFirst;
using likely::testing::read_bytes;
using likely::testing::TemporaryFolder;

const std::string kText = "title \"Gr\u00f6\u00dfe \u4f53\u91cd 7 \U0001f600\"";

TEST(Fonts, OfWhichAllLettersAreThereChangeNothing) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  programs.add("fc-list", "echo Some Font");
  EXPECT_EQ(with_known_letters(kText, folder.path()), kText);
  EXPECT_EQ(with_known_letters("plot $d0_0", folder.path()), "plot $d0_0");
}

TEST(Fonts, ThatAreMissingLeaveCodes) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  // There is a font with o-umlaut and sharp s, and one with 4f53.
  programs.add("fc-list", "case \"$1\" in :charset=f6|:charset=df|:charset=4f53) echo Some Font;; esac");
  EXPECT_EQ(with_known_letters(kText, folder.path()),
            "title \"Gr\u00f6\u00dfe \u4f53\\134u91cd 7 \\134u01f600\"");
  programs.add("fc-list", "exit 0");
  EXPECT_EQ(with_known_letters("\u4f53\u91cd\u4f53\u91cd a \u4f53\u91cd", folder.path()),
            "\\134u4f53\\134u91cd.. a \\134u4f53\\134u91cd");
  // Without an answer letters of Europe are taken to be there.
  programs.add("fc-list", "exit 1");
  EXPECT_EQ(with_known_letters(kText, folder.path()),
            "title \"Gr\u00f6\u00dfe \\134u4f53\\134u91cd 7 \\134u01f600\"");
}

TEST(Fonts, AreNeededForPixelsAlone) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  ProgramsFirst programs;
  programs.add("fc-list", "exit 0");
  Figure figure({.title = "\u4f53\u91cd"});
  figure.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}));
  ASSERT_TRUE(figure.save(folder / "fonts"));
  EXPECT_NE(read_bytes(folder / "fonts.svg").find("\u4f53\u91cd"), std::string::npos);
  const std::string script = read_bytes(folder / "fonts.gp");
  const std::size_t pixels = script.find("pngcairo");
  EXPECT_LT(script.find("set title \"\u4f53\u91cd\""), pixels);
  EXPECT_NE(script.find("set title \"\\134u4f53\\134u91cd\"", pixels), std::string::npos);
}

}  // namespace
}  // namespace likely::plot
