// Vector exp, expm1, log, log1p, tanh and sigmoid for f32 and f64, about one unit in the last place, right
// for zeros, infinities, NaN and denormals. The polynomials are minimax fits made for these ranges.
#if defined(LIKELY_KERNELS_ELEMENTWISE_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_MATH_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_MATH_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_MATH_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline constexpr bool kIsFloat32 = std::is_same_v<hn::TFromD<D>, float>;

template <class D>
using BitsTag = hn::RebindToUnsigned<D>;

template <class D>
HWY_INLINE hn::Vec<D> constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// c0 + x (c1 + x (c2 + ...)).
template <class D, class V>
HWY_INLINE V polynomial(D d, V, double c0) {
  return constant(d, c0);
}
template <class D, class V, class... Rest>
HWY_INLINE V polynomial(D d, V x, double c0, Rest... rest) {
  return hn::MulAdd(x, polynomial(d, x, rest...), constant(d, c0));
}

// a where it is NaN: Highway's Min and Max return their second argument then.
template <class D, class V>
HWY_INLINE V at_most(D d, V a, double bound) {
  return hn::Min(constant(d, bound), a);
}
template <class D, class V>
HWY_INLINE V at_least(D d, V a, double bound) {
  return hn::Max(constant(d, bound), a);
}

// 1 / b for 2^-100 < b < 2^100. AVX-512 divides 16 floats in 16 cycles; an estimate of 14 bits and a
// correction are nearly as exact and cost a quarter.
template <class D, class V>
HWY_INLINE V reciprocal_moderate(D d, V b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kIsFloat32<D>) {
    const auto estimate = hn::ApproximateReciprocal(b);
    return hn::MulAdd(estimate, hn::NegMulAdd(b, estimate, constant(d, 1.0)), estimate);
  }
#endif
  return hn::Div(constant(d, 1.0), b);
}

// a / b for such b.
template <class D, class V>
HWY_INLINE V divide_moderate(D d, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kIsFloat32<D>) {
    const auto inverse = reciprocal_moderate(d, b);
    const auto quotient = hn::Mul(a, inverse);
    return hn::MulAdd(hn::NegMulAdd(b, quotient, a), inverse, quotient);
  }
#endif
  (void)d;
  return hn::Div(a, b);
}

// Added to an integer n, it leaves n in the low bits of the sum; a further 127 or 1023 makes them an
// exponent.
template <class D>
inline constexpr double kRounder = kIsFloat32<D> ? 12582912.0 : 6755399441055744.0;
template <class D>
inline constexpr double kExponentBias = kIsFloat32<D> ? 127.0 : 1023.0;
template <class D>
inline constexpr int kMantissaBits = kIsFloat32<D> ? 23 : 52;

// 2^n for an integer n within the range of normal numbers.
template <class D, class V>
HWY_INLINE V power_of_two(D d, V n) {
  const BitsTag<D> bits;
  const auto low_bits = hn::BitCast(bits, hn::Add(n, constant(d, kRounder<D> + kExponentBias<D>)));
  return hn::BitCast(d, hn::ShiftLeft<kMantissaBits<D>>(low_bits));
}

// y 2^n for any integer n, also where the result is denormal or infinite.
template <class D, class V>
HWY_INLINE V scale_by_power_of_two(D d, V y, V n) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kIsFloat32<D>) {
    return V{_mm512_scalef_ps(y.raw, n.raw)};
  } else {
    return V{_mm512_scalef_pd(y.raw, n.raw)};
  }
#else
  const auto rounder = constant(d, kRounder<D>);
  const auto half = hn::Sub(hn::MulAdd(n, constant(d, 0.5), rounder), rounder);
  return hn::Mul(hn::Mul(y, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
#endif
}

// x = n log(2) + r with |r| <= log(2) / 2. The high part of log(2) has trailing zeros: its products are exact
// without fused operations.
template <class V>
struct ExpArgument {
  V n, r;
  V carried;  // n in the low bits of a sum
};
template <class D, class V>
HWY_INLINE ExpArgument<V> reduce_exp(D d, V x) {
  const auto rounder = constant(d, kRounder<D>);
  const auto carried = hn::MulAdd(x, constant(d, 1.4426950408889634), rounder);
  const auto n = hn::Sub(carried, rounder);
  const auto high = constant(d, kIsFloat32<D> ? 0x1.62e4p-1 : 0x1.62e42feep-1);
  const auto low = constant(d, kIsFloat32<D> ? 0x1.7f7d1cp-20 : 0x1.a39ef35793c76p-33);
  return {n, hn::NegMulAdd(n, low, hn::NegMulAdd(n, high, x)), carried};
}

// y 2^n where the result is a normal number.
template <class D, class V>
HWY_INLINE V scale_within_normal(D d, V y, const ExpArgument<V>& argument) {
#if HWY_TARGET <= HWY_AVX3
  return scale_by_power_of_two(d, y, argument.n);
#else
  const BitsTag<D> bits;
  const auto exponent = hn::ShiftLeft<kMantissaBits<D>>(hn::BitCast(bits, argument.carried));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, y), exponent));
