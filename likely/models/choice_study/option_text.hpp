// Numbers in the options of a command, and tables in its answers. Internal to choice_study/.
#pragma once

#include <string>
#include <vector>

namespace likely::choice {

// A finite number, and a list "a,b,c" of them. Refuse other text; `whole` says where it stands.
double number_of(const std::string& text, const std::string& whole);
std::vector<double> numbers_of(const std::string& list, const std::string& whole);

// Columns that line up: the first to the left, the others to the right. The first row is the heading.
std::string aligned(std::vector<std::vector<std::string>> rows);

}  // namespace likely::choice
