#include "likely/core/printable.hpp"

#include <cstdint>

#include "likely/core/utf8.hpp"

namespace likely {

using detail::first_character;

namespace {

bool within(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return code >= first && code <= last;
}

bool commands(std::uint32_t code, bool keep_lines) {
  if (keep_lines && (code == '\n' || code == '\t')) return false;
  const bool control = code < 0x20 || within(code, 0x7F, 0x9F);
  const bool direction = within(code, 0x200E, 0x200F) || within(code, 0x202A, 0x202E) ||
                         within(code, 0x2066, 0x2069) || code == 0x61C;
  const bool line_end = within(code, 0x2028, 0x2029);
  return control || direction || line_end || (code & 0xFFFEU) == 0xFFFE;
}

std::string hexadecimal(std::uint32_t code, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[code >> (4 * i) & 0xFU];
  return text;
}

std::string shown_with_codes(std::string_view text, bool keep_lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (bytes == 0) {
      shown += "\\x" + hexadecimal(static_cast<unsigned char>(text[0]), 2);
    } else if (commands(code, keep_lines)) {
      shown += code < 0x80 ? "\\x" + hexadecimal(code, 2) : "\\u" + hexadecimal(code, code > 0xFFFF ? 6 : 4);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return shown_with_codes(text, true); }

std::string printable_line(std::string_view text) { return shown_with_codes(text, false); }

std::string shell_word(std::string_view text) {
  std::string word = (text.starts_with('-') ? "./" : "") + std::string(text);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:@%/";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  // Codes mean what they stand for between these quotes alone, where a backslash has to be told from them.
  const bool has_codes = printable_line(word) != word;
  std::string quoted = has_codes ? "$'" : "'";
  for (const char character : word) {
    if (character == '\'') {
      quoted += has_codes ? "\\'" : "'\\''";
    } else if (character == '\\' && has_codes) {
      quoted += "\\\\";
    } else {
      quoted += character;
    }
  }
  return printable_line(quoted) + "'";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace likely
