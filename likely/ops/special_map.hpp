// Functions of double numbers, applied to every element. Internal to ops/.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/core/tensor.hpp"
#include "likely/kernels/elementwise/elementwise.hpp"
#include "likely/ops/rng_draws.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

// f(x, y, ...) of each element of the inputs, which broadcast and must not be tracked. The result has their
// common floating type. `nanoseconds` is what one call takes.
template <class Function, class... Tensors>
Tensor map_numbers(const char* name, double nanoseconds, const Function& f, const Tensors&... inputs) {
  DType dtype = DType::boolean;
  Shape shape;
  ((dtype = promote(dtype, inputs.dtype())), ...);
  ((shape = broadcast_shapes(name, shape, inputs.shape())), ...);
  const std::array<Tensor, sizeof...(inputs)> dense = {expand(inputs.to(DType::f64), shape).contiguous()...};
  std::array<const double*, sizeof...(inputs)> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = dense[i].template data<double>();
  return fill_floating(
      name, shape, is_floating(dtype) ? dtype : DType::f32, [&]<class T>(T* out, std::int64_t n) {
        for_each_element(n, nanoseconds, [&](std::int64_t i) {
          out[i] = static_cast<T>(std::apply([&](const auto*... at) { return f(at[i]...); }, x));
        });
      });
}

// Elements [begin, begin + count) of a dense floating tensor, or its only one again and again, as double:
// where they are, or in the buffer.
inline const double* doubles_of(const char* name, const Tensor& dense, std::int64_t begin, std::int64_t count,
                                double* buffer) {
  return with_floating(name, dense.dtype(), [&]<class T>(T) -> const double* {
    const T* const first = dense.data<T>();
    if (dense.size() == 1) {
      std::fill_n(buffer, count, double{*first});
    } else if constexpr (std::is_same_v<T, double>) {
      return first + begin;
    } else {
      std::copy_n(first + begin, count, buffer);
    }
    return buffer;
  });
}

// rows(x, y, ..., out, n) on pieces of the inputs as double. As map_numbers, with floating inputs and a
// result of the given type.
template <class Rows, class... Tensors>
Tensor map_rows(const char* name, double nanoseconds, DType dtype, const Rows& rows,
                const Tensors&... inputs) {
  constexpr std::int64_t kTile = 4096, kPiece = 256;
  Shape shape;
  ((shape = broadcast_shapes(name, shape, inputs.shape())), ...);
  const auto dense_of = [&](const Tensor& x) {
    return x.size() == 1 ? x.contiguous() : expand(x, shape).contiguous();
  };
  const std::array<Tensor, sizeof...(inputs)> dense = {dense_of(inputs.with_track({}))...};
  return fill_floating(name, shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    parallel_tiles((n + kTile - 1) / kTile, nanoseconds * static_cast<double>(n), [&](std::int64_t tile) {
      double buffers[sizeof...(inputs) + 1][kPiece];
      std::array<const double*, sizeof...(inputs)> x;
      const std::int64_t end = std::min(n, (tile + 1) * kTile);
      for (std::int64_t begin = tile * kTile; begin < end; begin += kPiece) {
        const std::int64_t count = std::min(kPiece, end - begin);
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = doubles_of(name, dense[i], begin, count, buffers[i]);
        double* result = buffers[sizeof...(inputs)];
        if constexpr (std::is_same_v<T, double>) result = out + begin;
        std::apply([&](const auto*... at) { rows(at..., result, count); }, x);
        if constexpr (std::is_same_v<T, float>) {
          for (std::int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<float>(result[i]);
        }
      }
    });
  });
}

// A row kernel on all elements of a floating tensor that is not tracked.
inline Tensor map_row(const char* name, double nanoseconds, kernels::UnaryRow row, const Tensor& x) {
  constexpr std::int64_t kTile = 4096;
  const Tensor dense = x.with_track({}).contiguous();
  return fill_floating(name, x.shape(), x.dtype(), [&]<class T>(T* out, std::int64_t n) {
    const T* from = dense.data<T>();
    parallel_tiles((n + kTile - 1) / kTile, nanoseconds * static_cast<double>(n), [&](std::int64_t tile) {
      const std::int64_t begin = tile * kTile;
      row(from + begin, out + begin, std::min(n - begin, kTile), 0.0, 0.0);
    });
  });
}

}  // namespace likely::detail
