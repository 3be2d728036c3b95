#include "likely/io/npy.hpp"

#include <string>
#include <utility>

#include "likely/io/atomic_file.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/npy_header.hpp"
#include "likely/io/zip.hpp"

namespace likely::io {

namespace {

constexpr std::string_view kSuffix = ".npy";

std::string_view elements_of(const Tensor& dense) {
  return {static_cast<const char*>(dense.raw()),
          static_cast<std::size_t>(dense.size()) * size_of(dense.dtype())};
}

}  // namespace

Tensor load_npy(const std::filesystem::path& path) {
  const MappedFile file("load_npy", path);
  return decode_npy(file.bytes(), {"load_npy", path.string()});
}

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  if (!tensor.defined()) refuse("save_npy", "the tensor is empty");
  const Tensor dense = tensor.contiguous();
  AtomicFile file(path);
  file.write(make_npy_header(dense));
  file.write(elements_of(dense));
  file.commit();
}

NamedTensors load_npz(const std::filesystem::path& path) {
  const MappedFile file("load_npz", path);
  const Refusal refuse{"load_npz", path.string()};
  NamedTensors result;
  for (const ZipMember& member : list_zip(file.bytes(), refuse)) {
    std::string name = member.name;
    if (!name.ends_with(kSuffix)) refuse("\"" + name + "\" is not an npy array");
    name.resize(name.size() - kSuffix.size());
    const std::vector<std::byte> array = unpack(file.bytes(), member, refuse);
    result.tensors.emplace_back(name,
                                decode_npy(array, {refuse.reader, refuse.place + ", \"" + name + "\""}));
  }
  return result;
}

void save_npz(const std::filesystem::path& path, const NamedTensors& named, const NpzOptions& options) {
  ZipWriter archive("save_npz", path);
  for (const auto& [name, tensor] : named.tensors) {
    if (!tensor.defined()) refuse("save_npz", "tensor \"" + name + "\" is empty");
    const Tensor dense = tensor.contiguous();
    archive.add(name + std::string(kSuffix), make_npy_header(dense), elements_of(dense), options.compress);
  }
  archive.commit();
}

}  // namespace likely::io
