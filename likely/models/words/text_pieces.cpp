#include "likely/models/words/text_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "likely/core/printable.hpp"

namespace likely::words {

namespace {

// Where the last line ends, or else the last word; npos where there is neither.
std::size_t last_end(std::string_view text) {
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) return line;
  const auto blank =
      std::find_if(text.rbegin(), text.rend(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  return blank == text.rend() ? std::string_view::npos : static_cast<std::size_t>(text.rend() - blank) - 1;
}

// What a file is that begins so, and is no text; "" where it may be one.
std::string what_begins(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kBeginnings{
      {{"\xFF\xFE"sv, "text in UTF-16: save it as UTF-8"},
       {"\xFE\xFF"sv, "text in UTF-16: save it as UTF-8"},
       {"\xFD"
        "7zXZ\0"sv,
        "packed with xz: unpack it first, or pack it with gzip"},
       {"\x28\xB5\x2F\xFD"sv, "packed with zstd: unpack it first, or pack it with gzip"},
       {"BZh"sv, "packed with bzip2: unpack it first, or pack it with gzip"},
       {"PK\x03\x04"sv, "a zip archive: unpack it first"},
       {"7z\xBC\xAF"sv, "a 7z archive: unpack it first"},
       {"\x7F"
        "ELF"sv,
        "a program"},
       {"%PDF-"sv, "a PDF file: save its text"}}};
  for (const auto& [beginning, what] : kBeginnings) {
    if (text.starts_with(beginning)) return std::string(what);
  }
  return "";
}

bool is_odd(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < ' ' && (byte < '\t' || byte > '\r') && byte != 0x1B;
}

// Refuses what is no text, by its first piece.
void check_text(const io::ByteStream& file, std::string_view text) {
  const std::string known = what_begins(text);
  if (!known.empty()) file.refuse("this is " + known);
  const auto zeros = std::count(text.begin(), text.end(), '\0');
  if (zeros > 0)
    file.refuse(4 * zeros > std::ssize(text) ? "this is text in UTF-16 or UTF-32: save it as UTF-8"
                                             : "this is no text: it holds bytes that are 0");
  constexpr std::ptrdiff_t kOneIn = 50;
  if (kOneIn * std::count_if(text.begin(), text.end(), is_odd) > std::ssize(text))
    file.refuse("this is no text: many of its bytes are control characters");
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (!is_utf8(text.substr(begin, end - begin)))
      file.refuse(
          fmt::format("line {}: the letters are no UTF-8; of Latin-1 it can be made by `iconv -f "
                      "latin1 -t utf8`",
                      line));
    begin = end + 1;
  }
}

}  // namespace

TextPieces::TextPieces(std::string reader, const std::filesystem::path& path)
    : file_(std::move(reader), path) {}

bool TextPieces::next(std::string& piece) {
  while (!ended_) {
    piece = std::exchange(carried_, {});
    const std::size_t before = piece.size();
    piece.resize(before + kPiece);
    const std::size_t got = file_.read(piece.data() + before, kPiece);
    piece.resize(before + got);
    ended_ = got < kPiece;
    const bool first = std::exchange(first_, false);
    if (first && piece.starts_with("\xEF\xBB\xBF")) piece.erase(0, 3);
    if (ended_) {
      if (first) check_text(file_, piece);
      return !piece.empty();
    }
    const std::size_t end = last_end(piece);
    // A letter of UTF-8 that the end of the piece cuts is not looked at.
    if (first)
      check_text(file_, std::string_view(piece).substr(0, end == std::string_view::npos ? end : end + 1));
    if (end != std::string_view::npos) {
      carried_ = piece.substr(end + 1);
      piece.resize(end + 1);
      return true;
    }
    // A single word, too long already: what is carried on keeps it too long.
    carried_ = piece.substr(piece.size() - kLongestWord - 1);
  }
  return false;
}

}  // namespace likely::words
