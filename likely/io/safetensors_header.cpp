#include "likely/io/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "likely/io/json.hpp"

namespace likely::io {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // what the format allows
constexpr int kDeepest = 3;                            // {"name": {"shape": [

constexpr std::array<std::pair<std::string_view, Element>, 13> kTypes{{
    {"BOOL", Element::boolean},
    {"U8", Element::u8},
    {"I8", Element::i8},
    {"U16", Element::u16},
    {"I16", Element::i16},
    {"U32", Element::u32},
    {"I32", Element::i32},
    {"U64", Element::u64},
    {"I64", Element::i64},
    {"F16", Element::f16},
    {"BF16", Element::bf16},
    {"F32", Element::f32},
    {"F64", Element::f64},
}};

std::uint64_t header_length(const InputFile& file) {
  std::array<unsigned char, kLengthBytes> bytes{};
  file.read(0, bytes.data(), bytes.size());
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) length |= std::uint64_t{bytes[i]} << (8 * i);
  if (length > kLongestHeader || length > file.size() - kLengthBytes) {
    file.refuse("a header of " + std::to_string(length) + " bytes is announced, the file has " +
                std::to_string(file.size()));
  }
  return length;
}

// Names that come twice, and depths that only a broken file has, are seen while reading: the parser itself
// would keep the last of two, and a thousand brackets.
SortedJson parse_header(const InputFile& file, const std::string& text) {
  std::set<std::string> names;
  const auto watch = [&](int depth, SortedJson::parse_event_t event, SortedJson& parsed) {
    using Event = SortedJson::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth >= kDeepest) {
      file.refuse("the header is nested too deeply");
    }
    if (event == Event::key && depth == 1 && !names.insert(parsed.get<std::string>()).second) {
      file.refuse("the header names \"" + parsed.get<std::string>() + "\" twice");
    }
    return true;
  };
  try {
    SortedJson header = watched_json(text, watch);
    if (header.is_object()) return header;
  } catch (const SortedJson::parse_error& error) {
    file.refuse("the header is not JSON, see byte " + std::to_string(kLengthBytes + error.byte));
  } catch (const SortedJson::out_of_range&) {
    file.refuse("the header holds a number that is too large");
  }
  file.refuse("the header is not a JSON object");
}

std::optional<std::uint64_t> whole_of(const SortedJson& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  return std::nullopt;
}

class EntryReader {
 public:
  EntryReader(const InputFile& file, const std::string& name, const SortedJson& json,
              std::uint64_t data_start)
      : file_(file), name_(name), json_(json), data_start_(data_start) {}

  SafetensorsEntry read() const {
    if (!json_.is_object()) refuse("is not described by an object");
    const Element type = element();
    const Shape dims = shape();
    const auto [begin, end] = offsets();
    const std::int64_t wanted = bytes_of(dims, type);
    if (wanted < 0 || end - begin != static_cast<std::uint64_t>(wanted)) {
      refuse("has shape " + dims.string() + " of " + json_.at("dtype").get<std::string>() + ", which needs " +
             (wanted < 0 ? "more bytes than there are" : std::to_string(wanted) + " bytes") + ", and " +
             std::to_string(end - begin) + " bytes in the file");
    }
    return {name_, type, dims, data_start_ + begin, end - begin};
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    file_.refuse("tensor \"" + name_ + "\" " + message);
  }

  const SortedJson& field(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse("has no " + std::string(key));
    return *found;
  }

  Element element() const {
    const SortedJson& dtype = field("dtype");
    if (!dtype.is_string()) refuse("has a dtype that is not a string");
    const auto name = dtype.get<std::string>();
    for (const auto& [known, type] : kTypes) {
      if (known == name) return type;
    }
    refuse("has the type " + name + ", which is not supported");
  }

  Shape shape() const {
    const SortedJson& dims = field("shape");
    if (!dims.is_array()) refuse("has a shape that is not a list");
    if (dims.size() > Shape::kMaxRank) {
      refuse("has " + std::to_string(dims.size()) + " dimensions, at most 8 are supported");
    }
    Shape shape;
    for (const SortedJson& dim : dims) {
      const auto size = whole_of(dim);
      if (!size || *size > (std::uint64_t{1} << 62)) refuse("has the impossible dimension " + json_text(dim));
      shape.push_back(static_cast<std::int64_t>(*size));
    }
    return shape;
  }

  std::pair<std::uint64_t, std::uint64_t> offsets() const {
    const SortedJson& both = field("data_offsets");
    const bool two = both.is_array() && both.size() == 2;
    const auto begin = two ? whole_of(both[0]) : std::nullopt;
    const auto end = two ? whole_of(both[1]) : std::nullopt;
    if (!begin || !end || *begin > *end) refuse("has data_offsets that are not two growing numbers");
    if (*end > file_.size() - data_start_) {
      refuse("ends at byte " + std::to_string(*end) + " of the data, which has " +
             std::to_string(file_.size() - data_start_));
    }
    return {*begin, *end};
  }

  const InputFile& file_;
  const std::string& name_;
  const SortedJson& json_;
  std::uint64_t data_start_;
};

// Every byte of the data belongs to one tensor, as the format demands: nothing can hide there.
void check_layout(const InputFile& file, const std::vector<SafetensorsEntry>& entries, std::uint64_t place) {
  for (const SafetensorsEntry& entry : entries) {
    if (entry.offset < place) file.refuse("tensor \"" + entry.name + "\" overlaps another one");
    if (entry.offset > place) file.refuse("there is a gap before tensor \"" + entry.name + "\"");
    place = entry.offset + entry.bytes;
  }
  if (place != file.size()) {
    file.refuse(std::to_string(file.size() - place) + " bytes at the end belong to no tensor");
  }
}

}  // namespace

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  const std::uint64_t length = header_length(file);
  std::string text(length, '\0');
  file.read(kLengthBytes, text.data(), text.size());
  const std::uint64_t data_start = kLengthBytes + length;
  const SortedJson json = parse_header(file, text);

  SafetensorsHeader header;
  for (const auto& [name, value] : json.items()) {
    if (name != "__metadata__") {
      header.entries.push_back(EntryReader(file, name, value, data_start).read());
      continue;
    }
    if (!value.is_object()) file.refuse("__metadata__ is not an object");
    for (const auto& [key, word] : value.items()) {
      if (!word.is_string()) file.refuse("__metadata__ has a value for \"" + key + "\" that is not a string");
      header.metadata[key] = word.get<std::string>();
    }
  }
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
                   });
  check_layout(file, header.entries, data_start);
  header.checksums = take_checksums(text, header.metadata, header.entries.size());
  return header;
}

std::string_view safetensors_type(Element element) {
  for (const auto& [name, known] : kTypes) {
    if (known == element) return name;
  }
  return "?";
}

}  // namespace likely::io
