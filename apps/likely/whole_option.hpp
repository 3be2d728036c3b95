// Options that take a whole number.
#pragma once

#include <CLI/App.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "likely/core/whole_number.hpp"

namespace likely::command {

// For Option::transform. Refuses what is no whole number from `low` to `high`; what is one is handed on
// without zeros in front, which would be taken for an octal number.
template <std::integral Whole>
CLI::Validator whole(Whole low, Whole high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        const std::optional<Whole> value = whole_number(text, low, high);
        if (!value) return no_whole_number(text, low, high);
        text = std::to_string(*value);
        return {};
      },
      "");
}

// Every seed there is.
inline CLI::Validator seed() { return whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()); }

}  // namespace likely::command
