// Text of others, such as names in a file, made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace likely {

// The text with everything that would command a terminal instead of being read shown as its code: control
// characters other than the ends of lines and tabs as \x1b, those of Unicode (among them the marks that turn
// the direction of writing) as \u202e, bytes that are no UTF-8 as \xff. Everything else stays as it is.
std::string printable(std::string_view text);

// The same for a name or whatever else has its place within a line: ends of lines and tabs are shown as their
// codes, too.
std::string printable_line(std::string_view text);

// A word, such as the name of a file, as it has to be typed in a shell (bash, zsh) to be one word and nothing
// else: as it is, between quotes, or with codes as $'a\x1b'. A name that begins with a dash, and would be
// taken for an option, begins with ./ then.
std::string shell_word(std::string_view text);

// Whether all of it is UTF-8.
bool is_utf8(std::string_view text);

// At most so many bytes from the start, without cutting a character in two.
std::string_view beginning(std::string_view text, std::size_t bytes);

}  // namespace likely
