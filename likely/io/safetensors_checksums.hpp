// Checksums in the metadata of a safetensors file. Internal to io/.
//
//   "likely.checksums": "likely-crc32 <of the header> <of the first tensor> <of the second> ..."
//
// The tensors are those of the data, in the order in which they lie there. In the header, which the first
// number is of, it stands as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace likely::io {

inline constexpr const char* kChecksumsKey = "likely.checksums";

// What a file says of itself.
struct SafetensorsChecksums {
  bool there = false;
  bool header_changed = false;
  std::vector<std::uint32_t> tensors{};  // one for each, where they are there and the header is unchanged
};

// The entry of the metadata, before the header's own is known; and the header with it.
std::string checksums_text(const std::vector<std::uint32_t>& tensors);
void seal_header(std::string& header);

// Takes the entry out of the metadata.
SafetensorsChecksums take_checksums(const std::string& header, std::map<std::string, std::string>& metadata,
                                    std::size_t tensors);

// What is said of a changed file.
inline constexpr const char* kChangedHeader =
    "the header was changed after it was written (its checksum does not fit; who changes it on purpose "
    "leaves "
    "out the metadata \"likely.checksums\")";
inline std::string changed_tensor(const std::string& name) {
  return "tensor \"" + name + "\" was changed after it was written (its checksum does not fit)";
}

}  // namespace likely::io
