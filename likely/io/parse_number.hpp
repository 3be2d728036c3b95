// A field of a table as a number. Internal to readers of tables.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace likely::io {

// The whole text as a number, a + in front allowed; false where it is none.
template <class Number>
bool parse_number(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace likely::io
