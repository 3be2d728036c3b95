// The inner loop of every product and convolution: a tile of C that lives in registers while the sum runs.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_GEMM_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_GEMM_TILE_INL
#undef LIKELY_KERNELS_GEMM_TILE_INL
#else
#define LIKELY_KERNELS_GEMM_TILE_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "likely/kernels/load_where-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As many rows and vectors as the registers hold beside one row of B: 8 x 3 of 32, or 6 x 2 of 16.
inline constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;
inline constexpr int kTileVectors = HWY_TARGET <= HWY_AVX3 ? 3 : 2;

template <class T>
constexpr std::int64_t lanes_of() {
  return static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}

// Each element is one running sum over the depth, in order, with one rounding per multiply-add: its bits
// depend neither on its place in the tile nor on the width of the vectors. RowOfB(k) is the address of row k
// of B. With kPartial, the last vector of a row of B is read only where `mask` is set.
template <int kRows, int kVectors, bool kPartial, class D, class RowOfB>
HWY_INLINE void sum_tile(D d, std::int64_t depth, const hn::TFromD<D>* a, std::int64_t row_stride,
                         std::int64_t depth_stride, const RowOfB& row_of_b, hn::Mask<D> mask,
                         hn::Vec<D> (&sum)[kRows][kVectors]) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  HWY_UNROLL(8)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(3)
    for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::Zero(d);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto* const line = row_of_b(k);
    hn::Vec<D> b[kVectors];
    HWY_UNROLL(3)
    for (int v = 0; v < kVectors; ++v) {
      b[v] = kPartial && v == kVectors - 1 ? load_where(d, mask, line + v * kLanes)
                                           : hn::LoadU(d, line + v * kLanes);
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kRows; ++i) {
      const auto factor = hn::Set(d, a[i * row_stride]);
      HWY_UNROLL(3)
      for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(factor, b[v], sum[i][v]);
    }
    a += depth_stride;
  }
}

// C = alpha A B + beta C for a tile. A row of B is a panel's row or a part of a row of the matrix.
template <class T>
struct Tile {
  std::int64_t depth;
  const T* a;
  std::int64_t row_stride;
  std::int64_t depth_stride;
  const T* b;
  std::int64_t ldb;
  std::int64_t columns;  // those of C; the last vector may be partly outside
  T alpha;
  T beta;
  T* c;
  std::int64_t ldc;
  bool far = false;         // C is not in a near cache: its lines are asked for while the sums run
  const T* bias = nullptr;  // Finish, of these columns
  bool relu = false;
};

// Brings the complete sums of a tile to C, with all that the tile says of it.
template <class D, int kRows, int kVectors>
HWY_INLINE void finish_tile(D d, const Tile<hn::TFromD<D>>& t, const hn::Vec<D> (&sum)[kRows][kVectors]) {
  using T = hn::TFromD<D>;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  const std::int64_t in_last = t.columns - (kVectors - 1) * kLanes;
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(in_last));
  const bool whole = in_last == kLanes;
  const auto load = [&](const T* from, int v) HWY_ATTR {
    return v < kVectors - 1 || whole ? hn::LoadU(d, from + v * kLanes)
                                     : load_where(d, mask, from + v * kLanes);
  };
  const auto store = [&](hn::Vec<D> value, T* to, int v) HWY_ATTR {
    if (v < kVectors - 1 || whole) {
      hn::StoreU(value, d, to + v * kLanes);
    } else {
      hn::BlendedStore(value, mask, d, to + v * kLanes);
    }
  };
  T* line = t.c;
  if (t.alpha == T(1) && t.beta == T(0) && t.bias == nullptr && !t.relu) {
    HWY_UNROLL(8)
    for (int i = 0; i < kRows; ++i, line += t.ldc) {
      HWY_UNROLL(8)
      for (int v = 0; v < kVectors; ++v) store(sum[i][v], line, v);
    }
    return;
  }
  const auto alpha = hn::Set(d, t.alpha);
  const auto beta = hn::Set(d, t.beta);
  const bool read = t.beta != T(0);
  // What neither addition nor maximum changes stands for a bias or a relu that is not wanted.
  const auto least = hn::Set(d, t.relu ? T(0) : -std::numeric_limits<T>::infinity());
  hn::Vec<D> bias[kVectors];
  HWY_UNROLL(8)
  for (int v = 0; v < kVectors; ++v) bias[v] = t.bias != nullptr ? load(t.bias, v) : hn::Set(d, T(-0.0));
  HWY_UNROLL(8)
  for (int i = 0; i < kRows; ++i, line += t.ldc) {
    HWY_UNROLL(8)
    for (int v = 0; v < kVectors; ++v) {
      auto value = hn::Mul(alpha, sum[i][v]);
      if (read) value = hn::MulAdd(beta, load(line, v), value);
      store(hn::Max(least, hn::Add(value, bias[v])), line, v);
    }
  }
}

