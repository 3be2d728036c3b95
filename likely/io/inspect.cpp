#include "likely/io/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "likely/core/error.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/json.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/safetensors_header.hpp"
#include "likely/io/text.hpp"
#include "likely/io/zip.hpp"

namespace likely::io {

namespace {

constexpr const char* kReader = "inspect";
// So many numbers are looked at together.
constexpr std::int64_t kPiece = std::int64_t{1} << 16;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string_view name_of(Element element) {
  switch (element) {
    case Element::boolean: return "bool";
    case Element::u8: return "u8";
    case Element::i8: return "i8";
    case Element::u16: return "u16";
    case Element::i16: return "i16";
    case Element::u32: return "u32";
    case Element::i32: return "i32";
    case Element::u64: return "u64";
    case Element::i64: return "i64";
    case Element::f16: return "f16";
    case Element::bf16: return "bf16";
    case Element::f32: return "f32";
    case Element::f64: return "f64";
  }
  return "?";
}

// Mean and deviation are brought up to date number by number, so that no digits are lost far from 0.
class Statistics {
 public:
  void add(double value) {
    if (!std::isfinite(value)) {
      ++not_finite_;
      return;
    }
    ++count_;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
    const double away = value - mean_;
    mean_ += away / static_cast<double>(count_);
    squares_ += away * (value - mean_);
  }
  void write_to(TensorSummary& summary) const {
    summary.not_finite = not_finite_;
    const bool any = count_ > 0;
    summary.min = any ? low_ : kNone;
    summary.max = any ? high_ : kNone;
    summary.mean = any ? mean_ : kNone;
    summary.stddev = any ? std::sqrt(squares_ / static_cast<double>(count_)) : kNone;
  }

 private:
  std::int64_t count_ = 0, not_finite_ = 0;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
  double mean_ = 0.0, squares_ = 0.0;
};

TensorSummary summarize(std::string name, Element element, bool big_endian, const Shape& shape,
                        const std::byte* elements) {
  TensorSummary summary{.name = std::move(name), .type = std::string(name_of(element)), .shape = shape};
  Statistics statistics;
  std::vector<double> piece(static_cast<std::size_t>(std::min(kPiece, shape.size())));
  const auto step = static_cast<std::int64_t>(size_of(element));
  for (std::int64_t first = 0; first < shape.size(); first += kPiece) {
    const std::int64_t count = std::min(kPiece, shape.size() - first);
    convert(element, big_endian, elements + first * step, count, DType::f64, piece.data());
    for (std::int64_t i = 0; i < count; ++i) statistics.add(piece[static_cast<std::size_t>(i)]);
  }
  statistics.write_to(summary);
  return summary;
}

TensorSummary summarize_npy(std::string name, std::span<const std::byte> bytes, const Refusal& refuse) {
  const NpyHeader header = parse_npy_header(bytes, refuse);
  return summarize(std::move(name), header.element, header.big_endian, header.shape,
                   bytes.data() + header.bytes);
}

void read_npz(const MappedFile& file, const Refusal& refuse, FileSummary& summary) {
  constexpr std::string_view kSuffix = ".npy";
  for (const ZipMember& member : list_zip(file.bytes(), refuse)) {
    if (member.name.ends_with("/data.pkl")) {
      refuse("this is a file of torch.save, which only Python can read: save the state_dict as safetensors");
    }
    if (!member.name.ends_with(kSuffix)) refuse("\"" + member.name + "\" is not an npy array");
    const std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
    const std::vector<std::byte> array = unpack(file.bytes(), member, refuse);
    summary.tensors.push_back(
        summarize_npy(name, array, {refuse.reader, refuse.place + ", \"" + name + "\""}));
  }
}

void read_safetensors(const MappedFile& file, FileSummary& summary) {
  SafetensorsHeader header = read_safetensors_header(file.file());
  const SafetensorsChecksums& checksums = header.checksums;
  if (checksums.header_changed) summary.changed.emplace_back("the header");
  for (std::size_t i = 0; i < header.entries.size(); ++i) {
    const SafetensorsEntry& entry = header.entries[i];
    const std::byte* const bytes = file.bytes().data() + entry.offset;
    summary.tensors.push_back(summarize(entry.name, entry.element, false, entry.shape, bytes));
    const bool known = checksums.there && !checksums.header_changed;
    if (known && checksum_of(bytes, entry.bytes) != checksums.tensors[i])
      summary.changed.push_back(entry.name);
  }
  if (checksums.there) summary.checksums = summary.changed.empty() ? Seal::fits : Seal::broken;
  summary.metadata = std::move(header.metadata);
}

// The number in the first 8 bytes is the length of a header that starts with a brace.
bool looks_like_safetensors(std::string_view text) {
  if (text.size() < 10 || text[8] != '{') return false;
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text[i]);
  return length <= text.size();
}

// The first level of a JSON file, and whether its seal fits.
std::map<std::string, std::string> record_of(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const auto json = json_or_none<SortedJson>(text);
  if (!json.is_object()) refuse(kReader, file.string() + ": this is not a JSON object");
  std::map<std::string, std::string> record;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_structured()) record[key] = value.is_string() ? value.get<std::string>() : json_text(value);
  }
  const Seal seal = seal_of(text);
  if (seal != Seal::none) record["checksum"] = seal == Seal::fits ? "fits" : "does not fit";
  return record;
}

}  // namespace

FileSummary inspect(const std::filesystem::path& path) {
  const MappedFile file(kReader, path);
  const Refusal refuse{kReader, path.string()};
  FileSummary summary{.path = path, .bytes = file.bytes().size()};
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (text.empty()) refuse("the file is empty");
  if (text.starts_with("\x93NUMPY")) {
    summary.format = "npy";
    summary.tensors.push_back(summarize_npy("", file.bytes(), refuse));
  } else if (text.starts_with("PK")) {
    summary.format = "npz";
    read_npz(file, refuse, summary);
  } else if (looks_like_safetensors(text)) {
    summary.format = "safetensors";
    read_safetensors(file, summary);
  } else if (text.starts_with("\x1f\x8b")) {
    refuse("the file is packed with gzip: unpack it first");
  } else {
    refuse("this is neither a safetensors nor an npz nor an npy file");
  }
  return summary;
}

bool FolderSummary::was_changed() const {
  const auto changed = [](const auto& record) {
    const auto said = record.second.find("checksum");
    return said != record.second.end() && said->second != "fits";
  };
  return std::any_of(files.begin(), files.end(),
                     [](const FileSummary& file) { return !file.changed.empty(); }) ||
         std::any_of(records.begin(), records.end(), changed);
}

FolderSummary inspect_folder(const std::filesystem::path& path) {
  if (!is_folder(path)) refuse(kReader, path.string() + " is not a folder");
  FolderSummary summary{.path = path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (!entry.is_directory()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const std::string ending = file.extension().string();
    try {
      if (ending == ".safetensors" || ending == ".npz" || ending == ".npy") {
        summary.files.push_back(inspect(file));
      } else if (ending == ".json") {
        summary.records[file.filename().string()] = record_of(file);
      }
    } catch (const Error& error) {
      if (error.fault() == Fault::memory) throw;  // nothing is wrong with the file
      summary.unreadable.emplace_back(error.what());
    }
  }
  if (summary.files.empty() && summary.records.empty() && summary.unreadable.empty()) {
    refuse(kReader, path.string() + " holds no files of tensors and no records: it is not a run folder");
  }
  return summary;
}

}  // namespace likely::io
