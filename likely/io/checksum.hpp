// Checksums: whether a file is as it was written.
//
// CRC-32, the one of zip and PNG: it sees every change of up to 32 bits in a row, and of others all but one
// in four billion. It guards against disks, transfers and editors, not against somebody who means harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace likely::io {

// Of these bytes; `before` is the checksum of what came before them.
std::uint32_t checksum_of(const void* bytes, std::size_t count, std::uint32_t before = 0);
inline std::uint32_t checksum_of(std::string_view text) { return checksum_of(text.data(), text.size()); }

// Text that holds a checksum of itself: eight digits after `mark`, which are 0 while it is computed.
// write_own_checksum puts them in place of the zeros.
void write_own_checksum(std::string& text, std::string_view mark);
// Whether they fit. Where the mark is missing they do not.
bool own_checksum_fits(std::string text, std::string_view mark);

// The text of a JSON object with a first key "checksum" over all of it. Readers of JSON take it for one more
// key; without it the rest is still an object.
std::string sealed_json(std::string_view object);

enum class Seal : std::uint8_t {
  none,  // written before there were checksums, or by others
  fits,
  broken  // changed after it was written
};
Seal seal_of(std::string_view text);

// The text of a file whose seal is not broken, looked at before anything else: a changed byte may be one that
// makes it JSON. Refuses: "[reader] recipe.json: the file was changed ...", without the brackets where
// `reader` is empty.
std::string read_sealed(std::string_view reader, const std::filesystem::path& path);
// What is said of a broken one.
inline constexpr const char* kBrokenSeal =
    "the file was changed after it was written (its checksum does not fit; without the key \"checksum\" it "
    "is "
    "taken as it is)";

}  // namespace likely::io
