// Vectors of 64-bit numbers from the words of a group: part of vector sources, compiled for each target.
#if defined(LIKELY_KERNELS_RANDOM_WORDS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_RANDOM_WORDS_INL_HPP
#undef LIKELY_KERNELS_RANDOM_WORDS_INL_HPP
#else
#define LIKELY_KERNELS_RANDOM_WORDS_INL_HPP
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using WordsTag = hn::CappedTag<std::uint32_t, 16>;
using WidesTag = hn::CappedTag<std::uint64_t, 8>;
using FloatTag = hn::CappedTag<float, 16>;
using DoubleTag = hn::CappedTag<double, 8>;

// low[l] + 2^32 high[l] for as many l as fit.
HWY_INLINE hn::Vec<WidesTag> load_wide(const std::uint32_t* low, const std::uint32_t* high) {
  const WidesTag d;
  const hn::Rebind<std::uint32_t, WidesTag> half;
  return hn::Or(hn::PromoteTo(d, hn::LoadU(half, low)),
                hn::ShiftLeft<32>(hn::PromoteTo(d, hn::LoadU(half, high))));
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#endif
