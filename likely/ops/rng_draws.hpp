// How the draws of Rng are made: checks and loops. Internal to ops/.
#pragma once

#include <algorithm>
#include <string>

#include "likely/core/dispatch.hpp"
#include "likely/core/tensor.hpp"
#include "likely/core/threads.hpp"

namespace likely::detail {

// Calls make(T* out, n) on a new tensor, with T the C++ type behind a floating dtype.
template <class Make>
Tensor fill_floating(const char* name, const Shape& shape, DType dtype, const Make& make) {
  if (!is_floating(dtype)) {
    refuse(name, "a floating type is needed, got " + std::string(name_of(dtype)));
  }
  Tensor result = Tensor::uninitialized(shape, dtype);
  with_floating(name, dtype, [&]<class T>(T) { make(result.mutable_data<T>(), result.size()); });
  return result;
}

// Calls body(i) for every element, on several threads where `nanoseconds` each make it worth while.
template <class Body>
void for_each_element(std::int64_t n, double nanoseconds, const Body& body) {
  constexpr std::int64_t kTile = 4096;
  parallel_tiles((n + kTile - 1) / kTile, nanoseconds * static_cast<double>(n), [&](std::int64_t tile) {
    const std::int64_t end = std::min(n, (tile + 1) * kTile);
    for (std::int64_t i = tile * kTile; i < end; ++i) body(i);
  });
}

[[noreturn]] void refuse_parameter(const char* name, const char* what, double value, const Shape& place);

// The parameters of a distribution as dense f64 numbers, all of which satisfy `allowed`; the first that does
// not is refused with its place.
template <class Allowed>
Tensor checked_parameters(const char* name, const char* what, const Tensor& x, const Allowed& allowed) {
  Tensor dense = x.with_track({}).to(DType::f64).contiguous();
  const double* values = dense.data<double>();
  for (std::int64_t i = 0; i < dense.size(); ++i) {
    if (allowed(values[i])) continue;
    refuse_parameter(name, what, values[i], index_of(x.shape(), i));
  }
  return dense;
}

}  // namespace likely::detail
