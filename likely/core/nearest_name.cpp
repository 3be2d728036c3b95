#include "likely/core/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace likely {

namespace {

// Optimal string alignment: rows of the usual table, of which the last three are kept.
std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, std::max<std::size_t>(wrong.size(), 3) / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t count = changes(wrong, name);
    if (count < fewest) {
      fewest = count;
      best = name;
    }
  }
  if (!best.empty() || wrong.size() < 2) return best;
  const auto longer = std::find_if(names.begin(), names.end(),
                                   [&](const std::string& name) { return name.starts_with(wrong); });
  return longer == names.end() ? "" : *longer;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string name = nearest_name(wrong, names);
  return name.empty() ? "" : fmt::format("; did you mean \"{}\"?", name);
}

}  // namespace likely
