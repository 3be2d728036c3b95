// Whole numbers in text of others: options, settings, files.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace likely {

// The whole text as a whole number: digits, with a - in front where the type has a sign. Nothing else is one:
// no +, no blanks, no 1e3, no 0x10, and nothing that the type cannot hold.
template <std::integral Whole>
std::optional<Whole> whole_number(std::string_view text) {
  Whole value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The same within a range, both ends of which belong to it.
template <std::integral Whole>
std::optional<Whole> whole_number(std::string_view text, Whole low, Whole high) {
  const std::optional<Whole> value = whole_number<Whole>(text);
  return value && *value >= low && *value <= high ? value : std::nullopt;
}

// What is said where it is none: "must be a whole number from 1 to 1024, got \"1.5\"".
template <std::integral Whole>
std::string no_whole_number(std::string_view text, Whole low, Whole high) {
  return "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", got \"" +
         std::string(text) + "\"";
}

}  // namespace likely
