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

// The blocks of 128 bits of a vector, each from a row of its own: rows 0, step, 2 step ...
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const hn::TFromD<D>* source, std::int64_t step) {
  constexpr auto kBlocks = static_cast<std::int64_t>(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) / 16);
  if constexpr (kBlocks <= 1) {
    return hn::LoadU(d, source);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, source + kBlocks / 2 * step, step),
                       load_blocks(half, source, step));
  }
}

// target[i * target_stride + j] = source[j * stride + i] for i < count and as many j as a vector has lanes:
// rows become columns.
HWY_INLINE void transpose_rows(const float* source, std::int64_t stride, std::int64_t count,
                               std::int64_t target_stride, float* target) {
  const hn::ScalableTag<float> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4, source += 4, target += 4 * target_stride) {
    const auto r0 = load_blocks(d, source, 4 * stride);
    const auto r1 = load_blocks(d, source + stride, 4 * stride);
    const auto r2 = load_blocks(d, source + 2 * stride, 4 * stride);
    const auto r3 = load_blocks(d, source + 3 * stride, 4 * stride);
    const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
    const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
    const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
    const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, target);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, target + target_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, target + 2 * target_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, target + 3 * target_stride);
  }
  for (; i < count; ++i, ++source, target += target_stride) {
    for (std::int64_t j = 0; j < lanes_of<float>(); ++j) target[j] = source[j * stride];
  }
}

HWY_INLINE void transpose_rows(const double* source, std::int64_t stride, std::int64_t count,
                               std::int64_t target_stride, double* target) {
  const hn::ScalableTag<double> d;
  std::int64_t i = 0;
  for (; i + 2 <= count; i += 2, source += 2, target += 2 * target_stride) {
    const auto r0 = load_blocks(d, source, 2 * stride);
    const auto r1 = load_blocks(d, source + stride, 2 * stride);
    hn::StoreU(hn::InterleaveLower(d, r0, r1), d, target);
    hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, target + target_stride);
  }
  for (; i < count; ++i, ++source, target += target_stride) {
    for (std::int64_t j = 0; j < lanes_of<double>(); ++j) target[j] = source[j * stride];
  }
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
        std::int64_t j = 0;
        for (; j + kLanes <= used; j += kLanes) {
          const T* const rows = source + j * p.ldb + k;
          for (std::int64_t i = kLanes; i < 2 * kLanes && far; ++i) hwy::Prefetch(rows + i * p.ldb);
          transpose_rows(rows, p.ldb, std::min(kStretch, depth - k), width, packed + k * width + j);
        }
        for (; j < fours; j += 4) {
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
