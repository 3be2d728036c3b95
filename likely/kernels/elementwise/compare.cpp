#include "likely/kernels/elementwise/compare.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "likely/kernels/elementwise/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

using Byte = std::uint8_t;

// The lanes of a mask as bytes 0 and 1.
template <class D, class M>
HWY_INLINE hn::Vec<hn::Rebind<Byte, D>> bytes_of_mask(D d, M mask) {
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<Byte, D> bytes;
  const auto ones = hn::And(hn::BitCast(bits, hn::VecFromMask(d, mask)), hn::Set(bits, 1));
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return ones;
  } else {
    return hn::TruncateTo(bytes, ones);
  }
}

template <class T, class Op>
void compare_loop(const void* a_memory, const void* b_memory, void* out_memory, std::int64_t n, int a_step,
                  int b_step) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<Byte, hn::ScalableTag<T>> bytes;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = static_cast<std::size_t>(n);
  if (count == 0) return;
  const T* a = static_cast<const T*>(a_memory);
  const T* b = static_cast<const T*>(b_memory);
  Byte* out = static_cast<Byte*>(out_memory);
  HWY_ALIGN T a_splat[hn::MaxLanes(d)];
  HWY_ALIGN T b_splat[hn::MaxLanes(d)];
  if (a_step == 0) {
    hn::Store(hn::Set(d, *a), d, a_splat);
    a = a_splat;
  }
  if (b_step == 0) {
    hn::Store(hn::Set(d, *b), d, b_splat);
    b = b_splat;
  }
  const std::size_t a_lanes = a_step == 0 ? 0 : lanes;
  const std::size_t b_lanes = b_step == 0 ? 0 : lanes;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes, a += a_lanes, b += b_lanes) {
    hn::StoreU(bytes_of_mask(d, Op::of(hn::LoadU(d, a), hn::LoadU(d, b))), bytes, out + i);
  }
  if (i < count) {
    const std::size_t rest = count - i;
    const auto mask = Op::of(load_first(d, a, rest), load_first(d, b, rest));
    store_first(bytes_of_mask(d, mask), bytes, out + i, rest);
  }
}

struct Equal {
  template <class V>
  static HWY_INLINE auto of(V a, V b) {
    return hn::Eq(a, b);
  }
};
// Highway's Ne is false for NaN on some targets.
struct NotEqual {
  template <class V>
  static HWY_INLINE auto of(V a, V b) {
    return hn::Not(hn::Eq(a, b));
  }
};
struct Less {
  template <class V>
  static HWY_INLINE auto of(V a, V b) {
    return hn::Lt(a, b);
  }
};
// Highway 1.0 has Le only for floating point; whole numbers have no NaN, so the negation serves.
struct LessEqual {
  template <class V>
  static HWY_INLINE auto of(V a, V b) {
    if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
      return hn::Le(a, b);
    } else {
      return hn::Not(hn::Lt(b, a));
    }
  }
};

template <class T, class Op>
void compare_swapped(const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step) {
  compare_loop<T, Op>(b, a, out, n, b_step, a_step);
}

template <class T>
CompareRow find_compare(Compare operation) {
  switch (operation) {
    case Compare::equal: return &compare_loop<T, Equal>;
    case Compare::not_equal: return &compare_loop<T, NotEqual>;
    case Compare::less: return &compare_loop<T, Less>;
    case Compare::less_equal: return &compare_loop<T, LessEqual>;
    case Compare::greater: return &compare_swapped<T, Less>;
    case Compare::greater_equal: return &compare_swapped<T, LessEqual>;
  }
  return nullptr;
}

CompareRow find_compare_here(Compare operation, DType type) {
  return detail::type_or_nothing(type,
                                 [&]<class T>(T) { return find_compare<detail::stored_as<T>>(operation); });
}

struct ByteOperation {
  static constexpr bool kCheap = false;
  explicit ByteOperation(double) {}
};
struct BothBytes : ByteOperation {
  using ByteOperation::ByteOperation;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::And(a, b);
  }
};
struct EitherByte : ByteOperation {
  using ByteOperation::ByteOperation;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Or(a, b);
  }
};
struct OneByte : ByteOperation {
  using ByteOperation::ByteOperation;
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Xor(a, b);
  }
};

