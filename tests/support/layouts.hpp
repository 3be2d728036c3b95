// The same elements in different places of memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::testing {

enum class Layout : std::uint8_t {
  contiguous,
  offset,          // contiguous, beginning in the middle of a vector
  turned,          // the first axis changes fastest
  stepped,         // every second element along each axis
  reversed,        // from the last to the first
  repeated_first,  // stride 0 along the first axis
  repeated_last,   // stride 0 along the last axis
};

std::string_view name_of(Layout layout);

// A tensor with these elements (row by row, already rounded to the type), and the memory it looks at. What
// lies between its elements is NaN, or a large number: whoever reads it shows it.
struct LaidOut {
  Tensor memory;
  Tensor view;
};
LaidOut lay_out(std::span<const double> elements, const Shape& shape, DType type, Layout layout);

// Elements that do not change along the axis that the layout repeats, as they must not.
void make_repeated(std::vector<double>& elements, const Shape& shape, Layout layout);

}  // namespace likely::testing
