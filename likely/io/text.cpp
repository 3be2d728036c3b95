#include "likely/io/text.hpp"

#include "likely/io/byte_stream.hpp"

namespace likely::io {

std::string read_text(const std::filesystem::path& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  ByteStream file("read_text", path);
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const std::size_t got = file.read(text.data() + before, kPiece);
    text.resize(before + got);
    if (got < kPiece) return text;
  }
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<std::string> lines;
  std::size_t place = 0;
  while (place < text.size()) {
    const std::size_t found = text.find('\n', place);
    const std::size_t end = found == std::string::npos ? text.size() : found;
    lines.push_back(text.substr(place, end - place));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    place = end + 1;
  }
  return lines;
}

}  // namespace likely::io
