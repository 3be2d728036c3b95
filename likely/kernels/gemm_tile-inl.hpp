// The inner loop of every product and convolution: a tile of C that lives in registers while the sum runs.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_GEMM_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_GEMM_TILE_INL
#undef LIKELY_KERNELS_GEMM_TILE_INL
#else
#define LIKELY_KERNELS_GEMM_TILE_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

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
  constexpr std::int64_t kLanes = lanes_of<hn::TFromD<D>>();
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
      b[v] = kPartial && v == kVectors - 1 ? hn::MaskedLoad(mask, d, line + v * kLanes)
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

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
