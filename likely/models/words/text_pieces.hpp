// A text of any size, piece by piece, and the words of a piece.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "likely/io/byte_stream.hpp"

namespace likely::words {

// What is longer is no word, but something that is no text; it is passed over.
inline constexpr std::size_t kLongestWord = 255;

// Plain or packed with gzip. A piece ends with a line where it holds one, else with a word, so that the
// pieces depend on the text alone.
class TextPieces {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  TextPieces(std::string reader, const std::filesystem::path& path);
  // Makes `piece` the next one, without the mark with which some programs begin UTF-8; false at the end.
  // Refuses a damaged gzip file, and what is no text in UTF-8, as far as its first piece tells.
  bool next(std::string& piece);

 private:
  io::ByteStream file_;
  std::string carried_;
  bool first_ = true, ended_ = false;
};

// Words stand between blanks, ends of lines and other control characters (bytes up to 32). Calls word(view)
// for each of up to kLongestWord bytes, and line_end() behind each line.
template <class Word, class LineEnd>
void walk_words(std::string_view text, Word&& word, LineEnd&& line_end) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (static_cast<unsigned char>(*at) <= ' ') {
      if (*at == '\n') line_end();
      ++at;
      continue;
    }
    const char* const begin = at;
    while (at != end && static_cast<unsigned char>(*at) > ' ') ++at;
    const auto length = static_cast<std::size_t>(at - begin);
    if (length <= kLongestWord) word(std::string_view(begin, length));
  }
}

}  // namespace likely::words
