// What train, resume, eval and plot have in common: options, and how a report is shown.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "likely/runs/runs.hpp"

namespace likely::command {

struct ShowOptions {
  bool json = false;
  bool quiet = false;
  int threads = 0;
};

// Adds --json, --quiet and, but for a command with one of its own, --threads.
std::shared_ptr<ShowOptions> add_show_options(CLI::App& command, bool own_threads = false);

// Sets the number of threads that was asked for.
void apply(const ShowOptions& options);

// Says what went wrong without being a reason to fail, a line each, on the standard error.
void warn(const std::vector<std::string>& warnings);

// Prints a report, and warns. Of what was interrupted it says how to go on, by a command that wants the
// folder, and ends with exit code 130.
void show(const runs::RunReport& report, const ShowOptions& options,
          const char* go_on = "go on with: likely resume");

}  // namespace likely::command
