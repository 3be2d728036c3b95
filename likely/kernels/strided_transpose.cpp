#include "likely/kernels/strided_transpose.hpp"

#include "likely/kernels/simd_targets.hpp"
// Vectors of 128 bits suffice, as memory is the limit: no other target is compiled.
#include <hwy/cache_control.h>
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

// One block of a cache line by a cache line. It goes through a buffer, so that lines are read whole and
// written whole: in a matrix whose width is a power of two all of them fall on one another in the cache.
template <class T>
inline constexpr std::int64_t kBlock = 64 / static_cast<std::int64_t>(sizeof(T));

template <class T>
void transpose_whole_block(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  constexpr std::int64_t side = kBlock<T>;
  constexpr std::int64_t step = 16 / static_cast<std::int64_t>(sizeof(T));
  HWY_ALIGN T buffer[side * side];
  for (std::int64_t c = 0; c < side; c += step) {
    for (std::int64_t r = 0; r < side; r += step) {
      transpose_vectors(from + c * from_stride + r, from_stride, buffer + r * side + c, side);
    }
  }
  const hn::Full128<T> d;
  for (std::int64_t r = 0; r < side; ++r) {
    for (std::int64_t c = 0; c < side; c += step) {
      hn::StoreU(hn::Load(d, buffer + r * side + c), d, to + r * to_stride + c);
    }
  }
}

template <class T>
void transpose_matrix(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                      std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t side = kBlock<T>;
  for (std::int64_t c = 0; c < columns; c += side) {
    for (std::int64_t r = 0; r < rows; r += side) {
      const T* source = from + c * from_stride + r;
      T* target = to + r * to_stride + c;
      if constexpr (sizeof(T) > 1) {
        if (rows - r >= side && columns - c >= side) {
          // The next block's lines lie far apart on both sides, where no hardware looks ahead.
          if (columns - c >= 2 * side) {
            for (std::int64_t i = 0; i < side; ++i) {
              hwy::Prefetch(source + (side + i) * from_stride);
              hwy::Prefetch(target + i * to_stride + side);
            }
          }
          transpose_whole_block(source, from_stride, target, to_stride);
          continue;
        }
      }
      transpose_scalar(source, from_stride, target, to_stride, std::min(side, rows - r),
                       std::min(side, columns - c));
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
