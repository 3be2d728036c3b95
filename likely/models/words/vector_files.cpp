// Hot: every number of a file of vectors.
#include "likely/models/words/vector_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/byte_stream.hpp"

namespace likely::words {

namespace {

static_assert(std::endian::native == std::endian::little, "files have the low byte first");

// Bytes of a file, one after the other, and where they stand.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& path) : file_("load_vectors", path), buffer_(kBuffer) {}

  // The next byte without taking it; -1 at the end.
  int peek() {
    if (at_ == end_) fill();
    return at_ == end_ ? -1 : static_cast<unsigned char>(buffer_[at_]);
  }
  int take() {
    const int byte = peek();
    if (byte >= 0) ++at_;
    return byte;
  }
  void take(char* to, std::size_t count) {
    while (count > 0) {
      if (at_ == end_) fill();
      if (at_ == end_) file_.refuse(fmt::format("the file ends at byte {}, within a vector", place()));
      const std::size_t piece = std::min(count, end_ - at_);
      std::memcpy(to, buffer_.data() + at_, piece);
      at_ += piece;
      to += piece;
      count -= piece;
    }
  }
  // The next line without its end; false where there is none. Refuses one that is longer than `most`.
  bool line(std::string& text, std::size_t most) {
    text.clear();
    if (peek() < 0) return false;
    ++line_;
    while (true) {
      if (at_ == end_) fill();
      if (at_ == end_) break;
      const char* const from = buffer_.data() + at_;
      const char* const stop = std::find(from, static_cast<const char*>(buffer_.data()) + end_, '\n');
      text.append(from, stop);
      at_ += static_cast<std::size_t>(stop - from);
      if (text.size() > most) refuse_line(fmt::format("the line is longer than {} bytes", most));
      if (at_ < end_) {
        ++at_;
        break;
      }
    }
    if (text.ends_with('\r')) text.pop_back();
    return true;
  }
  // Looks ahead, at the first bytes of the file.
  bool starts_with(std::string_view beginning) {
    return peek() >= 0 && std::string_view(buffer_.data() + at_, end_ - at_).starts_with(beginning);
  }
  // Whether the first line is a word and two numbers at least.
  bool starts_with_row() {
    if (peek() < 0) return false;
    std::string_view text(buffer_.data() + at_, end_ - at_);
    text = text.substr(0, text.find('\n'));
    std::size_t at = text.find(' ');
    if (at == 0) return false;
    for (int numbers = 0; numbers < 2; ++numbers) {
      if (at == std::string_view::npos) return false;
      const std::size_t end = text.find(' ', at + 1);
      std::string_view field = text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
      if (field.ends_with('\r')) field.remove_suffix(1);
      if (!finite_number(field)) return false;
      at = end;
    }
    return true;
  }
  std::uint64_t place() const { return before_ + at_; }
  const io::ByteStream& file() const { return file_; }
  [[noreturn]] void refuse_line(const std::string& message) const {
    file_.refuse(fmt::format("line {}: {}", line_, message));
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 18;

  void fill() {
    before_ += end_;
    at_ = 0;
    end_ = file_.read(buffer_.data(), buffer_.size());
  }

  io::ByteStream file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t before_ = 0;
  std::int64_t line_ = 0;
};

struct Sizes {
  std::int64_t words, dimension;
};

Sizes read_sizes(Bytes& bytes) {
  std::string line;
  constexpr std::size_t kLongestHeader = 100;
  // The first bytes of what fastText writes for itself: 0x2F4F16BA.
  constexpr std::string_view kFastText = "\xBA\x16\x4F\x2F";
  if (bytes.starts_with(kFastText))
    bytes.file().refuse("this is a model of fastText: its .vec file holds the vectors");
  if (bytes.starts_with_row())
    bytes.file().refuse(
        "line 1: a word and its numbers, as files of GloVe begin; a line with the number of words and that "
        "of "
        "floats a word is needed above it, such as \"400000 100\"");
  if (!bytes.line(line, kLongestHeader)) bytes.file().refuse("the file is empty");
  const std::size_t blank = line.find(' ');
  constexpr std::int64_t kMostWords = std::int64_t{1} << 31, kMostDimensions = std::int64_t{1} << 24;
  const auto words = whole_number(std::string_view(line).substr(0, blank), std::int64_t{1}, kMostWords);
  const auto dimension = blank == std::string::npos ? std::nullopt
                                                    : whole_number(std::string_view(line).substr(blank + 1),
                                                                   std::int64_t{1}, kMostDimensions);
  if (!words || !dimension)
    bytes.refuse_line(fmt::format("the number of words and that of floats a word are expected, got \"{}\"",
                                  printable_line(beginning(line, 60))));
  return {*words, *dimension};
}

// A vector takes at least so many bytes.
void check_room(const Bytes& bytes, const Sizes& sizes, bool binary) {
  const auto least = static_cast<std::uint64_t>(binary ? 2 + 4 * sizes.dimension : 1 + 2 * sizes.dimension);
  const std::uint64_t room = bytes.file().most_bytes();
  if (least > room || static_cast<std::uint64_t>(sizes.words) > room / least)
    bytes.refuse_line(
        fmt::format("{} words of {} floats do not fit into the file", sizes.words, sizes.dimension));
}

// Refuses a word that was there already; `where` says where this one is.
void add_word(const Bytes& bytes, WordTable& table, std::string_view word, const std::string& where) {
  if (word.empty()) bytes.file().refuse(where + ": the word is empty");
  if (word.size() > kLongestVectorWord)
    bytes.file().refuse(fmt::format("{}: the word is longer than {} bytes", where, kLongestVectorWord));
  if (word.find_first_of("\n\r") != std::string_view::npos)
    bytes.file().refuse(where + ": the word holds an end of line");
  const std::uint32_t before = table.size();
  if (table.add(word) != before)
    bytes.file().refuse(
        fmt::format("{}: the word \"{}\" comes twice", where, printable_line(beginning(word, 100))));
}

void read_text_row(const Bytes& bytes, std::string_view line, std::int64_t number, const Sizes& sizes,
                   WordTable& table, std::vector<float>& floats) {
  const std::string where = fmt::format("line {}", number);
  const std::size_t blank = std::min(line.find(' '), line.size());
  add_word(bytes, table, line.substr(0, blank), where);
  std::int64_t found = 0;
  for (std::size_t at = blank; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view text = line.substr(at, end - at);
    float value = 0.0F;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool small = error == std::errc::result_out_of_range && text.find("e-") != std::string_view::npos;
    if ((error != std::errc() && !small) || stop != text.data() + text.size() || !std::isfinite(value))
      bytes.file().refuse(
          fmt::format("{}: \"{}\" is no finite number", where, printable_line(beginning(text, 40))));
    floats.push_back(small ? 0.0F : value);
    ++found;
    at = end;
  }
  if (found != sizes.dimension)
    bytes.file().refuse(fmt::format("{}: {} numbers, {} are expected", where, found, sizes.dimension));
}

// Room for all numbers where the size of the file has vouched for them.
std::vector<float> floats_for(const Bytes& bytes, const Sizes& sizes) {
  std::vector<float> floats;
  if (!bytes.file().is_packed()) floats.reserve(static_cast<std::size_t>(sizes.words * sizes.dimension));
  return floats;
}

std::vector<float> read_text(Bytes& bytes, const Sizes& sizes, WordTable& table,
                             const CancelTest& cancelled) {
  std::vector<float> floats = floats_for(bytes, sizes);
  std::string line;
  const std::size_t most = kLongestVectorWord + 64 * static_cast<std::size_t>(sizes.dimension);
  for (std::int64_t i = 0; i < sizes.words; ++i) {
    if (i % 1024 == 0) give_up_if(cancelled);
    if (!bytes.line(line, most))
      bytes.file().refuse(
          fmt::format("the file ends behind line {}, {} words are expected", i + 1, sizes.words));
    read_text_row(bytes, line, i + 2, sizes, table, floats);
  }
  while (bytes.line(line, most)) {
    if (!line.empty()) bytes.refuse_line(fmt::format("the file goes on behind its {} words", sizes.words));
  }
  return floats;
}

std::vector<float> read_binary(Bytes& bytes, const Sizes& sizes, WordTable& table,
                               const CancelTest& cancelled) {
  std::vector<float> floats = floats_for(bytes, sizes);
  std::string word;
  const auto dimension = static_cast<std::size_t>(sizes.dimension);
  for (std::int64_t i = 0; i < sizes.words; ++i) {
    if (i % 1024 == 0) give_up_if(cancelled);
    if (bytes.peek() == '\n') bytes.take();
    const std::string where = fmt::format("word {}, byte {}", i + 1, bytes.place());
    word.clear();
    for (int byte = bytes.take(); byte != ' '; byte = bytes.take()) {
      if (byte < 0)
        bytes.file().refuse(fmt::format("{}: the file ends, {} words are expected", where, sizes.words));
      word.push_back(static_cast<char>(byte));
      if (word.size() > kLongestVectorWord) break;
    }
    add_word(bytes, table, word, where);
    const std::size_t before = floats.size();
    floats.resize(before + dimension);
    bytes.take(reinterpret_cast<char*>(floats.data() + before), 4 * dimension);
    const auto wrong = std::find_if(floats.begin() + static_cast<std::ptrdiff_t>(before), floats.end(),
                                    [](float value) { return !std::isfinite(value); });
    if (wrong != floats.end())
      bytes.file().refuse(fmt::format("{}: number {} of the vector is not finite", where,
                                      wrong - floats.begin() - static_cast<std::ptrdiff_t>(before) + 1));
  }
  if (bytes.peek() == '\n') bytes.take();
  if (bytes.peek() >= 0)
    bytes.file().refuse(
        fmt::format("the file goes on behind its {} words, from byte {} on", sizes.words, bytes.place()));
  return floats;
}

}  // namespace

VectorFormat format_of(const std::filesystem::path& path, VectorFormat format) {
  if (format != VectorFormat::by_ending) return format;
  const std::filesystem::path plain = path.extension() == ".gz" ? path.stem() : path;
  if (plain.extension() == ".bin") return VectorFormat::binary;
  if (plain.extension() == ".txt" || plain.extension() == ".vec") return VectorFormat::text;
  throw Error(
      fmt::format("{}: neither .bin (binary) nor .txt or .vec (text): name the `format`", path.string()));
}

WordVectors load_vectors(const std::filesystem::path& path, VectorFormat format,
                         const CancelTest& cancelled) {
  const bool binary = format_of(path, format) == VectorFormat::binary;
  Bytes bytes(path);
  const Sizes sizes = read_sizes(bytes);
  check_room(bytes, sizes, binary);
  WordVectors vectors;
  const std::vector<float> floats =
      (binary ? read_binary : read_text)(bytes, sizes, vectors.words, cancelled);
  vectors.matrix = zeros({sizes.words, sizes.dimension});
  std::copy(floats.begin(), floats.end(), vectors.matrix.mutable_data<float>());
  return vectors;
}

void save_vectors(const std::filesystem::path& path, const WordVectors& vectors, VectorFormat format,
                  bool replace, const CancelTest& cancelled) {
  const bool binary = format_of(path, format) == VectorFormat::binary;
  if (path.extension() == ".gz")
    throw Error(fmt::format("{}: vectors are written plainly; leave .gz out", path.string()));
  io::AtomicFile file(path, {.replace = replace});
  const std::int64_t dimension = vectors.dimension();
  const Tensor dense = vectors.matrix.is_contiguous() ? vectors.matrix : vectors.matrix.contiguous();
  const float* row = dense.data<float>();
  file.write(fmt::format("{} {}\n", vectors.size(), dimension));
  fmt::memory_buffer text;
  for (std::int64_t i = 0; i < vectors.size(); ++i, row += dimension) {
    if (i % 1024 == 0) give_up_if(cancelled);
    const std::string_view word = vectors.words[static_cast<std::uint32_t>(i)];
    if (word.empty() || word.find_first_of(" \n\r") != std::string_view::npos)
      refuse("save_vectors", fmt::format("word {}, \"{}\", is empty or holds a blank or an end of line",
                                         i + 1, printable_line(word)));
    file.write(word);
    if (binary) {
      file.write(" ");
      file.write(row, 4 * static_cast<std::size_t>(dimension));
      file.write("\n");
    } else {
      text.clear();
      for (std::int64_t j = 0; j < dimension; ++j) fmt::format_to(std::back_inserter(text), " {}", row[j]);
      text.push_back('\n');
      file.write(std::string_view(text.data(), text.size()));
    }
  }
  file.commit();
}

}  // namespace likely::words
