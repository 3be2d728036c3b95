// The activations as vector operations: called as op(d, x), made from the parameters (p, q) of a row kernel.
// Other vector kernels that end in an activation use them too.
#if defined(LIKELY_KERNELS_ELEMENTWISE_ACTIVATION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_ACTIVATION_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_ACTIVATION_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_ACTIVATION_INL_HPP
#endif

#include <hwy/highway.h>

#include <limits>

#include "likely/kernels/elementwise/error_function-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keeps 0 times -infinity out of x sigmoid(x).
template <class D, class V>
HWY_INLINE V not_minus_infinity(D d, V x) {
  return hn::Max(hn::Set(d, std::numeric_limits<hn::TFromD<D>>::lowest()), x);
}

// u(x) = x (kGeluLinear + kGeluCubic x^2) in x sigmoid(u(x)), which is gelu's form with tanh.
inline constexpr double kGeluLinear = 1.5957691216057307118;  // 2 sqrt(2 / pi)
inline constexpr double kGeluCubic = kGeluLinear * 0.044715;
template <class D, class V>
HWY_INLINE V gelu_tanh_argument(D d, V x) {
  const auto square = hn::Mul(x, x);
  return hn::Mul(x, hn::MulAdd(square, constant(d, kGeluCubic), constant(d, kGeluLinear)));
}

struct WithoutParameters {
  static constexpr bool kCheap = false;
  WithoutParameters(double, double) {}
};

struct Relu : WithoutParameters {
  static constexpr bool kCheap = true;
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Max(hn::Zero(d), x);
  }
};

struct LeakyRelu {
  static constexpr bool kCheap = true;
  double slope;
  LeakyRelu(double p, double) : slope(p) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, constant(d, slope)));
  }
};

struct Elu {
  static constexpr bool kCheap = false;
  double alpha;
  Elu(double p, double) : alpha(p) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(expm1(d, x), constant(d, alpha)));
  }
};

// x Phi(x) = max(x, 0) - |x| P(Z > |x|), on either side of zero.
struct Gelu : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto normal = normal_tail(d, x);
    return hn::NegMulAdd(normal.bounded, normal.tail, hn::Max(hn::Zero(d), x));
  }
};

struct GeluTanh : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(not_minus_infinity(d, x), sigmoid(d, gelu_tanh_argument(d, x)));
  }
};

struct Silu : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(not_minus_infinity(d, x), sigmoid(d, x));
  }
};

struct HardSwish : WithoutParameters {
  static constexpr bool kCheap = true;
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto three = constant(d, 3.0);
    const auto middle = hn::Mul(hn::Mul(x, hn::Add(x, three)), constant(d, 1.0 / 6.0));
    const auto right = hn::IfThenElse(hn::Gt(x, three), x, middle);
    return hn::IfThenElse(hn::Lt(x, hn::Neg(three)), hn::Zero(d), right);
  }
};

struct Softplus : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return softplus(d, x);
  }
};

struct Sigmoid : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return sigmoid(d, x);
  }
};

struct LogSigmoid : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Neg(softplus(d, hn::Neg(x)));
  }
};

struct Tanh : WithoutParameters {
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return tanh(d, x);
  }
};

struct Heaviside : WithoutParameters {
  static constexpr bool kCheap = true;
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto step = hn::IfThenElseZero(hn::Ge(x, hn::Zero(d)), constant(d, 1.0));
    return hn::IfThenElse(hn::IsNaN(x), x, step);
  }
};

struct Rect : WithoutParameters {
  static constexpr bool kCheap = true;
  using WithoutParameters::WithoutParameters;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const auto one = constant(d, 1.0);
    const auto box = hn::IfThenElseZero(hn::And(hn::Ge(x, hn::Zero(d)), hn::Le(x, one)), one);
    return hn::IfThenElse(hn::IsNaN(x), x, box);
  }
};

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
