#include "likely/runs/short_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "likely/core/printable.hpp"

namespace likely::runs {

namespace {

std::string cut(std::string_view name, std::size_t bytes) {
  if (name.size() <= bytes) return std::string(name);
  return std::string(beginning(name, bytes - 2)) + "..";
}

// How many bytes all of them begin with, in whole letters.
std::size_t common_beginning(const std::vector<std::string_view>& names) {
  std::size_t same = names.front().size();
  for (const std::string_view name : names) {
    const auto [left, right] =
        std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    same = std::min(same, static_cast<std::size_t>(left - name.begin()));
  }
  return beginning(names.front(), same).size();
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t bytes) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < names.size(); ++i) alike[cut(names[i], bytes)].push_back(i);
  std::vector<std::string> result(names.size());
  for (const auto& [shown, places] : alike) {
    std::vector<std::string_view> whole;
    for (const std::size_t i : places) whole.emplace_back(names[i]);
    const std::size_t same = places.size() > 1 ? common_beginning(whole) : 0;
    for (const std::size_t i : places)
      result[i] = same == 0 ? shown : ".." + cut(std::string_view(names[i]).substr(same), bytes - 2);
  }
  std::map<std::string, int> count;
  for (const std::string& name : result) ++count[name];
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (count[result[i]] < 2) continue;
    const std::string number = fmt::format("{} ", i + 1);
    result[i] = number + cut(names[i], bytes - number.size());
  }
  return result;
}

}  // namespace likely::runs
