#include "likely/plot/figure_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "likely/core/error.hpp"

namespace likely::plot {

namespace {

bool is_color(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  return text.size() == 7 && text[0] == '#' && text.find_first_not_of(kDigits, 1) == std::string_view::npos;
}

}  // namespace

void check_same_size(const char* caller, const char* a, std::size_t size_a, const char* b,
                     std::size_t size_b) {
  if (size_a != size_b) {
    refuse(caller, fmt::format("{} has {} numbers, {} has {}", a, size_a, b, size_b));
  }
}

void check_range(const char* caller, const char* name,
                 const std::optional<std::pair<double, double>>& range) {
  if (!range) return;
  const auto [first, last] = *range;
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(last - first) || first == last)
    refuse(caller, fmt::format("{} needs two different finite numbers, got {} and {}", name, first, last));
}

void check_series(const char* caller, const SeriesOptions& options) {
  if (!options.color.empty() && !is_color(options.color))
    refuse(caller, fmt::format("a color is written as #rrggbb, got \"{}\"", options.color));
  if (!(options.width >= 0.0 && options.width <= 1e6))
    refuse(caller, fmt::format("width must be from 0 to 1e6, got {}", options.width));
}

void check_legend(const std::string& where) {
  constexpr std::array kPlaces = {"none",       "outside",     "top left",     "top right",
                                  "top center", "bottom left", "bottom right", "bottom center",
                                  "left",       "right",       "top",          "bottom",
                                  "center",     "center left", "center right"};
  if (std::find(kPlaces.begin(), kPlaces.end(), where) == kPlaces.end())
    refuse("Figure",
           fmt::format("a legend is in a corner such as \"top right\", \"outside\" or \"none\", got \"{}\"",
                       where));
}

}  // namespace likely::plot
