// The subcommands of `likely`. Each lives in a file of its own, which adds itself to the command line.
#pragma once

#include <CLI/App.hpp>

namespace likely::command {

// `likely demo`: train a small network and draw what it learned.
void add_demo(CLI::App& app);

// `likely info`: what was built and what it runs on.
void add_info(CLI::App& app);

}  // namespace likely::command