// One tile of C in vectors of D; the rows of B are where row_of_b(k) says.
template <class D, int kRows, int kVectors, bool kPartial, class RowOfB>
HWY_INLINE void compute_tile_of(const Tile<hn::TFromD<D>>& t, const RowOfB& row_of_b) {
  const D d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(t.columns - (kVectors - 1) * kLanes));
  hn::Vec<D> sum[kRows][kVectors];
  if (t.far) {
    HWY_UNROLL(8)
    for (int i = 0; i < kRows; ++i) {
      HWY_UNROLL(3)
      for (int v = 0; v < kVectors; ++v) hwy::Prefetch(t.c + i * t.ldc + v * kLanes);
    }
  }
  sum_tile<kRows, kVectors, kPartial>(d, t.depth, t.a, t.row_stride, t.depth_stride, row_of_b, mask, sum);
  finish_tile(d, t, sum);
}

template <class D, int kRows, int kVectors, bool kPartial>
void compute_tile(const Tile<hn::TFromD<D>>& t) {
  const auto* const b = t.b;
  const std::int64_t ldb = t.ldb;
  compute_tile_of<D, kRows, kVectors, kPartial>(t, [b, ldb](std::int64_t k) { return b + k * ldb; });
}

template <class T>
using TileFunction = void (*)(const Tile<T>&);

template <class T, bool kPartial, int... kIndex>
constexpr auto tile_functions(std::integer_sequence<int, kIndex...>) {
  return std::array<TileFunction<T>, sizeof...(kIndex)>{
      &compute_tile<hn::ScalableTag<T>, kIndex / kTileVectors + 1, kIndex % kTileVectors + 1, kPartial>...};
}

template <class T, bool kPartial>
TileFunction<T> tile_function(std::int64_t rows, std::int64_t vectors) {
  static constexpr auto kFunctions =
      tile_functions<T, kPartial>(std::make_integer_sequence<int, kTileRows * kTileVectors>());
  return kFunctions[static_cast<std::size_t>((rows - 1) * kTileVectors + vectors - 1)];
}

// The last few columns, in vectors of half the width: with AVX-512 some processors do two of these in the
// time of a whole one. 0 where there is nothing to gain.
template <class T>
inline constexpr std::int64_t kNarrowColumns = HWY_TARGET <= HWY_AVX3 ? lanes_of<T>() / 2 : 0;

template <class T, bool kPartial, int... kIndex>
constexpr auto narrow_functions(std::integer_sequence<int, kIndex...>) {
  return std::array<TileFunction<T>, sizeof...(kIndex)>{
      &compute_tile<hn::Half<hn::ScalableTag<T>>, kIndex + 1, 1, kPartial>...};
}

template <class T, bool kPartial>
TileFunction<T> narrow_function(std::int64_t rows) {
  static constexpr auto kFunctions =
      narrow_functions<T, kPartial>(std::make_integer_sequence<int, kTileRows>());
  return kFunctions[static_cast<std::size_t>(rows - 1)];
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
