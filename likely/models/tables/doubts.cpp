#include "likely/models/tables/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "likely/models/tables/number_range.hpp"

namespace likely::tables {

namespace {

// How often a number that was looked for is there, and the first of them.
struct Sighting {
  std::int64_t count = 0, line = 0;
  double value = 0.0;
};

template <class Wanted>
Sighting sighting_of(const std::vector<double>& values, const io::Table& table, const Wanted& is_wanted) {
  Sighting found;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row]) || !is_wanted(values[row])) continue;
    if (found.count++ == 0)
      found = {.count = 1, .line = table.line(static_cast<std::int64_t>(row)), .value = values[row]};
  }
  return found;
}

}  // namespace

std::string doubt_of_numbers(const std::string& column, const std::vector<double>& values,
                             const io::Table& table) {
  const NumberRange range = usual_range(values);
  const Sighting far = sighting_of(values, table, [&](double value) { return range.is_far(value); });
  if (far.count == 0) return {};
  return fmt::format(
      "column \"{}\": {} in line {}{} is far from all others, which lie from {:.4g} to {:.4g}: the model "
      "draws "
      "it in to these. If it is a mistake or stands for a missing value, leave the field empty",
      column, far.value, far.line,
      far.count == 1 ? "" : fmt::format(", the first of {} such numbers,", far.count), range.low, range.high);
}

std::string doubt_of_words(const std::string& what, const std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> alike;
  for (const std::string& word : words) {
    std::string small = word;
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    alike[small].push_back(word);
  }
  for (const auto& [small, group] : alike) {
    if (group.size() < 2) continue;
    std::string all;
    for (std::size_t i = 0; i < group.size(); ++i)
      all += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == group.size() ? " and " : ", ", group[i]);
    return fmt::format("{}: {} differ in capital letters alone; they are read as different", what, all);
  }
  return {};
}

}  // namespace likely::tables
