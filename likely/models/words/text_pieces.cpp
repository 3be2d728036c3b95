#include "likely/models/words/text_pieces.hpp"

#include <algorithm>
#include <utility>

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
    if (ended_) return !piece.empty();
    const std::size_t end = last_end(piece);
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
