// Copies of a block of B in the order in which a product reads it.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_GEMM_PACK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_GEMM_PACK_INL
#undef LIKELY_KERNELS_GEMM_PACK_INL
#else
#define LIKELY_KERNELS_GEMM_PACK_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "likely/kernels/gemm/simd.hpp"
#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/load_where-inl.hpp"
#include "likely/kernels/transpose_four-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The depth between two roundings to C: a panel of it fits the first-level cache. Only k decides, so that all
// ways to multiply agree to the bit.
inline std::int64_t depth_of_block(std::int64_t k) {
  constexpr std::int64_t kLongest = 256;
  const std::int64_t blocks = (k + kLongest - 1) / kLongest;
  return (k + blocks - 1) / blocks;
}

// A block of op(B), [from, from + depth) x [column, column + columns), panel after panel, each row by row.
// `width` is that of a panel, whole vectors. Lanes beyond the last column keep what they held: they are
// multiplied, but never stored. `far`: B is not in a near cache.
template <class T>
HWY_INLINE void pack_columns(const Product<T>& p, std::int64_t from, std::int64_t depth, std::int64_t column,
                             std::int64_t columns, std::int64_t width, bool far, T* packed) {
  constexpr std::int64_t kLanes = lanes_of<T>();
  constexpr std::int64_t kAhead = 8;
  constexpr std::int64_t kStretch = 64 / static_cast<std::int64_t>(sizeof(T));
  const hn::ScalableTag<T> d;
  for (std::int64_t start = 0; start < columns; start += width, packed += width * depth) {
    const std::int64_t used = std::min(width, columns - start);
    if (p.transpose_b) {
      const T* const source = p.b + (column + start) * p.ldb + from;
      const std::int64_t fours = used / 4 * 4;
      // A line of each row at a time: it is read whole, and what is written stays near.
      for (std::int64_t k = 0; k < depth; k += kStretch) {
        for (std::int64_t j = 0; j < fours; j += 4) {
          const T* const rows = source + j * p.ldb + k;
          for (std::int64_t i = kAhead; i < kAhead + 4 && far; ++i) hwy::Prefetch(rows + i * p.ldb);
          transpose_four(rows, p.ldb, std::min(kStretch, depth - k), width, packed + k * width + j);
        }
      }
      std::int64_t j = fours;
      for (; j < used; ++j) {
        for (std::int64_t k = 0; k < depth; ++k) packed[k * width + j] = source[j * p.ldb + k];
      }
      continue;
    }
    const T* source = p.b + from * p.ldb + column + start;
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(used % kLanes));
    for (std::int64_t k = 0; k < depth; ++k, source += p.ldb) {
      T* const to = packed + k * width;
      std::int64_t j = 0;
      for (; j + kLanes <= used; j += kLanes) hn::Store(hn::LoadU(d, source + j), d, to + j);
      if (j < used) hn::Store(load_where(d, mask, source + j), d, to + j);
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
