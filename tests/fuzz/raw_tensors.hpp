// Named tensors as a file has them, to be changed in ways that likely itself never would.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "likely/io/safetensors.hpp"
#include "tests/fuzz/choices.hpp"

namespace likely::fuzz {

struct RawTensor {
  std::string name;
  std::string type;  // "F32"
  std::vector<std::int64_t> shape;
  std::string bytes;
};

struct RawTensors {
  std::vector<RawTensor> tensors;
  std::map<std::string, std::string> metadata;
};

RawTensors raw(const io::NamedTensors& file);

// Other shapes, types, names, orders and values; the file stays one that a reader of safetensors should read.
void distort(RawTensors& file, Choices& choices);
// Some other shape with as many bytes as it says, unless these would be too many.
void reshape(RawTensor& tensor, Choices& choices);
// Other elements of the same type.
void refill(RawTensor& tensor, Choices& choices);

// As a safetensors file; its header lies now and then if `choices` says so.
std::string safetensors_of(const RawTensors& file, Choices* choices = nullptr);

}  // namespace likely::fuzz
