// What users do, to be done while something fails.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace likely::faults {

using Command = std::vector<std::string>;

// The command with more words.
Command with(Command command, const Command& more);

struct Scenario {
  std::string name;
  std::vector<Command> before{};  // what was done earlier
  Command command{};
  // What the user does when that has failed, to have the results after all.
  std::function<Command(const std::filesystem::path& folder)> after{};
  // The results that are in a folder; "" for none.
  std::function<std::string(const std::filesystem::path& folder)> results{};
  // Whether going on may also mean that the old results stay.
  bool old_is_fine = false;
  // Whether the results appear all at once, so that nothing in between is ever seen: old or new, whole.
  bool at_once = false;
  // Where results grow in place, the next command that owns the folder puts it in order; this is one that
  // replaces nothing. Empty: that is not needed.
  Command look{};
  // Whether some of the results may be missing after a fault, line by line, as long as those that are there
  // belong together: files that do not appear in one step.
  bool some_may_be_missing = false;
  // Whether some of them are a success: trials of a sweep, of which each may fail.
  bool some_are_fine = false;
};

std::vector<Scenario> scenarios();
std::vector<std::string> scenario_names();

// The files that they start from.
void prepare_files(const std::filesystem::path& folder);

// The numbers of a file of parameters, which are the same bits whenever a model is trained in the same way;
// "" where there is none.
std::string numbers_in(const std::filesystem::path& file);

// All files below a folder, or one file: names and contents. Left out is what differs from run to run (times,
// and checksums over them) and what never costs a result (pictures, and what is said of them).
std::string whole_of(const std::filesystem::path& results);

}  // namespace likely::faults
