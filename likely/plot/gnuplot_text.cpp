#include "likely/plot/gnuplot_text.hpp"

#include <algorithm>

#include "likely/core/printable.hpp"

namespace likely::plot {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits, and marks that mean nothing to gnuplot in any place; bytes of UTF-8 are letters.
bool is_plain(char c) {
  constexpr std::string_view kMarks = " .,:;!?%()/+-=_^&~*";
  const bool letter =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  return letter || is_digit(c) || kMarks.find(c) != std::string_view::npos;
}

// Between single quotes gnuplot 5 stumbles over doubled ones; between double quotes it runs what stands in
// backquotes. So everything that could mean something is written as its octal code, and digits behind a code
// as well, since gnuplot takes as many of them as there are.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  bool code = false;
  for (const char c : text) {
    code = !is_plain(c) || (code && is_digit(c));
    if (!code) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    result += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) result += static_cast<char>('0' + (byte >> shift & 7U));
  }
  return result + '"';
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(line);
}

}  // namespace

std::string quoted_text(std::string_view text) { return in_quotes(on_one_line(text)); }

std::string quoted_mark(std::string_view text) {
  std::string doubled;
  for (const char c : on_one_line(text)) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return in_quotes(doubled);
}

// A name at whose start there is a | or a < would be a command to run.
std::string quoted_file(std::string_view name) { return in_quotes("./" + std::string(name)); }

}  // namespace likely::plot
