// Loads that touch nothing but the lanes asked for.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_LOAD_WHERE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_LOAD_WHERE_INL
#undef LIKELY_KERNELS_LOAD_WHERE_INL
#else
#define LIKELY_KERNELS_LOAD_WHERE_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes of `mask` from `from` (of any alignment), zero elsewhere. Below AVX2, Highway's MaskedLoad reads
// a whole aligned vector, which may lie partly outside the array.
template <class D>
HWY_INLINE hn::Vec<D> load_where(D d, hn::Mask<D> mask, const hn::TFromD<D>* from) {
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(mask, d, from);
#else
  alignas(64) hn::TFromD<D> lanes[hn::MaxLanes(d)] = {};
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, mask, bits);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) != 0) lanes[i] = from[i];
  }
  return hn::Load(d, lanes);
#endif
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
