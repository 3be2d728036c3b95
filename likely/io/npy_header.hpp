// The header of an npy array. Internal to io/.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "likely/io/element.hpp"

namespace likely::io {

// Who refuses, and what: "[load_npy] digits.npy: ...".
struct Refusal {
  std::string reader;
  std::string place;
  [[noreturn]] void operator()(const std::string& message) const;
};

struct NpyHeader {
  Element element;
  bool big_endian;
  bool column_major;
  Shape shape;
  std::size_t bytes;  // of the header itself
};

// `bytes` is the whole array, header and elements; it must have exactly the length that the header says.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const Refusal& refuse);

// The array behind the header.
Tensor decode_npy(std::span<const std::byte> bytes, const Refusal& refuse);

// What comes before the elements of a row-major array.
std::string make_npy_header(const Tensor& tensor);

}  // namespace likely::io
