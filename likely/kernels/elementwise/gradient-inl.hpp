// The derivatives of the activations times the gradient that arrives, as vector operations: op(d, a, g).
#if defined(LIKELY_KERNELS_ELEMENTWISE_GRADIENT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_GRADIENT_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_GRADIENT_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_GRADIENT_INL_HPP
#endif

#include <hwy/highway.h>

#include "likely/kernels/elementwise/activation-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keeps 0 times infinity out of a derivative that no longer changes beyond the bound.
template <class D, class V>
HWY_INLINE V within(D d, V x, double bound) {
  return at_most(d, at_least(d, x, -bound), bound);
}

struct CheapGradient {
  static constexpr bool kCheap = true;
  double p;
  explicit CheapGradient(double parameter) : p(parameter) {}
};
struct CostlyGradient {
  static constexpr bool kCheap = false;
  double p;
  explicit CostlyGradient(double parameter) : p(parameter) {}
};

struct TanhGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V g) const {
    return hn::Mul(g, hn::NegMulAdd(y, y, constant(d, 1.0)));
  }
};

struct SigmoidGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V g) const {
    return hn::Mul(hn::Mul(g, y), hn::Sub(constant(d, 1.0), y));
  }
};

struct ReluGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), g);
  }
};

struct LeakyReluGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, constant(d, p)));
  }
};

struct EluGradient : CostlyGradient {
  using CostlyGradient::CostlyGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    const auto negative = hn::Mul(exp_nonpositive(d, hn::Min(hn::Zero(d), x)), constant(d, p));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, negative));
  }
};

struct GeluGradient : CostlyGradient {
  using CostlyGradient::CostlyGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    const auto normal = normal_tail(d, x);
    const auto density = hn::Mul(normal.gaussian, constant(d, 0.39894228040143267794));
    return hn::Mul(g, hn::MulAdd(within(d, x, 40.0), density, normal_cdf(d, x, normal.tail)));
  }
};

struct GeluTanhGradient : CostlyGradient {
  using CostlyGradient::CostlyGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V unbounded, V g) const {
    const auto x = within(d, unbounded, 100.0);
    const auto s = sigmoid_pair(d, gelu_tanh_argument(d, x));
    const auto inner = hn::MulAdd(hn::Mul(x, x), constant(d, 3.0 * kGeluCubic), constant(d, kGeluLinear));
    const auto slope = hn::Mul(hn::Mul(x, inner), s.rest);
    return hn::Mul(g, hn::MulAdd(s.value, slope, s.value));
  }
};

struct SiluGradient : CostlyGradient {
  using CostlyGradient::CostlyGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V unbounded, V g) const {
    const auto x = within(d, unbounded, 10000.0);
    const auto s = sigmoid_pair(d, x);
    const auto slope = hn::Mul(x, s.rest);
    return hn::Mul(g, hn::MulAdd(s.value, slope, s.value));
  }
};

struct HardSwishGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    const auto three = constant(d, 3.0);
    const auto middle = hn::Mul(hn::Add(hn::Add(x, x), three), constant(d, 1.0 / 6.0));
    const auto right = hn::IfThenElse(hn::Gt(x, three), constant(d, 1.0), middle);
    return hn::Mul(g, hn::IfThenElse(hn::Le(x, hn::Neg(three)), hn::Zero(d), right));
  }
};

struct SoftplusGradient : CostlyGradient {
  using CostlyGradient::CostlyGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    return hn::Mul(g, sigmoid(d, x));
  }
};

struct AbsGradient : CheapGradient {
  using CheapGradient::CheapGradient;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V g) const {
    const auto positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), g);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(g), positive);
  }
};

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
