#include "tests/faults/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace likely::faults {

namespace {

namespace fs = std::filesystem;
using testing::read_bytes;

// docs/command.md: what a command that did not do its work may end with.
bool is_a_documented_failure(int code) { return code == 1 || code == 2; }

// Whether all lines of some are lines of all.
bool has_lines_of(const std::string& all, const std::string& some) {
  std::istringstream lines(some);
  for (std::string line; std::getline(lines, line);) {
    if (("\n" + all).find("\n" + line + "\n") == std::string::npos) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> left_behind(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part") ||
        name.find("replaced-") != std::string::npos)
      found.push_back(fs::relative(entry.path(), folder).string());
  }
  return found;
}

bool all_of_them() {
  const char* const wanted = std::getenv("LIKELY_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all";
}

Stage::Stage(Scenario scenario) : scenario_(std::move(scenario)) {
  for (const Command& command : scenario_.before) {
    const Outcome outcome = work_.run(command);
    if (outcome.code != 0) throw std::runtime_error(outcome.errors);
  }
  work_.keep_as_start();
  old_ = scenario_.results(work_.path());
  whole_ = work_.run(scenario_.command);
  new_ = scenario_.results(work_.path());
}

void Stage::play(const Fault& fault, const Environment& environment) {
  SCOPED_TRACE(std::string(name_of(fault.how)) + " call " + std::to_string(fault.at) +
               (fault.at < whole_.calls.size() ? ", " + whole_.calls[fault.at] : ""));
  work_.set();
  const Outcome outcome = work_.run(scenario_.command, fault, environment);
  SCOPED_TRACE("it ended with " + std::to_string(outcome.code) + " and said: " + outcome.errors);
  EXPECT_FALSE(outcome.hung);
  if (outcome.code != 0 && !scenario_.look.empty()) work_.run(scenario_.look);
  const std::string results = scenario_.results(work_.path());
  const bool some_new = !results.empty() && has_lines_of(new_, results);
  const bool some_old = !results.empty() && has_lines_of(old_, results);
  const bool is_new = scenario_.some_are_fine ? some_new : results == new_;
  if (outcome.code == 0) {
    EXPECT_TRUE(is_new) << "it says that all is well, and the results are others";
  } else if (fault.how != How::kill) {
    // Being ended by a signal (std::terminate, a segmentation fault) is no way to fail.
    EXPECT_TRUE(is_a_documented_failure(outcome.code)) << "no way to end";
    EXPECT_TRUE(outcome.errors.starts_with("likely") || outcome.errors.find("\nlikely") != std::string::npos)
        << "it failed without a word";
    EXPECT_EQ(outcome.errors.find("terminate called"), std::string::npos);
  }
  if (fault.how == How::cut_short) {
    EXPECT_EQ(outcome.code, 0);
  }
  if (scenario_.at_once) {
    EXPECT_TRUE(results == old_ || is_new || (scenario_.some_may_be_missing && (some_old || some_new)))
        << "neither the old results nor the new:\n"
        << results;
  }

  const Command next = scenario_.after(work_.path());
  const Outcome then = work_.run(next);
  EXPECT_EQ(then.code, 0) << next[0] << " then says: " << then.errors;
  const std::string finally = scenario_.results(work_.path());
  EXPECT_TRUE(finally == new_ || (scenario_.old_is_fine && finally == old_))
      << "in the end neither the old results nor the new";
  EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
}

std::vector<std::uint64_t> Stage::allocations() {
  static const std::map<std::uint64_t, std::uint64_t> every_command = places({"--version"});
  std::vector<std::uint64_t> numbers;
  for (const auto& [chain, first] : places(scenario_.command)) {
    if (!every_command.contains(chain)) numbers.push_back(first);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Environment Stage::failing_allocation(std::uint64_t number) {
  return {{"LD_PRELOAD", LIKELY_FAILING_MEMORY}, {"LIKELY_MEMORY_FAILS_AT", std::to_string(number)}};
}

// By their chains of callers, the number of the first allocation of each.
std::map<std::uint64_t, std::uint64_t> Stage::places(const Command& command) {
  const testing::TemporaryFolder notes;
  work_.set();
  Environment environment = failing_allocation(0);
  environment["LIKELY_MEMORY_PLACES"] = (notes / "places").string();
  const Outcome outcome = work_.run(command, {}, environment);
  if (outcome.code != 0) throw std::runtime_error(outcome.errors);
  std::istringstream lines(read_bytes(notes / "places"));
  std::map<std::uint64_t, std::uint64_t> all;
  std::uint64_t first = 0;
  std::uint64_t chain = 0;
  while (lines >> first >> chain) all.emplace(chain, first);
  return all;
}

}  // namespace likely::faults
