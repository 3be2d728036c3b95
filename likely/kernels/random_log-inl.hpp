// Natural logarithms for random numbers: part of vector sources, compiled for each target.
#if defined(LIKELY_KERNELS_RANDOM_LOG_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_RANDOM_LOG_INL_HPP
#undef LIKELY_KERNELS_RANDOM_LOG_INL_HPP
#else
#define LIKELY_KERNELS_RANDOM_LOG_INL_HPP
#endif

#include <cstdint>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// log x for normal positive floats, to 2 units in the last place, without a division:
// x = m 2^e with m in [sqrt(1/2), sqrt(2)), log x = e log 2 + f + f^2 Q(f) with f = m - 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_normal_range(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V e = hn::ConvertTo(d, exponent);
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V f2 = hn::Mul(f, f);
  const V f4 = hn::Mul(f2, f2);
  // Q in pairs, so that the processor can work on several products at once.
  const V q01 = hn::MulAdd(hn::Set(d, 0.33333950f), f, hn::Set(d, -0.49999992f));
  const V q23 = hn::MulAdd(hn::Set(d, 0.19962072f), f, hn::Set(d, -0.25001755f));
  const V q45 = hn::MulAdd(hn::Set(d, 0.14917975f), f, hn::Set(d, -0.16570509f));
  const V q67 = hn::MulAdd(hn::Set(d, 0.087348363f), f, hn::Set(d, -0.14307519f));
  const V q = hn::MulAdd(hn::MulAdd(q67, f2, q45), f4, hn::MulAdd(q23, f2, q01));
  const V log_m = hn::MulAdd(q, f2, f);
  return hn::MulAdd(e, hn::Set(d, 0.69314718f), log_m);
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#endif
