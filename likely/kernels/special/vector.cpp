// lgamma for f32 and digamma for f32 and f64, in vectors of double. lgamma of f64 stays with the C library,
// as nothing as short is as exact near its zeros 1 and 2.
#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/special/vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/elementwise/tables.hpp"
#include "likely/kernels/special/gamma-inl.hpp"
#include "likely/kernels/special/special.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

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
  return detail::floating_or_nothing(type, [&]<class T>(T) -> UnaryRow {
    if (operation == Unary::digamma) return &unary_loop<T, InDouble<Digamma>>;
    if constexpr (std::is_same_v<T, float>) {
      if (operation == Unary::lgamma) return &unary_loop<T, InDouble<LogGamma>>;
    }
    return nullptr;
  });
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
