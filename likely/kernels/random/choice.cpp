#include <algorithm>
#include <atomic>

#include "likely/kernels/random/discrete.hpp"
#include "likely/kernels/random/fill.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/choice.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "likely/kernels/random/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {

// Uniform on [0, 1) from as many words as fit: 24 bits in float, 31 in double.
HWY_INLINE hn::Vec<FloatTag> uniform_of_words(FloatTag d, const std::uint32_t* words) {
  const hn::RebindToSigned<FloatTag> di;
  const auto bits = hn::ShiftRight<8>(hn::LoadU(WordsTag(), words));
  return hn::Mul(hn::ConvertTo(d, hn::BitCast(di, bits)), hn::Set(d, 0x1p-24f));
}

HWY_INLINE hn::Vec<DoubleTag> uniform_of_words(DoubleTag d, const std::uint32_t* words) {
  const hn::Rebind<std::uint32_t, DoubleTag> du;
  const hn::RebindToSigned<decltype(du)> di;
  const auto bits = hn::ShiftRight<1>(hn::LoadU(du, words));
  return hn::Mul(hn::PromoteTo(d, hn::BitCast(di, bits)), hn::Set(d, 0x1p-31));
}

// Calls body(i) for whole vectors of [0, n) and then once on padded copies of what is left, so that every
// element is computed alike.
template <class D, class T, class Body>
HWY_INLINE void for_padded(D d, const T* x, T* out, std::int64_t n, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(i, x + i, out + i);
  if (i == n) return;
  HWY_ALIGN T last[16] = {};
  std::copy_n(x + i, n - i, last);
  body(i, last, last);
  std::copy_n(last, n - i, out + i);
}

// Whether all probabilities lie in [0, 1].
template <class D, class T>
HWY_INLINE bool choose(D d, const std::uint32_t* words, const T* p, T* out, std::int64_t n) {
  const auto one = hn::Set(d, T{1});
  auto good = hn::Eq(one, one);
  for_padded(d, p, out, n, [&](std::int64_t i, const T* from, T* to) HWY_ATTR {
    const auto v = hn::LoadU(d, from);
    good = hn::And(good, hn::And(hn::Ge(v, hn::Zero(d)), hn::Le(v, one)));
    hn::StoreU(hn::IfThenElseZero(hn::Lt(uniform_of_words(d, words + i), v), one), d, to);
  });
  return hn::AllTrue(d, good);
}

template <class D, class T>
HWY_INLINE void keep(D d, const std::uint32_t* words, T p, const T* x, T* out, std::int64_t n) {
  const auto limit = hn::Set(d, p);
  const auto scale = hn::Set(d, T{1} / p);
  for_padded(d, x, out, n, [&](std::int64_t i, const T* from, T* to) HWY_ATTR {
    const auto kept = hn::Lt(uniform_of_words(d, words + i), limit);
    hn::StoreU(hn::IfThenElseZero(kept, hn::Mul(hn::LoadU(d, from), scale)), d, to);
  });
}

bool choose_float(const std::uint32_t* words, const float* p, float* out, std::int64_t n) {
  return choose(FloatTag(), words, p, out, n);
}
bool choose_double(const std::uint32_t* words, const double* p, double* out, std::int64_t n) {
  return choose(DoubleTag(), words, p, out, n);
}
void keep_float(const std::uint32_t* words, float p, const float* x, float* out, std::int64_t n) {
  keep(FloatTag(), words, p, x, out, n);
}
void keep_double(const std::uint32_t* words, double p, const double* x, double* out, std::int64_t n) {
  keep(DoubleTag(), words, p, x, out, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(choose_float);
HWY_EXPORT(choose_double);
HWY_EXPORT(keep_float);
HWY_EXPORT(keep_double);

namespace {

// Calls body(words, begin, count) with the generator's words for elements [begin, begin + count).
template <class Body>
void for_words(RandomKey key, std::int64_t n, const Body& body) {
  constexpr std::int64_t kAtOnce = 4 * kPhiloxGroup;
  constexpr std::int64_t kTile = 64 * kAtOnce;
  parallel_tiles((n + kTile - 1) / kTile, 0.6 * static_cast<double>(n), [&](std::int64_t tile) {
    alignas(64) std::uint32_t words[kAtOnce];
    const std::int64_t end = std::min(n, (tile + 1) * kTile);
    for (std::int64_t begin = tile * kTile; begin < end; begin += kAtOnce) {
      philox_groups(key, begin / kPhiloxGroup, 4, words);
      body(words, begin, std::min(kAtOnce, end - begin));
    }
  });
}

template <class T, class Kernel>
bool choose_all(RandomKey key, const T* p, T* out, std::int64_t n, Kernel kernel) {
  std::atomic<bool> good{true};
  for_words(key, n, [&](const std::uint32_t* words, std::int64_t begin, std::int64_t count) {
    if (!kernel(words, p + begin, out + begin, count)) good.store(false, std::memory_order_relaxed);
  });
  return good.load();
}

}  // namespace

bool fill_bernoulli(RandomKey key, const float* p, float* out, std::int64_t n) {
  return choose_all(key, p, out, n, HWY_DYNAMIC_DISPATCH(choose_float));
}
bool fill_bernoulli(RandomKey key, const double* p, double* out, std::int64_t n) {
  return choose_all(key, p, out, n, HWY_DYNAMIC_DISPATCH(choose_double));
}

void keep_some(RandomKey key, double p, const float* x, float* out, std::int64_t n) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(keep_float);
  for_words(key, n, [&](const std::uint32_t* words, std::int64_t begin, std::int64_t count) {
    kernel(words, static_cast<float>(p), x + begin, out + begin, count);
  });
}
void keep_some(RandomKey key, double p, const double* x, double* out, std::int64_t n) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(keep_double);
  for_words(key, n, [&](const std::uint32_t* words, std::int64_t begin, std::int64_t count) {
    kernel(words, p, x + begin, out + begin, count);
  });
}

}  // namespace likely::kernels
#endif
