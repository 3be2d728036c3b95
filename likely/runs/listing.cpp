#include "likely/runs/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "likely/io/json.hpp"
#include "likely/runs/runs.hpp"

namespace likely::runs {

namespace {

using io::Json;

std::string reaches(const Recipe& recipe) {
  if (recipe.expected.empty()) return "-";
  const Expected& first = recipe.expected[0];
  const std::string value =
      first.percent ? fmt::format("{:.4g} %", 100.0 * first.value) : fmt::format("{:.4g}", first.value);
  return fmt::format("{} {}", first.figure, value);
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1.0) return "< 1 s";
  return seconds < 100.0 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60.0);
}

std::string list_text(const std::vector<Recipe>& recipes) {
  std::vector<std::array<std::string, 6>> rows = {{"NAME", "BOOK", "DATA", "REACHES", "TIME", "WHAT"}};
  for (const Recipe& recipe : recipes)
    rows.push_back({recipe.name, recipe.chapter, recipe.data, reaches(recipe), time_text(recipe.seconds),
                    recipe.summary});
  std::array<std::size_t, 6> width{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:<{}}  ", row[i], width[i]);
    text += row.back() + "\n";
  }
  return text;
}

std::string list_json(const std::vector<Recipe>& recipes) {
  Json all = Json::array();
  for (const Recipe& recipe : recipes) {
    Json expected = Json::array();
    for (const Expected& one : recipe.expected)
      expected.push_back({{"figure", one.figure}, {"value", one.value}, {"published", one.published}});
    Json settings = Json::array();
    for (const Setting& setting : recipe.settings)
      settings.push_back({{"name", setting.name},
                          {"default", setting.value},
                          {"allowed", setting.allowed()},
                          {"help", setting.help}});
    all.push_back({{"name", recipe.name},
                   {"chapter", recipe.chapter},
                   {"summary", recipe.summary},
                   {"data", recipe.data},
                   {"data_help", recipe.data_help},
                   {"expected", expected},
                   {"seconds", recipe.seconds},
                   {"settings", settings}});
  }
  return io::json_text(all);
}

}  // namespace likely::runs