template <class Op>
void logical_loop(const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step) {
  binary_loop<Byte, Op>(a, b, out, n, a_step, b_step, 0.0);
}

CompareRow find_logical_here(Logical operation) {
  switch (operation) {
    case Logical::logical_and: return &logical_loop<BothBytes>;
    case Logical::logical_or: return &logical_loop<EitherByte>;
    case Logical::logical_xor: return &logical_loop<OneByte>;
  }
  return nullptr;
}

template <class T, class Op>
void test_loop(const void* x, void* out, std::int64_t n) {
  compare_loop<T, Op>(x, x, out, n, 1, 1);
}

struct Finite {
  template <class V>
  static HWY_INLINE auto of(V a, V) {
    return hn::Lt(hn::Abs(a), hn::Inf(hn::DFromV<V>()));
  }
};
struct NotANumber {
  template <class V>
  static HWY_INLINE auto of(V a, V) {
    return hn::IsNaN(a);
  }
};

CastRow find_test_here(bool finite, DType type) {
  return detail::floating_or_nothing(type, [&]<class T>(T) -> CastRow {
    return finite ? &test_loop<T, Finite> : &test_loop<T, NotANumber>;
  });
}

template <class T>
bool all_finite_loop(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kBlock = 4096;  // then a look whether to go on
  std::size_t i = 0;
  while (i < n) {
    const std::size_t end = std::min(n, i + kBlock);
    // 0 x is 0 for a finite x and NaN otherwise, and NaN stays.
    auto sum = hn::Zero(d);
    for (; i + lanes <= end; i += lanes) sum = hn::MulAdd(hn::LoadU(d, x + i), hn::Zero(d), sum);
    if (i < end) sum = hn::MulAdd(load_first(d, x + i, end - i), hn::Zero(d), sum);
    i = end;
    if (!hn::AllFalse(d, hn::IsNaN(sum))) return false;
  }
  return true;
}

bool all_finite_here(const void* x, std::int64_t n, DType type) {
  return detail::with_type("all_finite", type, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      return all_finite_loop(static_cast<const T*>(x), static_cast<std::size_t>(n));
    } else {
      return true;
    }
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_compare_here);
HWY_EXPORT(find_logical_here);
HWY_EXPORT(find_test_here);
HWY_EXPORT(all_finite_here);

namespace {

struct CompareTables {
  detail::TypeTable<CompareRow> compare[kCompareCount];
  CompareRow logical[kLogicalCount];
  detail::TypeTable<CastRow> finite;
  detail::TypeTable<CastRow> nan;

  CompareTables() {
    for (int i = 0; i < kCompareCount; ++i) {
      compare[i].fill([i](DType type) { return HWY_DYNAMIC_DISPATCH(find_compare_here)(Compare(i), type); });
    }
    finite.fill([](DType type) { return HWY_DYNAMIC_DISPATCH(find_test_here)(true, type); });
    nan.fill([](DType type) { return HWY_DYNAMIC_DISPATCH(find_test_here)(false, type); });
    for (int i = 0; i < kLogicalCount; ++i) logical[i] = HWY_DYNAMIC_DISPATCH(find_logical_here)(Logical(i));
  }
};

const CompareTables& tables() {
  static const CompareTables made;
  return made;
}

}  // namespace

CompareRow compare_row(Compare operation, DType type) {
  return tables().compare[static_cast<int>(operation)][type];
}

CompareRow logical_row(Logical operation) { return tables().logical[static_cast<int>(operation)]; }

void logical_not_row(const void* a, void* out, std::int64_t n) {
  const std::uint8_t one = 1;
  logical_row(Logical::logical_xor)(a, &one, out, n, 1, 0);
}

CastRow is_finite_row(DType type) { return tables().finite[type]; }
CastRow is_nan_row(DType type) { return tables().nan[type]; }

bool all_finite(const void* x, std::int64_t n, DType type) {
  return HWY_DYNAMIC_DISPATCH(all_finite_here)(x, n, type);
}

}  // namespace likely::kernels
#endif
