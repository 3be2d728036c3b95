#include "likely/io/checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "likely/core/error.hpp"
#include "likely/io/text.hpp"

namespace likely::io {

namespace {

constexpr std::size_t kDigits = 8;
constexpr std::string_view kZeros = "00000000";
constexpr std::string_view kKey = "\"checksum\"";
constexpr std::string_view kMark = "likely-crc32 ";

// Where the digits are; npos where there are none.
std::size_t place_of(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  if (found == std::string_view::npos || text.size() - found - mark.size() < kDigits)
    return std::string_view::npos;
  return found + mark.size();
}

std::string digits_of(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

}  // namespace

std::uint32_t checksum_of(const void* bytes, std::size_t count, std::uint32_t before) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(bytes), count));
}

void write_own_checksum(std::string& text, std::string_view mark) {
  const std::size_t place = place_of(text, mark);
  text.replace(place, kDigits, kZeros);
  text.replace(place, kDigits, digits_of(checksum_of(text)));
}

bool own_checksum_fits(std::string text, std::string_view mark) {
  const std::size_t place = place_of(text, mark);
  if (place == std::string::npos) return false;
  const std::string digits = text.substr(place, kDigits);
  text.replace(place, kDigits, kZeros);
  return digits == digits_of(checksum_of(text));
}

std::string sealed_json(std::string_view object) {
  if (!object.starts_with('{')) refuse("sealed_json", "this is not the text of a JSON object");
  const std::string_view rest = object.substr(1);
  // In a line of its own where the others are.
  const bool lines = rest.starts_with('\n');
  const bool empty = rest.find_first_not_of(" \n") == rest.find('}');
  std::string text = fmt::format("{{{}{}:{}\"{}{}\"{}", lines ? "\n  " : "", kKey, lines ? " " : "", kMark,
                                 kZeros, empty ? "" : ",");
  text += rest;
  write_own_checksum(text, kMark);
  return text;
}

Seal seal_of(std::string_view text) {
  // A changed byte may be one of the key or of the mark, but not of both.
  const std::size_t first = text.find_first_not_of(" \n", 1);
  const bool key = first != std::string_view::npos && text.substr(first).starts_with(kKey);
  if (!key && text.find(kMark) == std::string_view::npos) return Seal::none;
  return own_checksum_fits(std::string(text), kMark) ? Seal::fits : Seal::broken;
}

std::string read_sealed(std::string_view reader, const std::filesystem::path& path) {
  std::string text = read_text(path);
  if (seal_of(text) == Seal::broken) {
    const std::string why = path.string() + ": " + kBrokenSeal;
    if (reader.empty()) throw Error(why);
    refuse(reader, why);
  }
  return text;
}

}  // namespace likely::io