#endif
}

// (e^r - 1 - r) / r^2 for |r| <= log(2) / 2.
template <class D, class V>
HWY_INLINE V exp_polynomial(D d, V r) {
  if constexpr (kIsFloat32<D>) {
    return polynomial(d, r, 0x1.fffffep-2, 0x1.5554bp-3, 0x1.555718p-5, 0x1.1227b8p-7, 0x1.6b7182p-10);
  } else {
    return polynomial(d, r, 0x1.0000000000005p-1, 0x1.555555555553ap-3, 0x1.55555555520e5p-5,
                      0x1.1111111118c59p-7, 0x1.6c16c17f3e4e4p-10, 0x1.a01a01768d84p-13,
                      0x1.a019a66921a64p-16, 0x1.71de840506befp-19, 0x1.28a2cf355dd91p-22,
                      0x1.ae7310f773367p-26);
  }
}

// For x from -1000 (f64) or -150 (f32) up to 710 or 89, and NaN.
template <class D, class V>
HWY_INLINE V exp_in_reach(D d, V x) {
  const auto argument = reduce_exp(d, x);
  const auto r = argument.r;
  const auto one = constant(d, 1.0);
  const auto y = hn::MulAdd(hn::MulAdd(exp_polynomial(d, r), r, one), r, one);
  return scale_by_power_of_two(d, y, argument.n);
}

// For any x up to 710 (f64) or 89 (f32), and NaN.
template <class D, class V>
HWY_INLINE V exp_with_edges(D d, V x) {
  return exp_in_reach(d, at_least(d, x, kIsFloat32<D> ? -105.0 : -746.0));
}

#if HWY_TARGET > HWY_AVX3
template <class D, class V>
HWY_NOINLINE V exp_far(D d, V x) {
  return exp_with_edges(d, at_most(d, x, kIsFloat32<D> ? 89.0 : 710.0));
}
#endif

// e^x for x <= 0 (and NaN). Without AVX-512's scaling instruction it is cheaper to ask whether all results
// are normal numbers, which an addition to their exponents then scales, exactly as the slow way would.
template <class D, class V>
HWY_INLINE V exp_nonpositive(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  return exp_with_edges(d, x);
#else
  const auto near = hn::Le(hn::Abs(x), constant(d, kIsFloat32<D> ? 87.0 : 708.0));
  if (HWY_UNLIKELY(!hn::AllTrue(d, near))) return exp_far(d, x);
  const auto argument = reduce_exp(d, x);
  const auto r = argument.r;
  const auto one = constant(d, 1.0);
  const auto y = hn::MulAdd(hn::MulAdd(exp_polynomial(d, r), r, one), r, one);
  return scale_within_normal(d, y, argument);
#endif
}

template <class D, class V>
HWY_INLINE V exp(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  return exp_with_edges(d, at_most(d, x, kIsFloat32<D> ? 89.0 : 710.0));
#else
  return exp_nonpositive(d, x);
#endif
}

// e^x - 1 where e^x neither overflows nor is denormal.
template <class D, class V>
HWY_INLINE V expm1_bounded(D d, V x) {
  const auto argument = reduce_exp(d, x);
  const auto r = argument.r;
  const auto small = hn::MulAdd(hn::Mul(r, r), exp_polynomial(d, r), r);
  const auto scale = power_of_two(d, argument.n);
  return hn::MulAdd(scale, small, hn::Sub(scale, constant(d, 1.0)));
}

template <class D, class V>
HWY_INLINE V expm1(D d, V x) {
  const auto bounded =
      at_most(d, at_least(d, x, kIsFloat32<D> ? -20.0 : -40.0), kIsFloat32<D> ? 89.0 : 710.0);
  const auto argument = reduce_exp(d, bounded);
  const auto r = argument.r;
  const auto small = hn::MulAdd(hn::Mul(r, r), exp_polynomial(d, r), r);
  // Half of 2^n, since 2^128 is not a float.
  const auto half_scale = power_of_two(d, hn::Sub(argument.n, constant(d, 1.0)));
  const auto half = hn::MulAdd(half_scale, small, hn::Sub(half_scale, constant(d, 0.5)));
  return hn::IfThenElse(hn::Eq(argument.n, hn::Zero(d)), small, hn::Add(half, half));
}

