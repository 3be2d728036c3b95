// One clear line for what is refused.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace likely::command {

// What is wrong, with the nearest command, name or option where there is one, and where to read more.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

// An error as one line, whatever names it holds. Lists that the library writes below each other stand behind
// each other.
std::string one_line(std::string message);

}  // namespace likely::command
