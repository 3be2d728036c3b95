// The library speaks of settings, the command of options: one is translated into the other.
#include "apps/likely/flags.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/declarations.hpp"

namespace likely::testing {

namespace {

using command::with_flags;

TEST(Flags, StandForSettings) {
  EXPECT_EQ(with_flags("runs/a holds a run; replace it (`force`) or choose another `out`"),
            "runs/a holds a run; replace it (--force) or choose another --out");
  EXPECT_EQ(with_flags("`skip = 2` passes over it: `header = no`"), "--skip 2 passes over it: --header no");
  EXPECT_EQ(with_flags("`prior = gamma=0,1`: there is no parameter"),
            "--prior gamma=0,1: there is no parameter");
  EXPECT_EQ(with_flags("`out = a folder/x`: this is a file"), "--out a folder/x: this is a file");
}

TEST(Flags, LeaveEverythingElseAsItIs) {
  for (const std::string text : {"", "nothing to say", "`likely list` shows what is", "a column `speed`",
                                 "one ` alone", "`forces`", "``", "`force", "`force =no`"})
    EXPECT_EQ(with_flags(text), text);
  EXPECT_EQ(with_flags("it`s `force`, it`s"), "it`s --force, it`s");
}

// What the library calls a setting is an option that the translator knows; else people would read backticks.
TEST(Flags, KnowEverySettingOfTheLibrary) {
  static const std::regex kSetting(R"(`([a-z_]+)(?: = [^`"]*)?`)");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("likely")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kSetting), end; at != end; ++at) {
      found.insert((*at)[1]);
      EXPECT_TRUE(with_flags(at->str()).starts_with("--")) << at->str() << " in " << entry.path();
    }
  }
  EXPECT_GE(found.size(), 14U) << "the sources were not read";
}

}  // namespace

}  // namespace likely::testing
