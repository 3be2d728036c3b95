// The name that somebody probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace likely {

// The one of `names` that takes the fewest changes (a letter added, left out or replaced, two neighbours
// swapped) to make from `wrong`, or that begins with it; empty where none is near. The first of equals.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& names);

// "; did you mean \"lr\"?" with the nearest name, or nothing.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace likely
