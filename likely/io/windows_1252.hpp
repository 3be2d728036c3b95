// Windows-1252: what programs write that do not write UTF-8. Latin-1 is a part of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace likely::io {

// The most bytes of UTF-8 that one of its letters becomes.
inline constexpr std::size_t kLongestWindows1252 = 3;

// Adds the text as UTF-8. Every byte is a letter; the five that have no meaning are control characters, as
// browsers read them.
void append_windows_1252(std::string_view text, std::string& utf8);

}  // namespace likely::io
