// What a file of tensors holds, without keeping it in memory: names, types, shapes, and what the numbers are
// like.
//
//   std::cout << io::inspect("runs/mlp/best.safetensors").table();
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "likely/core/shape.hpp"
#include "likely/io/checksum.hpp"

namespace likely::io {

struct TensorSummary {
  std::string name;
  std::string type;  // as the file has it: "f32", "bf16", "u8"
  Shape shape;
  // Of the finite numbers, in f64; NaN where there are none.
  double min = 0.0, mean = 0.0, max = 0.0, stddev = 0.0;
  std::int64_t not_finite = 0;  // NaN and infinities
};

struct FileSummary {
  std::filesystem::path path;
  std::string format{};  // "safetensors", "npz" or "npy"
  std::uint64_t bytes = 0;
  std::vector<TensorSummary> tensors{};
  std::map<std::string, std::string> metadata{};
  Seal checksums = Seal::none;         // of a safetensors file
  std::vector<std::string> changed{};  // what they do not fit: "the header", or names of tensors

  // Over all tensors.
  std::int64_t numbers() const;
  std::int64_t not_finite() const;
  // For people: a line a tensor, the totals and the metadata below.
  std::string table() const;
};

// What kind of file it is, it says itself; its name does not matter. Refuses, naming the file, what is none
// of the three or is damaged.
FileSummary inspect(const std::filesystem::path& path);

// A run folder: its files of tensors, sorted by name, and the first level of the JSON files beside them, of
// which "checksum" says whether it "fits" or "does not fit".
struct FolderSummary {
  std::filesystem::path path;
  std::vector<FileSummary> files{};
  std::map<std::string, std::map<std::string, std::string>> records{};  // "config.json": {"seed": "1", ...}
  std::vector<std::string> unreadable{};  // files of these kinds that are damaged or no files, and why

  // Whether a file or a record does not fit its checksums.
  bool was_changed() const;
};
// Refuses a folder in which there is none of them.
FolderSummary inspect_folder(const std::filesystem::path& path);

// As JSON, with the same names. Numbers that JSON cannot say (NaN) are null.
std::string json_of(const FileSummary& summary);
std::string json_of(const FolderSummary& summary);

}  // namespace likely::io
