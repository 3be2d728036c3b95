#include "tests/fuzz/raw_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/io/safetensors_checksums.hpp"

namespace likely::fuzz {

namespace {

// Files stay small, so that what takes much memory or time is the reader's fault.
constexpr std::int64_t kMostElements = 600;

std::size_t size_of(const std::string& type) {
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32")) return 4;
  if (type.ends_with("16")) return 2;
  return 1;
}

// How many elements a shape has; -1 if they are too many for a small file.
std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
  }
  for (const std::int64_t size : shape) {
    if (size < 0 || size > kMostElements) return -1;
    count *= size;
    if (count > kMostElements) return -1;
  }
  return count;
}

template <class T>
void append(std::string& bytes, T value) {
  char copy[sizeof(T)];
  std::memcpy(copy, &value, sizeof(T));
  bytes.append(copy, sizeof(T));
}

void append_element(std::string& bytes, const std::string& type, Choices& choices) {
  if (type == "F64") {
    append(bytes, choices.number());
  } else if (type == "F32") {
    append(bytes, static_cast<float>(choices.number()));
  } else if (type == "I64") {
    append(bytes, choices.whole());
  } else {
    for (std::size_t i = 0; i < size_of(type); ++i) bytes += choices.byte();
  }
}

}  // namespace

RawTensors raw(const io::NamedTensors& file) {
  RawTensors result{{}, file.metadata};
  for (const auto& [name, tensor] : file.tensors) {
    RawTensor one{name, "", {}, ""};
    for (int axis = 0; axis < tensor.rank(); ++axis) one.shape.push_back(tensor.dim(axis));
    const Tensor dense = tensor.contiguous();
    const auto copy = [&](const char* type, const void* data, std::size_t size) {
      one.type = type;
      one.bytes.assign(static_cast<const char*>(data), static_cast<std::size_t>(dense.size()) * size);
    };
    switch (dense.dtype()) {
      case DType::f32: copy("F32", dense.data<float>(), 4); break;
      case DType::f64: copy("F64", dense.data<double>(), 8); break;
      case DType::i64: copy("I64", dense.data<std::int64_t>(), 8); break;
      case DType::boolean: copy("BOOL", dense.data<bool>(), 1); break;
    }
    result.tensors.push_back(std::move(one));
  }
  return result;
}

void refill(RawTensor& tensor, Choices& choices) {
  const std::int64_t count = elements_of(tensor.shape);
  const std::string first_bytes = tensor.bytes;
  tensor.bytes.clear();
  // A few numbers, over and over.
  std::string few;
  for (std::size_t left = 1 + choices.below(4); left > 0; --left) append_element(few, tensor.type, choices);
  const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(count, 0)) * size_of(tensor.type);
  while (tensor.bytes.size() < bytes) tensor.bytes += few;
  tensor.bytes.resize(count < 0 ? 16 : bytes);
}

void reshape(RawTensor& tensor, Choices& choices) {
  auto& shape = tensor.shape;
  switch (choices.below(6)) {
    case 0: shape.assign(1, 1); break;
    case 1: shape.assign(1, 0); break;
    case 2: shape.clear(); break;
    case 3:
      if (!shape.empty()) shape[choices.below(shape.size())] += choices.one_in(2) ? 1 : -1;
      break;
    case 4: std::reverse(shape.begin(), shape.end()); break;
    default:
      shape.clear();
      for (std::size_t left = choices.below(10); left > 0; --left) shape.push_back(choices.whole());
  }
  refill(tensor, choices);
}

void distort(RawTensors& file, Choices& choices) {
  for (std::size_t left = 1 + choices.below(3); left > 0 && !file.tensors.empty(); --left) {
    const std::size_t place = choices.below(file.tensors.size());
    RawTensor& tensor = file.tensors[place];
    switch (choices.below(10)) {
      case 0:
      case 1: reshape(tensor, choices); break;
      case 2:
      case 3: refill(tensor, choices); break;
      case 4:
        tensor.type =
            choices.pick({"F64", "F32", "I64", "BOOL", "F16", "BF16", "I32", "U8", "U64", "I8", "I16"});
        refill(tensor, choices);
        break;
      case 5: tensor.name = choices.word(); break;
      case 6: file.tensors.erase(file.tensors.begin() + static_cast<std::ptrdiff_t>(place)); break;
      case 7: std::swap(tensor, file.tensors[choices.below(file.tensors.size())]); break;
      case 8: {
        // Two parts change places: each has the other's shape.
        std::swap(tensor.name, file.tensors[choices.below(file.tensors.size())].name);
        break;
      }
      default:
        if (choices.one_in(2) || file.metadata.empty()) {
          file.metadata[choices.word()] = choices.word();
        } else {
          auto entry = file.metadata.begin();
          std::advance(entry, static_cast<std::ptrdiff_t>(choices.below(file.metadata.size())));
          if (choices.one_in(4)) {
            file.metadata.erase(entry);
          } else {
            entry->second = choices.number_text();
          }
        }
    }
  }
}

std::string safetensors_of(const RawTensors& file, Choices* choices) {
  const auto lies = [&] { return choices != nullptr && choices->one_in(16); };
  // A header whose own checksum fits, whatever else it says.
  const bool sealed = choices != nullptr && choices->one_in(2);
  std::map<std::string, std::string> metadata = file.metadata;
  if (sealed) {
    std::vector<std::uint32_t> checksums;
    for (const RawTensor& tensor : file.tensors)
      checksums.push_back(io::checksum_of(tensor.bytes.data(), tensor.bytes.size()));
    if (choices->one_in(4)) checksums.resize(choices->below(checksums.size() + 3));
    metadata[io::kChecksumsKey] = io::checksums_text(checksums);
  }
  io::Json header = io::Json::object();
  if (!metadata.empty() || lies()) header["__metadata__"] = metadata;
  std::string data;
  for (const RawTensor& tensor : file.tensors) {
    auto begin = static_cast<std::int64_t>(data.size());
    std::int64_t end = begin + static_cast<std::int64_t>(tensor.bytes.size());
    if (lies()) begin = choices->whole();
    if (lies()) end = choices->whole();
    if (lies()) data += choices->byte();
    header[tensor.name] = {{"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    if (lies()) header[tensor.name].erase(choices->pick({"dtype", "shape", "data_offsets"}));
    if (lies()) header[tensor.name]["shape"] = choices->number();
    data += tensor.bytes;
  }
  std::string text = io::json_text(header);
  if (lies() && text.size() > 2) {
    // The same name twice.
    text.back() = ',';
    text += text.substr(1);
    text.back() = '}';
  }
  // A tensor that is called so has taken the place of the checksums.
  const auto is_metadata = [](const RawTensor& tensor) { return tensor.name == "__metadata__"; };
  if (sealed && std::ranges::none_of(file.tensors, is_metadata)) io::seal_header(text);
  std::uint64_t length = text.size();
  if (lies()) length = static_cast<std::uint64_t>(choices->whole());
  std::string bytes;
  append(bytes, length);
  return bytes + text + data;
}

}  // namespace likely::fuzz
