// The built command, run as a user would.
#pragma once

#include <string>
#include <vector>

namespace likely::testing {

struct Ran {
  int code;         // what it returned; minus the signal that killed it
  std::string out;  // standard output
  std::string err;  // standard error
};

// Runs `likely words...` in a folder.
Ran likely_command(const std::string& folder, const std::vector<std::string>& words);

}  // namespace likely::testing
