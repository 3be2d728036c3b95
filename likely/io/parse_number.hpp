// A field of a table as a number. Internal to io/, runs/ and models/.
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "likely/core/whole_number.hpp"

namespace likely::io {

// The whole text as a number, a + in front allowed; false where it is none. Numbers that f64 cannot hold are
// numbers all the same, and not words: they become infinite or 0.
template <class Number>
bool parse_number(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if constexpr (std::is_floating_point_v<Number>) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range && stop == end) {
      long double wide = 0.0L;  // says on which side, but for numbers of thousands of digits
      const bool known = std::from_chars(text.data(), end, wide).ec == std::errc();
      const bool small =
          known ? wide < 1.0L && wide > -1.0L : text.find("e-") != text.npos || text.find("E-") != text.npos;
      const Number size = small ? Number{0} : std::numeric_limits<Number>::infinity();
      value = text.starts_with('-') ? -size : size;
      return true;
    }
    return error == std::errc() && stop == end;
  } else {
    const std::optional<Number> whole = whole_number<Number>(text);
    value = whole.value_or(Number{});
    return whole.has_value();
  }
}

}  // namespace likely::io
