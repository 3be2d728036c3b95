#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/dropout.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/vector_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

// The top 31 bits of a word for each lane of T, as whole numbers as wide as T.
template <class D>
HWY_INLINE auto load_top_bits(D d, const std::uint32_t* words) {
  const hn::RebindToSigned<D> wide;
  const hn::Rebind<std::uint32_t, D> narrow;
  (void)d;
  const auto top = hn::ShiftRight<1>(hn::LoadU(narrow, words));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::BitCast(wide, top);
  } else {
    return hn::PromoteTo(wide, hn::BitCast(hn::RebindToSigned<decltype(narrow)>(), top));
  }
}

// `words` has room for whole vectors beyond n.
template <class T>
void dropout_range(const std::uint32_t* words, std::int64_t kept_below, T scale, const T* x, T* y,
                   std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const hn::RebindToSigned<D> di;
  const auto bound = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(kept_below));
  const auto factor = hn::Set(d, scale);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> v[access.kCount];
    access.load(x + i, v);
    for (int k = 0; k < access.kCount; ++k) {
      const auto kept = hn::RebindMask(d, hn::Lt(load_top_bits(d, words + i + k * lanes), bound));
      v[k] = hn::IfThenElseZero(kept, hn::Mul(v[k], factor));
    }
    access.store(v, y + i);
  });
}

void dropout_f32(const std::uint32_t* words, std::int64_t kept_below, float scale, const float* x, float* y,
                 std::int64_t n) {
  dropout_range(words, kept_below, scale, x, y, n);
}
void dropout_f64(const std::uint32_t* words, std::int64_t kept_below, double scale, const double* x,
                 double* y, std::int64_t n) {
  dropout_range(words, kept_below, scale, x, y, n);
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

HWY_EXPORT(dropout_f32);
HWY_EXPORT(dropout_f64);

template <class T, class Range>
void dropout_all(RandomKey key, double p, const T* x, T* y, std::int64_t n, const Range& range) {
  // p = 0 is set apart: the largest of 2^31 numbers would not be below 2^31 - 1.
  const auto kept_below = static_cast<std::int64_t>(std::min((1 - p) * 0x1p31, 0x1p31 - 1));
  const T scale = p < 1 ? static_cast<T>(1 / (1 - p)) : T{0};
  constexpr std::int64_t kGroups = 4, kPiece = kGroups * kPhiloxGroup, kTile = 64 * kPiece;
  if (p == 0) {
    if (x != y) std::copy_n(x, n, y);
    return;
  }
  parallel_tiles((n + kTile - 1) / kTile, 0.7 * static_cast<double>(n), [&](std::int64_t tile) {
    alignas(64) std::uint32_t words[kPiece + 16];
    const std::int64_t end = std::min(n, (tile + 1) * kTile);
    for (std::int64_t begin = tile * kTile; begin < end; begin += kPiece) {
      philox_groups(key, begin / kPhiloxGroup, kGroups, words);
      range(words, kept_below, scale, x + begin, y + begin, std::min(kPiece, end - begin));
    }
  });
}

}  // namespace

void dropout(RandomKey key, double p, const float* x, float* y, std::int64_t n) {
  dropout_all(key, p, x, y, n, HWY_DYNAMIC_DISPATCH(dropout_f32));
}
void dropout(RandomKey key, double p, const double* x, double* y, std::int64_t n) {
  dropout_all(key, p, x, y, n, HWY_DYNAMIC_DISPATCH(dropout_f64));
}

}  // namespace likely::kernels
#endif
