// Arrays in files that are larger than memory: rows are read when they are asked for.
//
//   const data::Dataset train = io::mapped_dataset(io::map_npy("x.npy"), io::map_npy("y.npy"));
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"

namespace likely::io {

class MappedFile;
enum class Element : std::uint8_t;

// A row-major array in a file. A value: copies share the file, which must not change while they are used.
class MappedArray {
 public:
  const Shape& shape() const { return shape_; }
  // Of the tensors it gives.
  DType dtype() const { return dtype_; }
  // These rows of axis 0, which are trusted to be there.
  Tensor rows(std::span<const std::int64_t> which) const;
  Tensor range(std::int64_t first, std::int64_t count) const;
  // The same array, whose rows become another type.
  MappedArray as(DType dtype) const;

 private:
  friend MappedArray map_npy(const std::filesystem::path& path);
  friend MappedArray map_idx(const std::filesystem::path& path);
  friend MappedArray map_safetensors(const std::filesystem::path& path, const std::string& name);
  MappedArray(std::shared_ptr<const MappedFile> file, std::uint64_t offset, Element element, bool big_endian,
              const Shape& shape);
  void convert_rows(std::int64_t first, std::int64_t count, char* to) const;
  std::int64_t row_size() const;

  std::shared_ptr<const MappedFile> file_;
  std::uint64_t offset_;
  Element element_;
  bool big_endian_;
  Shape shape_;
  DType dtype_;
};

// What load_npy, load_idx and load_safetensors would read. Refuses what they refuse, scalars, column-major
// arrays and packed files. Only the header of a safetensors file is compared with its checksum: the elements
// are not all looked at.
MappedArray map_npy(const std::filesystem::path& path);
MappedArray map_idx(const std::filesystem::path& path);
MappedArray map_safetensors(const std::filesystem::path& path, const std::string& name);

// Refuses another number of rows in y.
data::Dataset mapped_dataset(const MappedArray& x);
data::Dataset mapped_dataset(const MappedArray& x, const MappedArray& y);

}  // namespace likely::io
