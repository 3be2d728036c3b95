#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/transcendental.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <type_traits>

#include "likely/kernels/elementwise/error_function-inl.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/elementwise/tables.hpp"
#include "likely/kernels/elementwise/trigonometry-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

struct PlainFunction {
  static constexpr bool kCheap = false;
  PlainFunction(double, double) {}
};

struct Exp : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return exp(d, x);
  }
};
struct Expm1 : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return expm1(d, x);
  }
};
struct Log : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return log(d, x);
  }
};
struct Log1p : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return log1p(d, x);
  }
};
struct Sine : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return sine_shifted<0>(d, x);
  }
};
struct Cosine : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return sine_shifted<1>(d, x);
  }
};
struct Erf : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return erf(d, x);
  }
};
struct Erfc : PlainFunction {
  using PlainFunction::PlainFunction;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return erfc(d, x);
  }
};

// |a|^b in double, which leaves a float's 24 bits intact where b log(a) is as large as it may be.
template <class D, class V>
HWY_INLINE V float_power_of_magnitude(D d, V a, V b) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, hn::ScalableTag<double>> half;
  const auto magnitude = hn::Abs(a);
  const auto lower = exp(wide, hn::Mul(hn::PromoteTo(wide, hn::LowerHalf(half, b)),
                                       log(wide, hn::PromoteTo(wide, hn::LowerHalf(half, magnitude)))));
  const auto upper = exp(wide, hn::Mul(hn::PromoteTo(wide, hn::UpperHalf(half, b)),
                                       log(wide, hn::PromoteTo(wide, hn::UpperHalf(half, magnitude)))));
  return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
}

// With C's rules for signs, zeros and infinities.
struct FloatPower {
  static constexpr bool kCheap = false;
  explicit FloatPower(double) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) const {
    const auto one = constant(d, 1.0);
    const auto half = hn::Mul(b, constant(d, 0.5));
    const auto whole = hn::Eq(hn::Round(b), b);
    const auto odd = hn::And(whole, hn::Ne(hn::Round(half), half));
    const auto magnitude = float_power_of_magnitude(d, a, b);
    const auto is_signed = hn::IfThenElse(odd, hn::CopySign(magnitude, a), magnitude);
    const auto minus_infinity = hn::Neg(hn::Inf(d));
    const auto undefined =
        hn::And(hn::And(hn::Lt(a, hn::Zero(d)), hn::Gt(a, minus_infinity)), hn::Not(whole));
    const auto real = hn::IfThenElse(undefined, hn::NaN(d), is_signed);
    const auto is_one = hn::Or(hn::Or(hn::Eq(b, hn::Zero(d)), hn::Eq(a, one)),
                               hn::And(hn::Eq(a, hn::Neg(one)), hn::Eq(hn::Abs(b), hn::Inf(d))));
    return hn::IfThenElse(is_one, one, real);
  }
};

// In double the product b log(a) would need more than 53 bits, which the C library takes care of.
void double_power(const void* a_memory, const void* b_memory, void* out_memory, std::int64_t n, int a_step,
                  int b_step, double) {
  const double* a = static_cast<const double*>(a_memory);
  const double* b = static_cast<const double*>(b_memory);
  double* out = static_cast<double*>(out_memory);
  const double first_a = n > 0 ? a[0] : 0.0;
  const double first_b = n > 0 ? b[0] : 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = std::pow(a_step == 0 ? first_a : a[i], b_step == 0 ? first_b : b[i]);
  }
}

// Exponents that need only multiplication, division and roots.
struct Exponent {
  static constexpr bool kCheap = true;
  Exponent(double, double) {}
};
struct ToTheZero : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V) const {
    return constant(d, 1.0);
  }
};
struct ToTheOne : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};
struct ToTheTwo : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
};
struct ToTheThree : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(hn::Mul(x, x), x);
  }
};
struct ToTheFour : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    const auto square = hn::Mul(x, x);
    return hn::Mul(square, square);
  }
};
struct ToTheHalf : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};
struct ToTheThreeHalves : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, hn::Sqrt(x));
  }
};
struct ToTheMinusHalf : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(constant(d, 1.0), hn::Sqrt(x));
  }
};
struct ToTheMinusOne : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(constant(d, 1.0), x);
  }
};
struct ToTheMinusTwo : Exponent {
  using Exponent::Exponent;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto inverse = hn::Div(constant(d, 1.0), x);
    return hn::Mul(inverse, inverse);
  }
};

template <class T>
void power_scalar(const void* x, void* y, std::int64_t n, double p, double q) {
  if (p == 2.0) return unary_loop<T, ToTheTwo>(x, y, n, p, q);
  if (p == 0.5) return unary_loop<T, ToTheHalf>(x, y, n, p, q);
  if (p == -1.0) return unary_loop<T, ToTheMinusOne>(x, y, n, p, q);
  if (p == 3.0) return unary_loop<T, ToTheThree>(x, y, n, p, q);
  if (p == -0.5) return unary_loop<T, ToTheMinusHalf>(x, y, n, p, q);
  if (p == 4.0) return unary_loop<T, ToTheFour>(x, y, n, p, q);
  if (p == -2.0) return unary_loop<T, ToTheMinusTwo>(x, y, n, p, q);
  if (p == 1.5) return unary_loop<T, ToTheThreeHalves>(x, y, n, p, q);
  if (p == 1.0) return unary_loop<T, ToTheOne>(x, y, n, p, q);
  if (p == 0.0) return unary_loop<T, ToTheZero>(x, y, n, p, q);
  const T exponent = static_cast<T>(p);
  if constexpr (sizeof(T) == 4) {
    binary_loop<T, FloatPower>(x, &exponent, y, n, 1, 0, 0.0);
  } else {
    double_power(x, &exponent, y, n, 1, 0, 0.0);
  }
}

template <class T>
UnaryRow find_transcendental(Unary operation) {
  switch (operation) {
    case Unary::exp: return &unary_loop<T, Exp>;
    case Unary::expm1: return &unary_loop<T, Expm1>;
    case Unary::log: return &unary_loop<T, Log>;
    case Unary::log1p: return &unary_loop<T, Log1p>;
    case Unary::sin: return &unary_loop<T, Sine>;
    case Unary::cos: return &unary_loop<T, Cosine>;
    case Unary::erf: return &unary_loop<T, Erf>;
    case Unary::erfc: return &unary_loop<T, Erfc>;
    case Unary::power_scalar: return &power_scalar<T>;
    default: return nullptr;
  }
}

UnaryRow find_transcendental_unary_here(Unary operation, DType type) {
  return detail::floating_or_nothing(type, [&]<class T>(T) { return find_transcendental<T>(operation); });
}

BinaryRow find_transcendental_binary_here(Binary operation, DType type) {
  if (operation != Binary::power) return nullptr;
  return detail::floating_or_nothing(type, []<class T>(T) -> BinaryRow {
    if constexpr (std::is_same_v<T, float>) {
      return &binary_loop<float, FloatPower>;
    } else {
      return &double_power;
    }
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_transcendental_unary_here);
HWY_EXPORT(find_transcendental_binary_here);

UnaryRow find_transcendental_unary(Unary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_transcendental_unary_here)(operation, type);
}

BinaryRow find_transcendental_binary(Binary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_transcendental_binary_here)(operation, type);
}

}  // namespace likely::kernels
#endif
