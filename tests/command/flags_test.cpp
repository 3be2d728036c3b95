// The library speaks of settings, the command of options: one is translated into the other.
#include "apps/likely/flags.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <string>

#include "tests/command/command.hpp"
#include "tests/support/declarations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using command::with_flags;

// Those of all commands, as completion lists them.
std::set<std::string, std::less<>> options_of_the_command() {
  static const std::regex kOption("--([a-z][a-z0-9_-]*)");
  const std::string script = likely_command(".", {"completion", "bash"}).out;
  std::set<std::string, std::less<>> names;
  for (std::sregex_iterator at(script.begin(), script.end(), kOption), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

class Flags : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto names = options_of_the_command();
    ASSERT_GE(names.size(), 100U) << "the options were not read";
    command::know_options(names);
  }
  static void TearDownTestSuite() { command::know_options({}); }
};

TEST_F(Flags, StandForSettings) {
  EXPECT_EQ(with_flags("runs/a holds a run; replace it (`force`) or choose another `out`"),
            "runs/a holds a run; replace it (--force) or choose another --out");
  EXPECT_EQ(with_flags("`skip = 2` passes over it: `header = no`"), "--skip 2 passes over it: --header no");
  EXPECT_EQ(with_flags("`prior = gamma=0,1`: there is no parameter"),
            "--prior gamma=0,1: there is no parameter");
  EXPECT_EQ(with_flags("`out = a folder/x`: this is a file"), "--out a folder/x: this is a file");
}

// The command tells the translator of its options when it starts: this one belongs to one command alone.
TEST_F(Flags, AreThoseThatTheCommandHas) {
  const TemporaryFolder folder;
  write_bytes(folder / "text", "one two three\n");
  const Ran ran = likely_command(folder.path().string(), {"word2vec", "text", "--out", "v.txt", "--quiet"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("--min-count"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find('`'), std::string::npos) << ran.err;
}

TEST_F(Flags, LeaveEverythingElseAsItIs) {
  for (const std::string text : {"", "nothing to say", "`likely list` shows what is", "a column `speed`",
                                 "one ` alone", "`forces`", "``", "`force", "`force =no`"})
    EXPECT_EQ(with_flags(text), text);
  EXPECT_EQ(with_flags("it`s `force`, it`s"), "it`s --force, it`s");
}

// What the library calls a setting is an option that the translator knows; else people would read backticks.
TEST_F(Flags, KnowEverySettingOfTheLibrary) {
  static const std::regex kSetting(R"(`([a-z][a-z_-]*)(?: = [^`"]*)?`)");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("likely")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), kSetting), end; at != end; ++at) {
      found.insert((*at)[1]);
      EXPECT_TRUE(with_flags(at->str()).starts_with("--")) << at->str() << " in " << entry.path();
    }
  }
  EXPECT_GE(found.size(), 20U) << "the sources were not read";
  EXPECT_TRUE(found.contains("min-count")) << "names with a dash were passed over";
}

}  // namespace

}  // namespace likely::testing
