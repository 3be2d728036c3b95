// lgamma for f32 and digamma for f32 and f64, in vectors of double. lgamma of f64 stays with the C library,
// as nothing as short is as exact near its zeros 1 and 2.
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/special_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

#include "likely/kernels/elementwise_loops-inl.hpp"
#include "likely/kernels/elementwise_math-inl.hpp"
#include "likely/kernels/elementwise_tables.hpp"
#include "likely/kernels/special.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

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

template <class Function>
struct InDouble {
  static constexpr bool kCheap = false;
  InDouble(double, double) {}

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const auto one = constant(d, 1.0);
    auto usual = hn::And(hn::Ge(x, constant(d, 1e-30)), hn::Le(x, constant(d, 1e30)));
    if constexpr (!kIsFloat32<D>) {
      const auto distance = hn::Abs(hn::Sub(x, constant(d, kDigammaZero)));
      usual = hn::And(usual, hn::Ge(distance, constant(d, Function::kExcludedRadius)));
    }
    const auto safe = hn::IfThenElse(usual, x, one);
    V result;
    if constexpr (kIsFloat32<D>) {
      const hn::ScalableTag<double> wide;
      const hn::Rebind<float, hn::ScalableTag<double>> half;
      const auto lower = Function::of(wide, hn::PromoteTo(wide, hn::LowerHalf(half, safe)));
      const auto upper = Function::of(wide, hn::PromoteTo(wide, hn::UpperHalf(half, safe)));
      result = hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
    } else {
      result = Function::of(d, safe);
    }
    if (HWY_LIKELY(hn::AllTrue(d, usual))) return result;
    // Reflections, poles, infinities and NaN, lane by lane.
    HWY_ALIGN T from[hn::MaxLanes(d)];
    HWY_ALIGN T to[hn::MaxLanes(d)];
    HWY_ALIGN T marks[hn::MaxLanes(d)];
    hn::Store(x, d, from);
    hn::Store(result, d, to);
    hn::Store(hn::IfThenElseZero(usual, one), d, marks);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      if (marks[i] == T{0}) to[i] = static_cast<T>(Function::scalar(static_cast<double>(from[i])));
    }
    return hn::Load(d, to);
  }
};

UnaryRow find_special_vector_here(Unary operation, DType type) {
  if (operation == Unary::lgamma && type == DType::f32) return &unary_loop<float, InDouble<LogGamma>>;
  if (operation == Unary::digamma && type == DType::f32) return &unary_loop<float, InDouble<Digamma>>;
  if (operation == Unary::digamma && type == DType::f64) return &unary_loop<double, InDouble<Digamma>>;
  return nullptr;
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_special_vector_here);

UnaryRow find_special_vector(Unary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_special_vector_here)(operation, type);
}

}  // namespace likely::kernels
#endif
