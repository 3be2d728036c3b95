#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/elementwise/integer.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/elementwise/tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

struct CheapUnary {
  static constexpr bool kCheap = true;
  double p, q;
  CheapUnary(double first, double second) : p(first), q(second) {}
};

struct Negative : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Neg(x);
  }
};
struct Absolute : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Abs(x);
  }
};
struct Sign : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // Zeros and NaN stay what they are.
    const auto positive = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), constant(d, 1.0), x);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), constant(d, -1.0), positive);
  }
};
struct Square : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
};
struct Clip : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return at_most(d, at_least(d, x, p), q);
  }
};
struct AddScalar : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Add(x, constant(d, p));
  }
};
struct MultiplyScalar : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, constant(d, p));
  }
};
struct SquareRoot : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Sqrt(x);
  }
};
struct InverseRoot : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(constant(d, 1.0), hn::Sqrt(x));
  }
};
struct Reciprocal : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Div(constant(d, 1.0), x);
  }
};
struct Floor : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Floor(x);
  }
};
struct Ceiling : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Ceil(x);
  }
};
struct Round : CheapUnary {
  using CheapUnary::CheapUnary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Round(x);
  }
};

struct CheapBinary {
  static constexpr bool kCheap = true;
  explicit CheapBinary(double) {}
};

struct Add : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Subtract : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Sub(a, b);
  }
};
struct Multiply : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Mul(a, b);
  }
};
struct Divide : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Div(a, b);
  }
};
// The instructions return the second operand if either is NaN, so only the first needs a look.
struct Maximum : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
  }
};
struct Minimum : CheapBinary {
  using CheapBinary::CheapBinary;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b));
  }
};

template <class T>
UnaryRow find_unary(Unary operation) {
  switch (operation) {
    case Unary::negative: return &unary_loop<T, Negative>;
    case Unary::absolute: return &unary_loop<T, Absolute>;
    case Unary::sign: return &unary_loop<T, Sign>;
    case Unary::square: return &unary_loop<T, Square>;
    case Unary::clip: return &unary_loop<T, Clip>;
    case Unary::add_scalar: return &unary_loop<T, AddScalar>;
    case Unary::multiply_scalar: return &unary_loop<T, MultiplyScalar>;
    case Unary::sqrt: return &unary_loop<T, SquareRoot>;
    case Unary::rsqrt: return &unary_loop<T, InverseRoot>;
    case Unary::reciprocal: return &unary_loop<T, Reciprocal>;
    case Unary::floor: return &unary_loop<T, Floor>;
    case Unary::ceil: return &unary_loop<T, Ceiling>;
    case Unary::round: return &unary_loop<T, Round>;
    default: return nullptr;
  }
}

template <class T>
BinaryRow find_binary(Binary operation) {
  switch (operation) {
    case Binary::add: return &binary_loop<T, Add>;
    case Binary::subtract: return &binary_loop<T, Subtract>;
    case Binary::multiply: return &binary_loop<T, Multiply>;
    case Binary::divide: return &binary_loop<T, Divide>;
    case Binary::maximum: return &binary_loop<T, Maximum>;
    case Binary::minimum: return &binary_loop<T, Minimum>;
    default: return nullptr;
  }
}

UnaryRow find_arithmetic_unary_here(Unary operation, DType type) {
  return detail::type_or_nothing(type, [&]<class T>(T) -> UnaryRow {
    if constexpr (std::is_floating_point_v<T>) return find_unary<T>(operation);
    if constexpr (std::is_same_v<T, std::int64_t>) return find_integer_unary(operation);
    return nullptr;
  });
}

BinaryRow find_arithmetic_binary_here(Binary operation, DType type) {
  return detail::type_or_nothing(type, [&]<class T>(T) -> BinaryRow {
    if constexpr (std::is_floating_point_v<T>) return find_binary<T>(operation);
    if constexpr (std::is_same_v<T, std::int64_t>) return find_integer_binary(operation);
    return nullptr;
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_arithmetic_unary_here);
HWY_EXPORT(find_arithmetic_binary_here);

UnaryRow find_arithmetic_unary(Unary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_arithmetic_unary_here)(operation, type);
}

BinaryRow find_arithmetic_binary(Binary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_arithmetic_binary_here)(operation, type);
}

}  // namespace likely::kernels
#endif
