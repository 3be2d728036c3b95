// safetensors: named tensors in a file that PyTorch and others read and write.
//
// The format: 8 bytes, the length n of the header as a little-endian number; n bytes of JSON,
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
//   ...}
// and the elements, little-endian and row-major, at offsets that count from the end of the header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::io {

struct NamedTensors {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, std::string> metadata;

  // Refuses a name that is not there.
  const Tensor& operator[](const std::string& name) const;
};

// Reads F64, F32, I64 and BOOL as they are, F16 and BF16 as f32, other whole numbers as i64, in the order in
// which they lie in the file. Refuses, naming the file and the tensor, whatever is not exactly as it should
// be: sizes, offsets that overlap or leave gaps, types, more than 8 dimensions, names that come twice; and a
// file of likely's in which a byte was changed. Files of others, and older ones, have no checksums.
NamedTensors load_safetensors(const std::filesystem::path& path);

// Refuses empty tensors, names that come twice and the name "__metadata__". The file appears whole or not at
// all. Its metadata get one more entry, "likely.checksums", for the header and for each tensor; readers of
// other makes pass over it.
void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace likely::io
