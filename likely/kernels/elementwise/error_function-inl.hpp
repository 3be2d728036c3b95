// Vector error functions and the normal distribution's tail, with small relative error also far out.
#if defined(LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#endif

#include <hwy/highway.h>

#include "likely/kernels/elementwise/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x^2 - square, exactly, where square is x^2 rounded.
template <class D, class V>
HWY_INLINE V square_lost(D d, V x, V square) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(x, x, square);
#else
  const BitsTag<D> bits;
  using Bits = hn::TFromD<BitsTag<D> >;
  const auto mask = hn::Set(bits, static_cast<Bits>(~Bits{0} << (kIsFloat32<D> ? 12 : 27)));
  const auto high = hn::BitCast(d, hn::And(hn::BitCast(bits, x), mask));
  const auto low = hn::Sub(x, high);
  const auto cross = hn::Mul(hn::Add(high, high), low);
  return hn::Add(hn::Add(hn::Sub(hn::Mul(high, high), square), cross), hn::Mul(low, low));
#endif
}

// P(Z > a) e^(a^2 / 2) of a standard normal Z, for 0 <= a <= 15.3 (f32) or 39.6 (f64): a polynomial in
// (a - k) / (a + k), over a + k.
template <class D, class V>
HWY_INLINE V scaled_normal_tail(D d, V a) {
  constexpr double k = kIsFloat32<D> ? 4.0 : 5.0;
  const auto inverse = reciprocal_moderate(d, hn::Add(a, constant(d, k)));
  const auto t = hn::NegMulAdd(inverse, constant(d, 2.0 * k), constant(d, 1.0));
  if constexpr (kIsFloat32<D>) {
    return hn::Mul(inverse, polynomial(d, t, 0.7552851438522339, -0.6078965663909912, 0.38713669776916504,
                                       -0.18652348220348358, 0.06040598824620247, -0.007524417247623205,
                                       -0.003519430523738265, 0.0015656568575650454, 0.00018579474999569356,
                                       -0.0001270053326152265));
  } else {
    return hn::Mul(inverse, polynomial(d, t, 0.769193049750063, -0.6653825028900567, 0.4953056159699765,
                                       -0.31353315667130494, 0.16502036617037893, -0.06911863870630042,
                                       0.020795066800007943, -0.002993376770599663, -0.0007978693998323137,
                                       0.0005448990649829174, -5.937571944898118e-05, -4.9762812154051105e-05,
                                       1.6681181425170248e-05, 3.980884142778556e-06, -2.769193340810068e-06,
                                       -3.3655397254403046e-07, 4.3304488580705945e-07, 4.216487532605406e-08,
                                       -6.588462533619594e-08, -9.211228264422251e-09, 7.665119948528516e-09,
                                       1.7141412450880973e-09, -1.720841413707669e-10));
  }
}

// e^(-scale a^2) with the rounding of the square put right, where that is at least e^-150 (f32) or e^-1000.
template <class D, class V>
HWY_INLINE V gaussian(D d, V a, double scale) {
  const auto square = hn::Mul(a, a);
  const auto factor = constant(d, scale);
  const auto exponent = hn::Mul(square, constant(d, -scale));
#if HWY_TARGET <= HWY_AVX3
  const auto e = exp_in_reach(d, exponent);
#else
  const auto e = exp_nonpositive(d, exponent);
#endif
  return hn::NegMulAdd(e, hn::Mul(square_lost(d, a, square), factor), e);
}

// erfc(a) = 2 P(Z > sqrt(2) a) for a >= 0.
template <class D, class V>
HWY_INLINE V erfc_tail(D d, V a) {
  const auto bounded = at_most(d, a, kIsFloat32<D> ? 10.5 : 27.9);
  const auto scaled = scaled_normal_tail(d, hn::Mul(bounded, constant(d, 1.41421356237309504880)));
  const auto e = gaussian(d, bounded, 1.0);
  return hn::Mul(hn::Add(e, e), scaled);
}

template <class D, class V>
HWY_INLINE V erfc(D d, V x) {
  const auto tail = erfc_tail(d, hn::Abs(x));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(constant(d, 2.0), tail), tail);
}

template <class D, class V>
HWY_INLINE V erf(D d, V x) {
  const auto a = hn::Abs(x);
  const auto z = hn::Mul(x, x);
  if constexpr (kIsFloat32<D>) {
    const auto p = polynomial(d, z, 0.12837916709551256, -0x1.8127bap-2, 0x1.ce3e1ap-4, -0x1.b8fd64p-6,
                              0x1.5b8baep-8, -0x1.d97302p-11, 0x1.dbbc16p-14);
    const auto near = hn::MulAdd(x, p, x);
    // log(erfc(a)) from 0.93 to 4, where erf is 1 to the last bit.
    const auto log_tail =
        polynomial(d, at_most(d, a, 4.0), 0x1.3e0ef4p-12, -0x1.2152c8p0, -0x1.438c2p-1, -0x1.c2852p-4,
                   0x1.b01b7cp-6, -0x1.36ea0cp-8, 0x1.374f7ap-11, -0x1.7f9b2cp-15, 0x1.b3697ep-20);
    const auto far = hn::CopySign(expm1_bounded(d, log_tail), x);
    return hn::IfThenElse(hn::Lt(a, constant(d, 0.93)), near, far);
  } else {
    const auto p = polynomial(d, z, 0.12837916709551257, -0x1.812746b0379b2p-2, 0x1.ce2f21a0408d1p-4,
                              -0x1.b82ce311ee09bp-6, 0x1.565bccf7e2856p-8, -0x1.c02db0149d904p-11,
                              0x1.f9a2b75531772p-14, -0x1.f4ca204c771c4p-17, 0x1.b97e44280cf9p-20,
                              -0x1.5bfe7638444bbp-23, 0x1.d6e3ddfeb0021p-27, -0x1.ab15c51d25669p-31);
    const auto near = hn::MulAdd(x, p, x);
    const auto far = hn::CopySign(hn::Sub(constant(d, 1.0), erfc_tail(d, a)), x);
    return hn::IfThenElse(hn::Lt(a, constant(d, 1.0)), near, far);
  }
}

// For a standard normal variable: P(Z > |x|) and e^(-x^2 / 2), and |x|, or a bound beyond which both are 0.
template <class V>
struct NormalTail {
  V tail, gaussian, bounded;
};
template <class D, class V>
HWY_INLINE NormalTail<V> normal_tail(D d, V x) {
  const auto a = at_most(d, hn::Abs(x), kIsFloat32<D> ? 15.0 : 39.0);
  const auto e = gaussian(d, a, 0.5);
  return {hn::Mul(e, scaled_normal_tail(d, a)), e, a};
}

// Phi(x), from the tail on x's side.
template <class D, class V>
HWY_INLINE V normal_cdf(D d, V x, V tail) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(constant(d, 1.0), tail));
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
