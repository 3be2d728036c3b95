// What the library says of settings, in the words of the command line.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace likely::command {

// The names that are options, without dashes in front: main.cpp tells them all when the command starts, so
// that a new option is known.
void know_options(std::set<std::string, std::less<>> names);

// "`force`" becomes "--force", "`header = no`" becomes "--header no". Only what is an option of a command is
// changed: names of files and columns may have anything in them.
std::string with_flags(const std::string& text);

}  // namespace likely::command
