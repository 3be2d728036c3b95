#include "tests/train/child_process.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

namespace likely::testing {

pid_t start_test(const std::string& name, const std::map<std::string, std::string>& environment) {
  const std::string filter = "--gtest_filter=" + name;
  std::vector<std::string> words = {"OMP_WAIT_POLICY=passive"};
  for (const auto& [key, value] : environment) words.push_back(fmt::format("{}={}", key, value));
  std::vector<char*> variables;
  for (std::string& word : words) variables.push_back(word.data());
  variables.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  // Only exec from here on: other threads of the parent do not exist in the child.
  execle("/proc/self/exe", "train_tests", filter.c_str(), "--gtest_also_run_disabled_tests",
         "--gtest_brief=1", static_cast<char*>(nullptr), variables.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 128;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

namespace {

TEST(DISABLED_Child, IsKilled) { std::raise(SIGKILL); }
TEST(DISABLED_Child, SeesItsEnvironment) { EXPECT_STREQ(std::getenv("LIKELY_WORD"), "yes"); }

TEST(ChildProcess, RunsOneTestWithItsEnvironment) {
  EXPECT_EQ(wait_for(start_test("DISABLED_Child.SeesItsEnvironment", {{"LIKELY_WORD", "yes"}})), 0);
  EXPECT_EQ(wait_for(start_test("DISABLED_Child.IsKilled", {})), -SIGKILL);
}

}  // namespace

}  // namespace likely::testing
