// Sorting along one axis. Equal elements keep their order, and NaN comes last in either direction.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely {

// The sorted elements. Gradients go back to where each element came from.
[[nodiscard]] Tensor sort(const Tensor& x, int axis = -1, bool descending = false);

// Where the sorted elements stand: sort(x) = take_along_axis(x, argsort(x)); i64.
[[nodiscard]] Tensor argsort(const Tensor& x, int axis = -1, bool descending = false);

struct TopK {
  Tensor values;   // best first
  Tensor indices;  // i64
};

// The k largest elements along an axis (or the k smallest), best first; of equal ones those that come first.
// Refuses k < 0 and k above the length of the axis.
TopK topk(const Tensor& x, std::int64_t k, int axis = -1, bool largest = true);

}  // namespace likely