// x = 2^k m with 2/3 <= m < 4/3 (f32) or sqrt(1/2) <= m < sqrt(2) (f64), for normal positive x.
template <class V>
struct LogArgument {
  V k, m;
};
template <class D, class V>
HWY_INLINE LogArgument<V> reduce_log(D d, V x) {
  const BitsTag<D> bits;
  using Bits = hn::TFromD<BitsTag<D>>;
  constexpr Bits one = kIsFloat32<D> ? Bits{0x3f800000} : static_cast<Bits>(0x3ff0000000000000);
  constexpr Bits least = kIsFloat32<D> ? Bits{0x3f2aaaab} : static_cast<Bits>(0x3fe6a09e667f3bcd);
  constexpr Bits mantissa = (Bits{1} << kMantissaBits<D>)-1;
  const auto shifted = hn::Add(hn::BitCast(bits, x), hn::Set(bits, one - least));
  const auto exponent = hn::ShiftRight<kMantissaBits<D>>(shifted);
  // The exponent as the low bits of 2^23 or 2^52: a conversion without a conversion instruction.
  constexpr double carrier = kIsFloat32<D> ? 8388608.0 : 4503599627370496.0;
  const auto carried = hn::BitCast(d, hn::Or(exponent, hn::BitCast(bits, constant(d, carrier))));
  const auto m = hn::BitCast(d, hn::Add(hn::And(shifted, hn::Set(bits, mantissa)), hn::Set(bits, least)));
  return {hn::Sub(carried, constant(d, carrier + kExponentBias<D>)), m};
}

// k log(2) + log(1 + f) for f in the range of m - 1.
template <class D, class V>
HWY_INLINE V log_polynomial(D d, V k, V f) {
  const auto high = constant(d, kIsFloat32<D> ? 0x1.62e4p-1 : 0x1.62e42feep-1);
  const auto low = constant(d, kIsFloat32<D> ? 0x1.7f7d1cp-20 : 0x1.a39ef35793c76p-33);
  const auto half_square = hn::Mul(hn::Mul(f, f), constant(d, 0.5));
  if constexpr (kIsFloat32<D>) {
    const auto p = polynomial(d, f, 0x1.555506p-2, -0x1.fffefp-3, 0x1.99d05ep-3, -0x1.559de4p-3,
                              0x1.1ed424p-3, -0x1.f30e36p-4, 0x1.1e73ap-3, -0x1.080c9ep-3);
    const auto cube = hn::Mul(hn::Mul(f, f), f);
    const auto rest = hn::Sub(hn::MulAdd(cube, p, hn::Mul(k, low)), half_square);
    return hn::MulAdd(k, high, hn::Add(f, rest));
  } else {
    // log(1 + f) = 2 artanh(s), written so that f itself, which is exact, carries the weight.
    const auto s = hn::Div(f, hn::Add(f, constant(d, 2.0)));
    const auto z = hn::Mul(s, s);
    const auto p = hn::Mul(z, polynomial(d, z, 0x1.5555555555558p-1, 0x1.999999999530bp-2,
                                         0x1.2492492df1ed3p-2, 0x1.c71c62e2379bbp-3, 0x1.7462b5ef63037p-3,
                                         0x1.39fe30696f2cbp-3, 0x1.2b5ac54133113p-3));
    const auto rest = hn::MulAdd(s, hn::Add(half_square, p), hn::Mul(k, low));
    return hn::MulAdd(k, high, hn::Sub(f, hn::Sub(half_square, rest)));
  }
}

// Puts right what the formulas do not reach: shifted is the argument of the logarithm.
template <class D, class V>
HWY_INLINE V log_edges(D d, V shifted, V y) {
  using T = hn::TFromD<D>;
  const auto infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  const auto finite = hn::IfThenElse(hn::Lt(shifted, infinity), y, shifted);
  const auto not_negative = hn::IfThenElse(hn::Lt(shifted, hn::Zero(d)), hn::NaN(d), finite);
  return hn::IfThenElse(hn::Eq(shifted, hn::Zero(d)), hn::Neg(infinity), not_negative);
}

template <class D, class V>
HWY_NOINLINE V log_with_edges(D d, V x) {
  using T = hn::TFromD<D>;
  const auto denormal = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  const auto normal = hn::IfThenElse(denormal, hn::Mul(x, constant(d, 0x1p60)), x);
  const auto argument = reduce_log(d, normal);
  const auto k = hn::Sub(argument.k, hn::IfThenElseZero(denormal, constant(d, 60.0)));
  return log_edges(d, x, log_polynomial(d, k, hn::Sub(argument.m, constant(d, 1.0))));
}

