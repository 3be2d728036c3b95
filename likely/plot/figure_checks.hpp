// What figures refuse. Internal to plot/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "likely/plot/figure.hpp"

namespace likely::plot {

void check_same_size(const char* caller, const char* a, std::size_t size_a, const char* b,
                     std::size_t size_b);
// Two different finite numbers, if any.
void check_range(const char* caller, const char* name, const std::optional<std::pair<double, double>>& range);
// A colour that is one, and a width.
void check_series(const char* caller, const SeriesOptions& options);
// A place that there is.
void check_legend(const std::string& where);

}  // namespace likely::plot
