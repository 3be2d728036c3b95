// Every subcommand is called by main.cpp and has its place on the page about the command, so that a new one
// cannot be forgotten. (That those which write have a scenario is in tests/faults/faults_test.cpp.)
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/support/declarations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

std::set<std::string> found_in(const std::string& text, const std::string& pattern) {
  const std::regex searched(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator one(text.begin(), text.end(), searched), end; one != end; ++one)
    found.insert((*one)[1]);
  return found;
}

TEST(CompletenessOfCommands, EverySubcommandIsCalledAndExplained) {
  const std::string page = read_bytes("docs/command.md");
  const std::string sections = page.substr(page.find("\n## "));
  const std::set<std::string> called =
      found_in(without_comments("apps/likely/main.cpp"), R"(command::add_(\w+)\(app\))");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("apps/likely")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const std::string& name :
         found_in(without_comments(entry.path()), R"re(\bapp\.add_subcommand\("([\w-]+)")re")) {
      ++count;
      const std::string function = std::regex_replace(name, std::regex("-"), "_");
      EXPECT_TRUE(called.contains(function)) << "apps/likely/main.cpp does not call add_" << function;
      EXPECT_TRUE(std::regex_search(sections, std::regex("likely " + name + "\\b")))
          << "no section of docs/command.md has `likely " << name << "`";
    }
  }
  EXPECT_EQ(count, called.size());
}

// By this file a command knows earlier results of its own, which --force may replace. Two commands with one
// name would replace each other's.
TEST(CompletenessOfCommands, NoTwoKnowTheirResultsByOneName) {
  std::set<std::string> marks;
  for (const auto& entry : std::filesystem::directory_iterator("apps/likely")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const std::string& mark :
         found_in(without_comments(entry.path()), R"re(\bResults results\([^;]*?"([\w.-]+)")re"))
      EXPECT_TRUE(marks.insert(mark).second) << mark << ", in " << entry.path() << " and elsewhere";
  }
  EXPECT_TRUE(marks.contains("estimators.json") && marks.contains("sequences.json")) << "nothing was read";
  EXPECT_GE(marks.size(), 6U);
}

}  // namespace

}  // namespace likely::testing
