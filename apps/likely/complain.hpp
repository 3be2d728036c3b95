// One clear line for a command line that does not parse.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace likely::command {

// What is wrong, with the nearest command, name or option where there is one, and where to read more.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace likely::command
