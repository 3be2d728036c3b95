// The built command, run as a user would.
#pragma once

#include <sys/types.h>

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

// The names of all commands, as `likely --help` lists them.
std::vector<std::string> command_names();

// Runs a line of the shell in a folder; the command is called `likely` there.
Ran shell(const std::string& folder, const std::string& line);

// `likely words...` started in a folder, with its output in files; and how it ended: what it returned, or
// minus the signal that killed it.
pid_t start_command(const std::string& folder, const std::vector<std::string>& words, const std::string& out,
                    const std::string& err);
int wait_for(pid_t child);

}  // namespace likely::testing
