#include "likely/tree/name_pattern.hpp"

namespace likely {

namespace {

// Greedy: where the rest does not fit, the last star takes one more character.
bool fits_one(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool name_fits(std::string_view name, std::string_view pattern) {
  while (true) {
    const std::size_t bar = pattern.find('|');
    if (fits_one(name, pattern.substr(0, bar))) return true;
    if (bar == std::string_view::npos) return false;
    pattern.remove_prefix(bar + 1);
  }
}

}  // namespace likely
