// One scenario, again and again in the same place (paths are part of some results), and what has to be true
// after each fault.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/scenarios.hpp"
#include "tests/faults/supervisor.hpp"
#include "tests/faults/workplace.hpp"

namespace likely::faults {

// Whether every fault is wanted, not some of them: LIKELY_FAULTS=all.
bool all_of_them();

// What lies in a folder and should not: files that were never finished, and results set aside.
std::vector<std::string> left_behind(const std::filesystem::path& folder);

class Stage {
 public:
  explicit Stage(Scenario scenario);

  // As it goes when nothing fails.
  const Outcome& whole() const { return whole_; }
  const std::filesystem::path& folder() const { return work_.path(); }
  const std::string& old_results() const { return old_; }
  const std::string& new_results() const { return new_; }

  // The command with a fault, and what has to be true then.
  void play(const Fault& fault, const Environment& environment = {});

  // The allocations, by number, that only this command makes: the first of each place in the program.
  std::vector<std::uint64_t> allocations();
  // What makes an allocation fail.
  static Environment failing_allocation(std::uint64_t number);

 private:
  std::map<std::uint64_t, std::uint64_t> places(const Command& command);

  Scenario scenario_;
  Workplace work_;
  std::string old_, new_;
  Outcome whole_;
};

}  // namespace likely::faults
