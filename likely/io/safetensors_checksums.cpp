#include "likely/io/safetensors_checksums.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "likely/io/checksum.hpp"

namespace likely::io {

namespace {

constexpr std::string_view kValue = "likely-crc32 ";
// Within a header such quotes are those of a key and of its value: it cannot stand anywhere else.
constexpr std::string_view kMark = "\"likely.checksums\":\"likely-crc32 ";

// The numbers after the first; false where there is anything else.
bool parse_tensors(std::string_view text, std::vector<std::uint32_t>& tensors) {
  constexpr std::size_t kDigits = 8;
  if (!text.starts_with(kValue)) return false;
  text.remove_prefix(kValue.size());
  for (bool first = true; !text.empty(); first = false) {
    if (!first && !text.starts_with(' ')) return false;
    if (!first) text.remove_prefix(1);
    if (text.size() < kDigits) return false;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + kDigits, number, 16);
    if (error != std::errc() || end != text.data() + kDigits) return false;
    if (!first) tensors.push_back(number);
    text.remove_prefix(kDigits);
  }
  return true;
}

}  // namespace

std::string checksums_text(const std::vector<std::uint32_t>& tensors) {
  std::string text = fmt::format("{}{:08x}", kValue, 0);
  for (const std::uint32_t checksum : tensors) text += fmt::format(" {:08x}", checksum);
  return text;
}

void seal_header(std::string& header) { write_own_checksum(header, kMark); }

SafetensorsChecksums take_checksums(const std::string& header, std::map<std::string, std::string>& metadata,
                                    std::size_t tensors) {
  SafetensorsChecksums found;
  const auto entry = metadata.find(kChecksumsKey);
  // A changed byte may be one of the key or of the value, but not of both.
  found.there = entry != metadata.end() || header.find(kValue) != std::string::npos;
  if (!found.there) return found;
  const bool fits = entry != metadata.end() && own_checksum_fits(header, kMark) &&
                    parse_tensors(entry->second, found.tensors) && found.tensors.size() == tensors;
  found.header_changed = !fits;
  if (entry != metadata.end()) metadata.erase(entry);
  return found;
}

}  // namespace likely::io
