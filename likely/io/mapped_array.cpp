#include "likely/io/mapped_array.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "likely/core/threads.hpp"
#include "likely/io/element.hpp"
#include "likely/io/idx_header.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/npy_header.hpp"
#include "likely/io/safetensors_header.hpp"

namespace likely::io {

namespace {

class MappedSource final : public data::Source {
 public:
  MappedSource(MappedArray x, std::optional<MappedArray> y) : x_(std::move(x)), y_(std::move(y)) {}

  std::int64_t size() const override { return x_.shape()[0]; }
  data::Batch rows(std::span<const std::int64_t> which) const override {
    return {x_.rows(which), y_ ? y_->rows(which) : Tensor()};
  }
  data::Batch range(std::int64_t first, std::int64_t count) const override {
    return {x_.range(first, count), y_ ? y_->range(first, count) : Tensor()};
  }

 private:
  MappedArray x_;
  std::optional<MappedArray> y_;
};

}  // namespace

MappedArray::MappedArray(std::shared_ptr<const MappedFile> file, std::uint64_t offset, Element element,
                         bool big_endian, const Shape& shape)
    : file_(std::move(file)),
      offset_(offset),
      element_(element),
      big_endian_(big_endian),
      shape_(shape),
      dtype_(dtype_of(element)) {
  if (shape.rank() == 0) file_->file().refuse("rows are needed, the array is a scalar");
}

std::int64_t MappedArray::row_size() const { return shape_.sub(1, shape_.rank()).size(); }

void MappedArray::convert_rows(std::int64_t first, std::int64_t count, char* to) const {
  const std::uint64_t place = offset_ + static_cast<std::uint64_t>(first * row_size()) * size_of(element_);
  convert(element_, big_endian_, file_->bytes().data() + place, count * row_size(), dtype_, to);
}

Tensor MappedArray::range(std::int64_t first, std::int64_t count) const {
  Shape shape = shape_;
  shape[0] = count;
  Tensor result = Tensor::uninitialized(shape, dtype_);
  if (result.size() > 0) convert_rows(first, count, static_cast<char*>(result.mutable_raw()));
  return result;
}

Tensor MappedArray::rows(std::span<const std::int64_t> which) const {
  Shape shape = shape_;
  shape[0] = static_cast<std::int64_t>(which.size());
  Tensor result = Tensor::uninitialized(shape, dtype_);
  if (result.size() == 0) return result;
  auto* to = static_cast<char*>(result.mutable_raw());
  const std::int64_t row_bytes = row_size() * static_cast<std::int64_t>(likely::size_of(dtype_));
  parallel_tiles(shape[0], 0.5 * static_cast<double>(result.size()), [&](std::int64_t row) {
    convert_rows(which[static_cast<std::size_t>(row)], 1, to + row * row_bytes);
  });
  return result;
}

MappedArray MappedArray::as(DType dtype) const {
  MappedArray result = *this;
  result.dtype_ = dtype;
  return result;
}

MappedArray map_npy(const std::filesystem::path& path) {
  auto file = std::make_shared<const MappedFile>("map_npy", path);
  const NpyHeader header = parse_npy_header(file->bytes(), {"map_npy", path.string()});
  if (header.column_major && header.shape.rank() > 1) {
    file->file().refuse("the array is column-major, its rows do not lie together");
  }
  return {std::move(file), header.bytes, header.element, header.big_endian, header.shape};
}

MappedArray map_idx(const std::filesystem::path& path) {
  auto file = std::make_shared<const MappedFile>("map_idx", path);
  std::uint64_t place = 0;
  const IdxHeader header = read_idx_header(
      [&](void* to, std::size_t count) {
        file->file().read(place, to, count);
        place += count;
      },
      [&](const std::string& message) { file->file().refuse(message); });
  const std::int64_t bytes = bytes_of(header.shape, header.element);
  if (bytes < 0 || header.bytes + static_cast<std::uint64_t>(bytes) != file->bytes().size()) {
    file->file().refuse("shape " + header.shape.string() + " does not fit the " +
                        std::to_string(file->bytes().size() - header.bytes) + " bytes of elements");
  }
  return {std::move(file), header.bytes, header.element, true, header.shape};
}

MappedArray map_safetensors(const std::filesystem::path& path, const std::string& name) {
  auto file = std::make_shared<const MappedFile>("map_safetensors", path);
  const SafetensorsHeader header = read_safetensors_header(file->file());
  if (header.checksums.header_changed) file->file().refuse(kChangedHeader);
  for (const SafetensorsEntry& entry : header.entries) {
    if (entry.name != name) continue;
    return {std::move(file), entry.offset, entry.element, false, entry.shape};
  }
  file->file().refuse("there is no tensor \"" + name + "\"");
}

data::Dataset mapped_dataset(const MappedArray& x) {
  return data::Dataset(std::make_shared<MappedSource>(x, std::nullopt));
}

data::Dataset mapped_dataset(const MappedArray& x, const MappedArray& y) {
  if (x.shape()[0] != y.shape()[0]) {
    refuse("mapped_dataset", "x and y must have the same number of rows, got shapes " + x.shape().string() +
                                 " and " + y.shape().string());
  }
  return data::Dataset(std::make_shared<MappedSource>(x, y));
}

}  // namespace likely::io