template <class D, class V>
HWY_INLINE V log(D d, V x) {
  using T = hn::TFromD<D>;
  const auto normal = hn::And(hn::Ge(x, hn::Set(d, std::numeric_limits<T>::min())),
                              hn::Le(x, hn::Set(d, std::numeric_limits<T>::max())));
  if (HWY_UNLIKELY(!hn::AllTrue(d, normal))) return log_with_edges(d, x);
  const auto argument = reduce_log(d, x);
  return log_polynomial(d, argument.k, hn::Sub(argument.m, constant(d, 1.0)));
}

// For -1 < x < infinity; `sum` is 1 + x.
template <class D, class V>
HWY_INLINE V log1p_inside(D d, V x, V sum) {
  const auto one = constant(d, 1.0);
  // What the rounding of 1 + x lost is added to f. Where k = 0, f is x itself.
  const auto rounded = hn::Sub(sum, one);
  const auto lost = hn::Add(hn::Sub(one, hn::Sub(sum, rounded)), hn::Sub(x, rounded));
  const auto argument = reduce_log(d, sum);
  // 2^(1-k) and a half, since 2^-127 is no normal float.
  const auto inverse = power_of_two(d, hn::Sub(one, argument.k));
  const auto f = hn::MulAdd(hn::Mul(lost, constant(d, 0.5)), inverse, hn::Sub(argument.m, one));
  const auto exact = hn::IfThenElse(hn::Eq(argument.k, hn::Zero(d)), x, f);
  return log_polynomial(d, argument.k, exact);
}

template <class D, class V>
HWY_INLINE V log1p(D d, V x) {
  const auto sum = hn::Add(x, constant(d, 1.0));
  return log_edges(d, sum, log1p_inside(d, x, sum));
}

template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  const auto bounded = at_most(d, hn::Abs(x), kIsFloat32<D> ? 10.0 : 20.0);
  const auto e = expm1_bounded(d, hn::Add(bounded, bounded));
  return hn::CopySign(divide_moderate(d, e, hn::Add(e, constant(d, 2.0))), x);
}

// 1 / (1 + e^-x) where e^-x is a normal number.
template <class D, class V>
HWY_INLINE V sigmoid_near(D d, V x) {
  const auto argument = reduce_exp(d, hn::Neg(x));
  const auto r = argument.r;
  const auto one = constant(d, 1.0);
  const auto y = hn::MulAdd(hn::MulAdd(exp_polynomial(d, r), r, one), r, one);
  return reciprocal_moderate(d, hn::Add(scale_within_normal(d, y, argument), one));
}

// Where some x lie beyond, those become e^-|x| / (1 + e^-|x|) or 1 / (1 + e^-|x|), and the others stay as
// they would be alone.
template <class D, class V>
HWY_NOINLINE V sigmoid_far(D d, V x, hn::Mask<D> near) {
  const auto e = exp_nonpositive(d, hn::Neg(hn::Abs(x)));
  const auto one = constant(d, 1.0);
  const auto numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  const auto far = hn::Div(numerator, hn::Add(e, one));
  return hn::IfThenElse(near, sigmoid_near(d, hn::IfThenElseZero(near, x)), far);
}

template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const auto near = hn::Le(hn::Abs(x), constant(d, kIsFloat32<D> ? 87.0 : 708.0));
  if (HWY_UNLIKELY(!hn::AllTrue(d, near))) return sigmoid_far(d, x, near);
  return sigmoid_near(d, x);
}

// sigmoid(x) and 1 - sigmoid(x), which keeps its digits where the first is nearly 1.
template <class V>
struct SigmoidPair {
  V value, rest;
};
template <class D, class V>
HWY_INLINE SigmoidPair<V> sigmoid_pair(D d, V x) {
  const auto e = exp_nonpositive(d, hn::Neg(hn::Abs(x)));
  const auto one = constant(d, 1.0);
  const auto large = divide_moderate(d, one, hn::Add(e, one));
  const auto small = hn::Mul(e, large);
  const auto negative = hn::Lt(x, hn::Zero(d));
  return {hn::IfThenElse(negative, small, large), hn::IfThenElse(negative, large, small)};
}

// log(1 + e^x) without overflow: max(x, 0) + log(1 + e^-|x|).
template <class D, class V>
HWY_INLINE V softplus(D d, V x) {
  const auto e = exp_nonpositive(d, hn::Neg(hn::Abs(x)));
  const auto tail = log1p_inside(d, e, hn::Add(e, constant(d, 1.0)));
  return hn::Add(hn::Max(hn::Zero(d), x), tail);
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
