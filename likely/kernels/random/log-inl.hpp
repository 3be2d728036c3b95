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

// log(2^e (1 + f)) = e log 2 + f + f^2 Q(f) for f in [sqrt(1/2) - 1, sqrt(2) - 1), without a division.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_of_parts(D d, V e, V f) {
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

// x = 2^e (1 + f) for normal positive floats.
template <class V>
struct LogParts {
  V e, f;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<V> log_parts(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  return {hn::ConvertTo(d, exponent), hn::Sub(m, hn::Set(d, 1.0f))};
}

// log x for normal positive floats, to 2 units in the last place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_normal_range(D d, V x) {
  const LogParts<V> parts = log_parts(d, x);
  return log_of_parts(d, parts.e, parts.f);
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#endif
