#include "apps/likely/flags.hpp"

#include <functional>
#include <utility>

namespace likely::command {

namespace {

using Names = std::set<std::string, std::less<>>;
Names& options() {
  static Names names;
  return names;
}

constexpr std::string_view kGiven = " = ";

// The option that stands between two backticks; empty where something else does.
std::string flag_of(std::string_view quoted) {
  const std::size_t given = quoted.find(kGiven);
  const std::string_view name = quoted.substr(0, given);
  if (!options().contains(name)) return "";
  std::string flag = "--" + std::string(name);
  if (given != std::string_view::npos) flag += " " + std::string(quoted.substr(given + kGiven.size()));
  return flag;
}

}  // namespace

void know_options(Names names) { options() = std::move(names); }

std::string with_flags(const std::string& text) {
  std::string said;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('`', at);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    if (close == std::string::npos) return said + text.substr(at);
    const std::string flag = flag_of(std::string_view(text).substr(open + 1, close - open - 1));
    // What is no option may end where one begins.
    const std::size_t next = flag.empty() ? close : close + 1;
    said += text.substr(at, open - at) + (flag.empty() ? text.substr(open, close - open) : flag);
    at = next;
  }
}

}  // namespace likely::command
