#include "likely/io/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/view.hpp"

namespace likely::io {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kLongestNpyHeader = 1 << 20;

struct NpyName {
  const char* operator()(float) const { return "<f4"; }
  const char* operator()(double) const { return "<f8"; }
  const char* operator()(std::int64_t) const { return "<i8"; }
  const char* operator()(bool) const { return "|b1"; }
};

// The header is a Python dictionary of three known entries, such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const Refusal& refuse) : text_(text), refuse_(refuse) {}

  NpyHeader read() {
    NpyHeader header{};
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        read_type(header);
      } else if (key == "fortran_order") {
        header.column_major = read_truth();
      } else if (key == "shape") {
        header.shape = read_shape();
      } else {
        fail("the entry '" + key + "' is unknown");
      }
      if (!seen.insert(key).second) fail("the entry '" + key + "' comes twice");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (seen.size() != 3) fail("descr, fortran_order and shape are needed");
    skip_spaces();
    if (place_ != text_.size()) fail("something follows the dictionary");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    refuse_("header, character " + std::to_string(place_) + ": " + message);
  }
  void skip_spaces() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n')) ++place_;
  }
  bool accept(char wanted) {
    skip_spaces();
    if (place_ >= text_.size() || text_[place_] != wanted) return false;
    ++place_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("'") + wanted + "' is expected");
  }
  std::string quoted() {
    skip_spaces();
    const char mark = place_ < text_.size() ? text_[place_] : ' ';
    if (mark != '\'' && mark != '"') fail("a quoted name is expected");
    const std::size_t end = text_.find(mark, place_ + 1);
    if (end == std::string_view::npos) fail("a quote is not closed");
    std::string word(text_.substr(place_ + 1, end - place_ - 1));
    place_ = end + 1;
    return word;
  }
  bool read_truth() {
    skip_spaces();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!text_.substr(place_).starts_with(word)) continue;
      place_ += word.size();
      return value;
    }
    fail("True or False is expected");
  }
  Shape read_shape() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t size = -1;
      const char* begin = text_.data() + place_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) fail("a dimension is expected");
      place_ += static_cast<std::size_t>(end - begin);
      if (shape.rank() == Shape::kMaxRank) fail("more than 8 dimensions are not supported");
      shape.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  void read_type(NpyHeader& header) {
    skip_spaces();
    if (place_ < text_.size() && text_[place_] == '[') fail("arrays of records are not supported");
    const std::string type = quoted();
    static constexpr std::pair<std::string_view, Element> kTypes[] = {
        {"b1", Element::boolean}, {"u1", Element::u8},  {"i1", Element::i8},  {"u2", Element::u16},
        {"i2", Element::i16},     {"u4", Element::u32}, {"i4", Element::i32}, {"u8", Element::u64},
        {"i8", Element::i64},     {"f2", Element::f16}, {"f4", Element::f32}, {"f8", Element::f64}};
    if (type.size() == 3 && std::string_view("<>|=").find(type[0]) != std::string_view::npos) {
      for (const auto& [name, element] : kTypes) {
        if (std::string_view(type).substr(1) != name) continue;
        header.element = element;
        header.big_endian = type[0] == '>';
        return;
      }
    }
    fail("the type '" + type + "' is not supported");
  }

  std::string_view text_;
  const Refusal& refuse_;
  std::size_t place_ = 0;
};

}  // namespace

void Refusal::operator()(const std::string& message) const { likely::refuse(reader, place + ": " + message); }

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const Refusal& refuse) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) refuse("this is not an npy array");
  const auto number = [&](std::size_t place, std::size_t count) {
    if (place + count > bytes.size()) refuse("the array ends within its header");
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value |= std::to_integer<std::size_t>(bytes[place + i]) << (8 * i);
    return value;
  };
  const std::size_t version = number(6, 1);
  if (version < 1 || version > 3) refuse("version " + std::to_string(version) + " of the format is unknown");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length = number(8, length_bytes);
  const std::size_t start = 8 + length_bytes;
  if (length > kLongestNpyHeader || start + length > bytes.size()) refuse("the array ends within its header");

  NpyHeader header = DictionaryReader(text.substr(start, length), refuse).read();
  header.bytes = start + length;
  const std::int64_t wanted = bytes_of(header.shape, header.element);
  const std::size_t there = bytes.size() - header.bytes;
  if (wanted < 0 || static_cast<std::size_t>(wanted) != there) {
    refuse("shape " + header.shape.string() + " does not fit the " + std::to_string(there) +
           " bytes of elements");
  }
  return header;
}

Tensor decode_npy(std::span<const std::byte> bytes, const Refusal& refuse) {
  const NpyHeader header = parse_npy_header(bytes, refuse);
  Shape stored = header.shape;
  const int rank = stored.rank();
  if (header.column_major) {
    for (int i = 0; i < rank; ++i) stored[i] = header.shape[rank - 1 - i];
  }
  Tensor result = Tensor::uninitialized(stored, dtype_of(header.element));
  convert(header.element, header.big_endian, bytes.data() + header.bytes, result.size(), result.dtype(),
          result.mutable_raw());
  if (!header.column_major || rank < 2) return result;
  std::vector<int> reversed(static_cast<std::size_t>(rank));
  for (int i = 0; i < rank; ++i) reversed[static_cast<std::size_t>(i)] = rank - 1 - i;
  return permute(result, reversed).contiguous();
}

std::string make_npy_header(const Tensor& tensor) {
  const char* const type = likely::detail::with_type("save_npy", tensor.dtype(), NpyName{});
  std::string text = std::string("{'descr': '") + type +
                     "', 'fortran_order': False, 'shape': " + tensor.shape().string() + ", }";
  // NumPy wants the elements to start at a multiple of 64.
  const std::size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace likely::io
