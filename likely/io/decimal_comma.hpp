// Numbers with a decimal comma. Internal to io/ and models/.
#pragma once

#include <string>
#include <string_view>

#include "likely/io/parse_number.hpp"

namespace likely::io {

// The whole text as a number such as 3,5: with one comma, and without a point. False where it is none.
inline bool parse_decimal_comma(std::string_view text, double& value) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || text.find(',', comma + 1) != text.npos || text.find('.') != text.npos)
    return false;
  const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  if (comma == 0 || !is_digit(comma - 1) || !is_digit(comma + 1)) return false;
  std::string english(text);
  english[comma] = '.';
  return parse_number(std::string_view(english), value);
}

}  // namespace likely::io
