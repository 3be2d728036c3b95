#include "likely/prob/sampling/temperature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"

namespace likely {

double TemperatureSchedule::operator()(std::int64_t step) const {
  const auto check = [](bool good, const char* what, double value) {
    if (!good || !std::isfinite(value)) refuse("TemperatureSchedule", fmt::format("{}, got {}", what, value));
  };
  if (step < 0) refuse("TemperatureSchedule", fmt::format("the step must be >= 0, got {}", step));
  if (every < 1) refuse("TemperatureSchedule", fmt::format("every must be >= 1, got {}", every));
  check(first > 0.0, "first must be finite and above 0", first);
  check(floor > 0.0, "floor must be finite and above 0", floor);
  check(rate >= 0.0, "rate must be finite and not below 0", rate);
  const std::int64_t changed = step - step % every;
  return std::max(floor, first * std::exp(-rate * static_cast<double>(changed)));
}

}  // namespace likely
