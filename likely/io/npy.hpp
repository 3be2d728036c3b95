// npy and npz: NumPy's files of one array, and of several.
#pragma once

#include <filesystem>

#include "likely/core/tensor.hpp"
#include "likely/io/safetensors.hpp"

namespace likely::io {

// Whole numbers become i64, half precision f32. Either byte order, row-major and column-major. Refuses,
// naming the file and the place, broken headers, lengths that do not fit, and objects, text or records.
Tensor load_npy(const std::filesystem::path& path);
void save_npy(const std::filesystem::path& path, const Tensor& tensor);

// The arrays of np.savez and np.savez_compressed, by name. Refuses damaged archives (every member's checksum
// is compared) and encrypted ones.
NamedTensors load_npz(const std::filesystem::path& path);

struct NpzOptions {
  bool compress = true;
};
// The metadata are not written: the format has none. Refuses empty tensors, names that come twice, and arrays
// of 4 GiB and more, for which there is save_safetensors.
void save_npz(const std::filesystem::path& path, const NamedTensors& tensors, const NpzOptions& options = {});

}  // namespace likely::io
