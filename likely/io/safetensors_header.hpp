// The header of a safetensors file, checked. Internal to io/ and train/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/shape.hpp"
#include "likely/io/element.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/safetensors_checksums.hpp"

namespace likely::io {

struct SafetensorsEntry {
  std::string name;
  Element element;
  Shape shape;
  std::uint64_t offset;  // of the first byte in the file
  std::uint64_t bytes;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // as they lie in the file
  std::map<std::string, std::string> metadata;
  SafetensorsChecksums checksums;
};

SafetensorsHeader read_safetensors_header(const InputFile& file);

// "F16", as the format has it.
std::string_view safetensors_type(Element element);

}  // namespace likely::io
