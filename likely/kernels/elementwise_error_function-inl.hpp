// Vector error functions and the normal distribution's tail, with small relative error also far out.
#if defined(LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_ERROR_FUNCTION_INL_HPP
#endif

#include <hwy/highway.h>

#include "likely/kernels/elementwise_math-inl.hpp"

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

// e^(a^2) erfc(a) for 0 <= a <= 10.8 (f32) or 28 (f64): a polynomial in (a - k) / (a + k), over 1 + 2 a.
template <class D, class V>
HWY_INLINE V scaled_erfc(D d, V a) {
  const auto k = constant(d, kIsFloat32<D> ? 2.5 : 4.0);
  const auto sum = hn::Add(a, k);
  const auto growth = hn::Add(hn::Add(a, a), constant(d, 1.0));
  const auto inverse = divide_moderate(d, constant(d, 1.0), hn::Mul(sum, growth));
  const auto t = hn::Mul(hn::Mul(hn::Sub(a, k), growth), inverse);
  const auto scale = hn::Mul(sum, inverse);
  if constexpr (kIsFloat32<D>) {
    return hn::Mul(
        scale, polynomial(d, t, 1.2648382186889648, -0.12235690653324127, -0.09902346879243851,
                          0.15763330459594727, -0.1029818207025528, 0.0327349528670311, 0.0010014205472543836,
                          -0.0042896149680018425, 0.00036009534960612655, 0.00047268677735701203));
  } else {
    return hn::Mul(scale, polynomial(d, t, 1.2329951186255526, -0.1396211168405629, 0.01537965210262074,
                                     0.06809705425473732, -0.10103906603635213, 0.09373283499679412,
                                     -0.06633036581152939, 0.03716751556249286, -0.016197734059115006,
                                     0.005031969755895426, -0.00075777334141333, -0.00019925550755614952,
                                     0.000150622243948303, -2.4403169244974074e-05, -1.1224789135154701e-05,
                                     5.7178872846321855e-06, 3.0135049944875397e-07, -8.351619688696847e-07,
                                     6.270727157198311e-08, 1.1534943745754157e-07, -7.71541861441783e-09,
                                     -1.3670989863347383e-08, -1.8206098680308682e-09));
  }
}

// e^(-scale a^2) with the rounding of the square put right.
template <class D, class V>
HWY_INLINE V gaussian(D d, V a, double scale) {
  const auto square = hn::Mul(a, a);
  const auto factor = constant(d, scale);
  const auto e = exp_nonpositive(d, hn::Neg(hn::Mul(square, factor)));
  return hn::NegMulAdd(e, hn::Mul(square_lost(d, a, square), factor), e);
}

// erfc(a) for a >= 0.
template <class D, class V>
HWY_INLINE V erfc_tail(D d, V a) {
  const auto bounded = at_most(d, a, kIsFloat32<D> ? 10.5 : 27.9);
  return hn::Mul(gaussian(d, bounded, 1.0), scaled_erfc(d, bounded));
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

// For a standard normal variable: P(Z > |x|) and e^(-x^2 / 2).
template <class V>
struct NormalTail {
  V tail, gaussian;
};
template <class D, class V>
HWY_INLINE NormalTail<V> normal_tail(D d, V x) {
  const auto a = at_most(d, hn::Abs(x), kIsFloat32<D> ? 15.0 : 39.0);
  const auto e = gaussian(d, a, 0.5);
  const auto scaled = scaled_erfc(d, hn::Mul(a, constant(d, 0.70710678118654752440)));
  return {hn::Mul(hn::Mul(e, constant(d, 0.5)), scaled), e};
}

// Phi(x), from the tail on x's side.
template <class D, class V>
HWY_INLINE V normal_cdf(D d, V x, V tail) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(constant(d, 1.0), tail));
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
