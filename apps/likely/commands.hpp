// The subcommands of `likely`. Each lives in a file of its own, which adds itself to the command line.
#pragma once

#include <CLI/App.hpp>

namespace likely::command {

// `likely info`: what was built and what it runs on.
void add_info(CLI::App& app);

}  // namespace likely::command
