// What the library says of settings, in the words of the command line.
#pragma once

#include <string>

namespace likely::command {

// "`force`" becomes "--force", "`header = no`" becomes "--header no". Only what is an option of a command is
// changed: names of files and columns may have anything in them.
std::string with_flags(const std::string& text);

}  // namespace likely::command
