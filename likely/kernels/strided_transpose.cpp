#include "likely/kernels/strided_transpose.hpp"

#include "likely/kernels/simd_targets.hpp"
// Vectors of 128 bits suffice, as memory is the limit: no other target is compiled.
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void transpose_vectors(const std::uint32_t* from, std::int64_t from_stride, std::uint32_t* to,
                                  std::int64_t to_stride) {
  const hn::Full128<std::uint32_t> d;
  const hn::Full128<std::uint64_t> pairs;
  const auto v0 = hn::LoadU(d, from);
  const auto v1 = hn::LoadU(d, from + from_stride);
  const auto v2 = hn::LoadU(d, from + 2 * from_stride);
  const auto v3 = hn::LoadU(d, from + 3 * from_stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v0, v1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v2, v3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v0, v1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v2, v3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
}

HWY_INLINE void transpose_vectors(const std::uint64_t* from, std::int64_t from_stride, std::uint64_t* to,
                                  std::int64_t to_stride) {
  const hn::Full128<std::uint64_t> d;
  const auto v0 = hn::LoadU(d, from);
  const auto v1 = hn::LoadU(d, from + from_stride);
  hn::StoreU(hn::InterleaveLower(d, v0, v1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, v0, v1), d, to + to_stride);
}

template <class T>
void transpose_scalar(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                      std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) to[r * to_stride + c] = from[c * from_stride + r];
  }
}

template <class T>
void transpose_block(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                     std::int64_t rows, std::int64_t columns) {
  if constexpr (sizeof(T) == 1) {
    transpose_scalar(from, from_stride, to, to_stride, rows, columns);
  } else {
    constexpr std::int64_t step = 16 / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t whole_rows = rows / step * step;
    const std::int64_t whole_columns = columns / step * step;
    for (std::int64_t c = 0; c < whole_columns; c += step) {
      for (std::int64_t r = 0; r < whole_rows; r += step) {
        transpose_vectors(from + c * from_stride + r, from_stride, to + r * to_stride + c, to_stride);
      }
    }
    transpose_scalar(from + whole_columns * from_stride, from_stride, to + whole_columns, to_stride,
                     whole_rows, columns - whole_columns);
    transpose_scalar(from + whole_rows, from_stride, to + whole_rows * to_stride, to_stride,
                     rows - whole_rows, columns);
  }
}

// Blocks of whole cache lines on both sides that stay in the first cache.
template <class T>
void transpose_matrix(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                      std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kRows = 64 / static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t kColumns = 64;
  for (std::int64_t c = 0; c < columns; c += kColumns) {
    for (std::int64_t r = 0; r < rows; r += kRows) {
      transpose_block(from + c * from_stride + r, from_stride, to + r * to_stride + c, to_stride,
                      std::min(kRows, rows - r), std::min(kColumns, columns - c));
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace likely::kernels {

void transpose(std::size_t element_size, const void* from, std::int64_t from_stride, void* to,
               std::int64_t to_stride, std::int64_t rows, std::int64_t columns) {
  switch (element_size) {
    case 1:
      return HWY_STATIC_DISPATCH(transpose_matrix)(static_cast<const std::uint8_t*>(from), from_stride,
                                                   static_cast<std::uint8_t*>(to), to_stride, rows, columns);
    case 4:
      return HWY_STATIC_DISPATCH(transpose_matrix)(static_cast<const std::uint32_t*>(from), from_stride,
                                                   static_cast<std::uint32_t*>(to), to_stride, rows, columns);
    default:
      return HWY_STATIC_DISPATCH(transpose_matrix)(static_cast<const std::uint64_t*>(from), from_stride,
                                                   static_cast<std::uint64_t*>(to), to_stride, rows, columns);
  }
}

}  // namespace likely::kernels
