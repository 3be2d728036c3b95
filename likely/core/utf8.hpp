// One character of UTF-8. Internal to likely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace likely::detail {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: this is no UTF-8
};

// The character that text which is not empty begins with. Longer spellings than need be, halves of pairs
// (surrogates) and codes beyond 10FFFF are no UTF-8.
Utf8Character first_character(std::string_view text);

}  // namespace likely::detail
