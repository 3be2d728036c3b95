// Vector sine and cosine for f32 and f64, about one unit in the last place for every argument.
#if defined(LIKELY_KERNELS_ELEMENTWISE_TRIGONOMETRY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_TRIGONOMETRY_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_TRIGONOMETRY_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_TRIGONOMETRY_INL_HPP
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "likely/kernels/elementwise/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// pi / 2 in pieces of 33 bits: n times a piece is exact for |n| < 2^20, with or without fused operations.
inline constexpr double kHalfPi1 = 0x1.921fb544p+0;
inline constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
inline constexpr double kHalfPi3 = 0x1.3198a2ep-69;
inline constexpr double kHalfPi4 = 0x1.b839a252049c1p-104;
// Beyond it the pieces above do not suffice and the lane goes to the C library.
inline constexpr double kTrigonometryLimit = 8.0e5;

// x = n pi / 2 + high + low.
template <class V>
struct Angle {
  V n, high, low;
};

template <class D, class V>
HWY_INLINE Angle<V> reduce_angle_double(D d, V x) {
  const auto rounder = constant(d, kRounder<D>);
  const auto n = hn::Sub(hn::MulAdd(x, constant(d, 0.63661977236758134308), rounder), rounder);
  const auto first = hn::NegMulAdd(n, constant(d, kHalfPi1), x);
  const auto second = hn::Mul(n, constant(d, kHalfPi2));
  const auto sum = hn::Sub(first, second);
  const auto lost = hn::Sub(hn::Sub(first, sum), second);
  const auto third = hn::MulAdd(n, constant(d, kHalfPi3), hn::Mul(n, constant(d, kHalfPi4)));
  const auto rest = hn::Sub(third, lost);
  const auto high = hn::Sub(sum, rest);
  return {n, high, hn::Sub(hn::Sub(sum, high), rest)};
}

// A float's angle is reduced in double: no float comes so near a multiple of pi / 2 that 53 bits fail.
template <class D, class V>
HWY_INLINE Angle<V> reduce_angle_float(D d, V x) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, hn::ScalableTag<double>> half;
  const auto lower = reduce_angle_double(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)));
  const auto upper = reduce_angle_double(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)));
  return {hn::Combine(d, hn::DemoteTo(half, upper.n), hn::DemoteTo(half, lower.n)),
          hn::Combine(d, hn::DemoteTo(half, upper.high), hn::DemoteTo(half, lower.high)), hn::Zero(d)};
}

template <class D, class V>
HWY_INLINE V sine_near_zero(D d, const Angle<V>& angle) {
  const auto r = angle.high;
  const auto z = hn::Mul(r, r);
  const auto cube = hn::Mul(z, r);
  if constexpr (kIsFloat32<D>) {
    return hn::MulAdd(cube, polynomial(d, z, -0x1.555546p-3, 0x1.110776p-7, -0x1.9952dap-13), r);
  } else {
    const auto p = polynomial(d, z, -0x1.5555555555548p-3, 0x1.111111110f74cp-7, -0x1.a01a019beebd7p-13,
                              0x1.71de355b4ef36p-19, -0x1.ae5e5114a005ap-26, 0x1.5d8d1fe5ad78ap-33);
    return hn::Add(r, hn::MulAdd(cube, p, angle.low));
  }
}

template <class D, class V>
HWY_INLINE V cosine_near_zero(D d, const Angle<V>& angle) {
  const auto r = angle.high;
  const auto z = hn::Mul(r, r);
  const auto one = constant(d, 1.0);
  const auto half_square = hn::Mul(z, constant(d, 0.5));
  if constexpr (kIsFloat32<D>) {
    const auto p = polynomial(d, z, 0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e818p-16);
    return hn::Sub(one, hn::NegMulAdd(hn::Mul(z, z), p, half_square));
  } else {
    const auto p = polynomial(d, z, 0x1.555555555554bp-5, -0x1.6c16c16c15009p-10, 0x1.a01a019c8d111p-16,
                              -0x1.27e4f7ef88f7bp-22, 0x1.1ee9da20008d6p-29, -0x1.8fa582fd0ca79p-37);
    const auto rest = hn::NegMulAdd(r, angle.low, hn::Mul(hn::Mul(z, z), p));
    // What 1 - z / 2 loses by rounding is added back.
    const auto main = hn::Sub(one, half_square);
    const auto lost = hn::Sub(hn::Sub(one, main), half_square);
    return hn::Add(main, hn::Add(lost, rest));
  }
}

// Quadrants = 0 gives the sine, 1 the cosine: cos(x) = sin(x + pi / 2).
template <int Quadrants, class D, class V>
HWY_INLINE V sine_shifted(D d, V x) {
  const BitsTag<D> bits;
  Angle<V> angle;
  if constexpr (kIsFloat32<D>) {
    angle = reduce_angle_float(d, x);
  } else {
    angle = reduce_angle_double(d, x);
  }
  const auto quadrant = hn::BitCast(bits, hn::Add(angle.n, constant(d, kRounder<D> + Quadrants)));
  const auto one = hn::Set(bits, hn::TFromD<BitsTag<D>>{1});
  const auto odd =
      hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(bits, hn::Eq(hn::And(quadrant, one), one))));
  const auto value = hn::IfThenElse(odd, cosine_near_zero(d, angle), sine_near_zero(d, angle));
  // The second bit of the quadrant is the sign.
  const auto sign =
      hn::And(hn::ShiftLeft<sizeof(hn::TFromD<D>) * 8 - 2>(quadrant), hn::BitCast(bits, hn::SignBit(d)));
  auto result = hn::BitCast(d, hn::Xor(hn::BitCast(bits, value), sign));

  const auto near = hn::Le(hn::Abs(x), constant(d, kTrigonometryLimit));
  if (HWY_UNLIKELY(!hn::AllTrue(d, near))) {
    HWY_ALIGN hn::TFromD<D> from[hn::MaxLanes(d)];
    HWY_ALIGN hn::TFromD<D> to[hn::MaxLanes(d)];
    hn::Store(x, d, from);
    hn::Store(result, d, to);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      const double argument = static_cast<double>(from[i]);
      if (std::abs(argument) <= kTrigonometryLimit) continue;
      to[i] = static_cast<hn::TFromD<D>>(Quadrants == 0 ? std::sin(argument) : std::cos(argument));
    }
    result = hn::Load(d, to);
  }
  return result;
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
