#include "likely/io/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "likely/io/byte_stream.hpp"
#include "likely/io/idx_header.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"

namespace likely::io {

namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

Element element_of(unsigned char code, const std::function<void(const std::string&)>& refuse) {
  switch (code) {
    case 0x08: return Element::u8;
    case 0x09: return Element::i8;
    case 0x0B: return Element::i16;
    case 0x0C: return Element::i32;
    case 0x0D: return Element::f32;
    case 0x0E: return Element::f64;
    default: refuse("the element type " + std::to_string(code) + " is unknown");
  }
  return Element::u8;
}

data::Dataset mnist_part(const std::filesystem::path& folder, const std::string& part, bool flat) {
  const auto find = [&](const std::string& name) {
    const std::filesystem::path plain = folder / (part + name);
    const std::filesystem::path packed = folder / (part + name + ".gz");
    return path_exists(plain) ? plain : packed;
  };
  const std::filesystem::path images = find("-images-idx3-ubyte");
  const Tensor pixels = load_idx(images, DType::f32);
  if (pixels.rank() != 3) {
    refuse("load_mnist", images.string() + ": images are expected, got shape " + pixels.shape().string());
  }
  const std::int64_t rows = pixels.dim(0);
  if (rows == 0) refuse("load_mnist", images.string() + ": there are no images");
  const Shape shape =
      flat ? Shape{rows, pixels.dim(1) * pixels.dim(2)} : Shape{rows, 1, pixels.dim(1), pixels.dim(2)};
  const std::filesystem::path named = find("-labels-idx1-ubyte");
  const Tensor labels = load_idx(named);
  if (labels.rank() != 1 || labels.dim(0) != rows) {
    refuse("load_mnist",
           fmt::format("{}: one label for each of the {} images of {} is expected, got shape {}",
                       named.string(), rows, images.string(), labels.shape().string()));
  }
  return {reshape(pixels / 255.0, shape), labels};
}

}  // namespace

IdxHeader read_idx_header(const std::function<void(void*, std::size_t)>& read,
                          const std::function<void(const std::string&)>& refuse) {
  std::array<unsigned char, 4> magic{};
  read(magic.data(), magic.size());
  if (magic[0] != 0 || magic[1] != 0) refuse("this is not an IDX file: it must start with two bytes of 0");
  IdxHeader header{element_of(magic[2], refuse), {}, magic.size()};
  if (magic[3] > Shape::kMaxRank) {
    refuse(std::to_string(magic[3]) + " dimensions are announced, at most 8 are supported");
  }
  for (int i = 0; i < magic[3]; ++i) {
    std::array<unsigned char, 4> size{};
    read(size.data(), size.size());
    header.bytes += size.size();
    header.shape.push_back(std::int64_t{size[0]} << 24 | std::int64_t{size[1]} << 16 |
                           std::int64_t{size[2]} << 8 | std::int64_t{size[3]});
  }
  return header;
}

Tensor load_idx(const std::filesystem::path& path, std::optional<DType> dtype) {
  ByteStream file("load_idx", path);
  const IdxHeader header = read_idx_header([&](void* to, std::size_t count) { file.read_all(to, count); },
                                           [&](const std::string& message) { file.refuse(message); });
  const std::int64_t bytes = bytes_of(header.shape, header.element);
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) + header.bytes > file.most_bytes()) {
    file.refuse("shape " + header.shape.string() + " is announced, which the file is too short for");
  }
  Tensor result = Tensor::uninitialized(header.shape, dtype.value_or(dtype_of(header.element)));
  auto* to = static_cast<char*>(result.mutable_raw());
  const auto from_size = static_cast<std::int64_t>(size_of(header.element));
  const auto to_size = static_cast<std::int64_t>(likely::size_of(result.dtype()));
  std::vector<char> piece(static_cast<std::size_t>(std::min(bytes, kPieceBytes)));
  for (std::int64_t done = 0; done < bytes;) {
    const std::int64_t count = std::min(kPieceBytes, bytes - done);
    file.read_all(piece.data(), static_cast<std::size_t>(count));
    convert(header.element, true, piece.data(), count / from_size, result.dtype(),
            to + done / from_size * to_size);
    done += count;
  }
  char more = 0;
  if (file.read(&more, 1) != 0)
    file.refuse("there is more than shape " + header.shape.string() + " announces");
  return result;
}

Mnist load_mnist(const std::filesystem::path& folder, const MnistOptions& options) {
  return {mnist_part(folder, "train", options.flat), mnist_part(folder, "t10k", options.flat)};
}

}  // namespace likely::io
