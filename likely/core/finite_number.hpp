// Numbers in text of others: settings, options, lists of values.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace likely {

// The whole text as a finite number, with a point whatever the locale: "0.1", "-3", "1e-4". Nothing else is
// one: no +, no blanks, no 0x10, no nan, no 1e999. (Numbers in tables of others: io/parse_number.hpp.)
inline std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace likely
