#include "likely/io/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "likely/core/dispatch.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/io/safetensors_header.hpp"

namespace likely::io {

namespace {

struct TypeName {
  const char* operator()(float) const { return "F32"; }
  const char* operator()(double) const { return "F64"; }
  const char* operator()(std::int64_t) const { return "I64"; }
  const char* operator()(bool) const { return "BOOL"; }
};
std::string_view type_name(DType dtype) {
  return likely::detail::with_type("save_safetensors", dtype, TypeName{});
}

// `checksum` is null where the file has none.
Tensor read_tensor(const InputFile& file, const SafetensorsEntry& entry, const std::uint32_t* checksum) {
  const auto check = [&](const void* bytes) {
    if (checksum != nullptr && checksum_of(bytes, entry.bytes) != *checksum)
      file.refuse(changed_tensor(entry.name));
  };
  const DType dtype = dtype_of(entry.element);
  Tensor result = Tensor::uninitialized(entry.shape, dtype);
  const bool as_it_is = size_of(entry.element) == likely::size_of(dtype) && dtype != DType::boolean;
  if (as_it_is) {
    file.read(entry.offset, result.mutable_raw(), entry.bytes);
    check(result.raw());
    return result;
  }
  std::vector<char> bytes(entry.bytes);
  file.read(entry.offset, bytes.data(), bytes.size());
  check(bytes.data());
  convert(entry.element, false, bytes.data(), result.size(), dtype, result.mutable_raw());
  return result;
}

void check_names(const NamedTensors& named) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : named.tensors) {
    if (name == "__metadata__") refuse("save_safetensors", "a tensor must not be named \"__metadata__\"");
    if (!names.insert(name).second) refuse("save_safetensors", "two tensors are named \"" + name + "\"");
    if (!tensor.defined()) refuse("save_safetensors", "tensor \"" + name + "\" is empty");
  }
  if (named.metadata.contains(kChecksumsKey))
    refuse("save_safetensors", std::string("the metadata \"") + kChecksumsKey + "\" are likely's own");
}

std::string quoted(const std::string& text) { return exact_json_text(text); }

// Written piece by piece: a tree of JSON needs memory to be taken apart again, and where there is none its
// destructor ends the program.
std::string header_text(const std::vector<std::pair<std::string, Tensor>>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string text = R"({"__metadata__":{)";
  for (const auto& [key, word] : metadata) {
    if (text.back() != '{') text += ',';
    text += quoted(key) + ":" + quoted(word);
  }
  text += '}';
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t end =
        offset + static_cast<std::uint64_t>(tensor.size()) * likely::size_of(tensor.dtype());
    text += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", quoted(name),
                        type_name(tensor.dtype()), fmt::join(tensor.shape(), ","), offset, end);
    offset = end;
  }
  return text + "}";
}

}  // namespace

const Tensor& NamedTensors::operator[](const std::string& name) const {
  for (const auto& [known, tensor] : tensors) {
    if (known == name) return tensor;
  }
  refuse("NamedTensors", "there is no tensor \"" + name + "\"");
}

NamedTensors load_safetensors(const std::filesystem::path& path) {
  const InputFile file("load_safetensors", path);
  SafetensorsHeader header = read_safetensors_header(file);
  const SafetensorsChecksums& checksums = header.checksums;
  if (checksums.header_changed) file.refuse(kChangedHeader);
  NamedTensors result;
  result.metadata = std::move(header.metadata);
  for (std::size_t i = 0; i < header.entries.size(); ++i) {
    const SafetensorsEntry& entry = header.entries[i];
    result.tensors.emplace_back(entry.name,
                                read_tensor(file, entry, checksums.there ? &checksums.tensors[i] : nullptr));
  }
  return result;
}

void save_safetensors(const std::filesystem::path& path, const NamedTensors& named) {
  check_names(named);
  // Wide elements first, so that every tensor is aligned for readers that look at the file in memory.
  std::vector<std::pair<std::string, Tensor>> ordered = named.tensors;
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return likely::size_of(a.second.dtype()) > likely::size_of(b.second.dtype());
  });

  std::vector<std::uint32_t> checksums;
  for (const auto& [name, tensor] : ordered) {
    const Tensor dense = tensor.contiguous();
    checksums.push_back(
        checksum_of(dense.raw(), static_cast<std::size_t>(dense.size()) * likely::size_of(dense.dtype())));
  }
  std::map<std::string, std::string> metadata = named.metadata;
  metadata[kChecksumsKey] = checksums_text(checksums);
  std::string text;
  try {
    text = header_text(ordered, metadata);
  } catch (const Error&) {
    refuse("save_safetensors", path.string() + ": a name or the metadata is not valid UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  seal_header(text);

  AtomicFile file(path);
  std::array<char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  file.write(length.data(), length.size());
  file.write(text);
  for (const auto& [name, tensor] : ordered) {
    const Tensor dense = tensor.contiguous();
    file.write(dense.raw(), static_cast<std::size_t>(dense.size()) * likely::size_of(dense.dtype()));
  }
  file.commit();
}

}  // namespace likely::io
