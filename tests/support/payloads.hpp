// Names that would do something if a script or a shell read them as anything but text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

// Those that call a program do it by the name "pwned".
const std::vector<std::string>& payloads();

// Puts a folder in front of PATH for as long as this object lives.
class ProgramsFirst {
 public:
  ProgramsFirst();
  ~ProgramsFirst();
  ProgramsFirst(const ProgramsFirst&) = delete;
  ProgramsFirst& operator=(const ProgramsFirst&) = delete;

  // A program of this name: a script for sh.
  void add(const std::string& name, const std::string& script);
  // A file that a program may leave as a trace.
  std::filesystem::path trace() const { return folder_ / "trace"; }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

// A "pwned" in front of PATH, which leaves a trace.
class Trap {
 public:
  Trap() { programs_.add("pwned", "echo caught >> '" + programs_.trace().string() + "'"); }
  bool sprung() const { return std::filesystem::exists(programs_.trace()); }

 private:
  ProgramsFirst programs_;
};

}  // namespace likely::testing
