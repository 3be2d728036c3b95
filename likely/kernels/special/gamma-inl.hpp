// log Gamma and digamma of positive numbers, in vectors of double.
#if defined(LIKELY_KERNELS_SPECIAL_GAMMA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_SPECIAL_GAMMA_INL_HPP
#undef LIKELY_KERNELS_SPECIAL_GAMMA_INL_HPP
#else
#define LIKELY_KERNELS_SPECIAL_GAMMA_INL_HPP
#endif

#include <hwy/highway.h>

#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/special/special.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The asymptotic series hold from here on; smaller arguments are moved up by as much.
inline constexpr int kShift = 8;

// x (x + 1) ... (x + 7) and its derivative, whose ratio is the sum of 1 / (x + i).
template <class V>
struct RisingFactorial {
  V value, derivative;
};
template <class D, class V>
HWY_INLINE RisingFactorial<V> rising_factorial(D d, V x) {
  auto value = x;
  auto derivative = constant(d, 1.0);
  for (int i = 1; i < kShift; ++i) {
    const auto factor = hn::Add(x, constant(d, i));
    derivative = hn::MulAdd(derivative, factor, value);
    value = hn::Mul(value, factor);
  }
  return {value, derivative};
}

// For positive finite x.
struct LogGamma {
  template <class D, class V>
  static HWY_INLINE V of(D d, V x) {
    const auto small = hn::Lt(x, constant(d, kShift));
    const auto y = hn::IfThenElse(small, hn::Add(x, constant(d, kShift)), x);
    const auto inverse = hn::Div(constant(d, 1.0), y);
    // B_2k / (2k (2k - 1)) y^(1 - 2k)
    const auto series =
        hn::Mul(inverse, polynomial(d, hn::Mul(inverse, inverse), 1.0 / 12, -1.0 / 360, 1.0 / 1260,
                                    -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156, -3617.0 / 122400));
    const auto log_y = log(d, y);
    // (y - 1/2) log(y) - y + log(2 pi) / 2, with y log(y) - y as y (log(y) - 1), which does not overflow
    // early.
    const auto main = hn::MulAdd(y, hn::Sub(log_y, constant(d, 1.0)),
                                 hn::NegMulAdd(log_y, constant(d, 0.5), constant(d, 0.91893853320467274178)));
    const auto moved = hn::IfThenElse(small, rising_factorial(d, x).value, constant(d, 1.0));
    return hn::Sub(hn::Add(main, series), log(d, moved));
  }
  static double scalar(double x) { return log_gamma(x); }
  static constexpr double kExcludedRadius = 0.0;
};

struct Digamma {
  template <class D, class V>
  static HWY_INLINE V of(D d, V x) {
    const auto small = hn::Lt(x, constant(d, kShift));
    const auto y = hn::IfThenElse(small, hn::Add(x, constant(d, kShift)), x);
    const auto inverse = hn::Div(constant(d, 1.0), y);
    const auto square = hn::Mul(inverse, inverse);
    // B_2k / 2k y^-2k
    const auto series = hn::Mul(square, polynomial(d, square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240,
                                                   1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160));
    const auto main = hn::Sub(hn::NegMulAdd(inverse, constant(d, 0.5), log(d, y)), series);
    const auto factorial = rising_factorial(d, x);
    const auto moved = hn::Div(factorial.derivative, factorial.value);
    return hn::Sub(main, hn::IfThenElseZero(small, moved));
  }
  static double scalar(double x) { return digamma(x); }
  static constexpr double kExcludedRadius = kDigammaZeroRadius;
};

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
