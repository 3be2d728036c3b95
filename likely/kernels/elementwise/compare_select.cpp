// where and casts.
#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/compare_select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "likely/kernels/elementwise/compare.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

using Byte = std::uint8_t;

template <class D>
HWY_INLINE hn::Mask<D> mask_of_bytes(D d, hn::Vec<hn::Rebind<Byte, D>> bytes) {
  const hn::RebindToUnsigned<D> bits;
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::Ne(bytes, hn::Zero(d));
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(bits, bytes), hn::Zero(bits)));
  } else {
    const hn::Rebind<std::uint32_t, D> middle;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(bits, hn::PromoteTo(middle, bytes)), hn::Zero(bits)));
  }
}

template <class T>
void where_loop(const void* condition_memory, const void* a_memory, const void* b_memory, void* out_memory,
                std::int64_t n, int condition_step, int a_step, int b_step) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<Byte, hn::ScalableTag<T>> bytes;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = static_cast<std::size_t>(n);
  if (count == 0) return;
  const Byte* condition = static_cast<const Byte*>(condition_memory);
  const T* a = static_cast<const T*>(a_memory);
  const T* b = static_cast<const T*>(b_memory);
  T* out = static_cast<T*>(out_memory);
  HWY_ALIGN Byte condition_splat[hn::MaxLanes(bytes)];
  HWY_ALIGN T a_splat[hn::MaxLanes(d)];
  HWY_ALIGN T b_splat[hn::MaxLanes(d)];
  if (condition_step == 0) {
    hn::Store(hn::Set(bytes, *condition), bytes, condition_splat);
    condition = condition_splat;
  }
  if (a_step == 0) {
    hn::Store(hn::Set(d, *a), d, a_splat);
    a = a_splat;
  }
  if (b_step == 0) {
    hn::Store(hn::Set(d, *b), d, b_splat);
    b = b_splat;
  }
  const std::size_t condition_lanes = condition_step == 0 ? 0 : lanes;
  const std::size_t a_lanes = a_step == 0 ? 0 : lanes;
  const std::size_t b_lanes = b_step == 0 ? 0 : lanes;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto mask = mask_of_bytes(d, hn::LoadU(bytes, condition));
    hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, a), hn::LoadU(d, b)), d, out + i);
    condition += condition_lanes;
    a += a_lanes;
    b += b_lanes;
  }
  if (i < count) {
    const std::size_t rest = count - i;
    const auto mask = mask_of_bytes(d, load_first(bytes, condition, rest));
    store_first(hn::IfThenElse(mask, load_first(d, a, rest), load_first(d, b, rest)), d, out + i, rest);
  }
}

WhereRow find_where_here(DType type) {
  return detail::type_or_nothing(type,
                                 []<class T>(T) -> WhereRow { return &where_loop<detail::stored_as<T>>; });
}

// Conversions are exact or correctly rounded, so the compiler may vectorise them as it likes.
template <class From, class To>
void cast_loop(const void* x_memory, void* y_memory, std::int64_t n) {
  const From* x = static_cast<const From*>(x_memory);
  To* y = static_cast<To*>(y_memory);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<To, Byte>) {
      y[i] = x[i] != From{0} ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      // 2^63, the first value too large.
      constexpr From kEnd = static_cast<From>(9223372036854775808.0);
      const From value = x[i];
      if (value >= kEnd) {
        y[i] = std::numeric_limits<To>::max();
      } else if (value < -kEnd) {
        y[i] = std::numeric_limits<To>::min();
      } else {
        y[i] = value == value ? static_cast<To>(value) : To{0};
      }
    } else {
      y[i] = static_cast<To>(x[i]);
    }
  }
}

template <class From>
CastRow find_cast(DType to) {
  return detail::type_or_nothing(
      to, []<class To>(To) -> CastRow { return &cast_loop<From, detail::stored_as<To>>; });
}

CastRow find_cast_here(DType from, DType to) {
  return detail::type_or_nothing(from,
                                 [&]<class From>(From) { return find_cast<detail::stored_as<From>>(to); });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_where_here);
HWY_EXPORT(find_cast_here);

namespace {

struct SelectTables {
  detail::TypeTable<WhereRow> where;
  detail::TypeTable<detail::TypeTable<CastRow>> cast;  // from, to

  SelectTables() {
    where.fill([](DType type) { return HWY_DYNAMIC_DISPATCH(find_where_here)(type); });
    cast.fill([](DType from) {
      detail::TypeTable<CastRow> rows;
      rows.fill([from](DType to) { return HWY_DYNAMIC_DISPATCH(find_cast_here)(from, to); });
      return rows;
    });
  }
};

const SelectTables& tables() {
  static const SelectTables made;
  return made;
}

}  // namespace

WhereRow where_row(DType type) { return tables().where[type]; }

CastRow cast_row(DType from, DType to) { return tables().cast[from][to]; }

}  // namespace likely::kernels
#endif
