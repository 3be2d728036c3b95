#include "likely/kernels/random/fill.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/exponential.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "likely/kernels/random/log-inl.hpp"
#include "likely/kernels/random/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {

// -log(1 - v) for v = (k + 1/2) 2^-31. A float near 1 has too few digits for the small results, which decide
// the largest Gumbel numbers; there the polynomial takes -v itself.
template <class V>
HWY_INLINE hn::Vec<FloatTag> exponential_of_word(V word) {
  const FloatTag df;
  const WordsTag du;
  const hn::RebindToSigned<WordsTag> di;
  const auto k = hn::ShiftRight<1>(word);
  const auto scale = hn::Set(df, 0x1p-31f);
  const auto half = hn::Set(df, 0x1p-32f);
  const auto v = hn::MulAdd(hn::ConvertTo(df, hn::BitCast(di, k)), scale, half);
  const auto opposite = hn::Sub(hn::Set(du, 0x7fffffffu), k);
  const auto u = hn::MulAdd(hn::ConvertTo(df, hn::BitCast(di, opposite)), scale, half);
  const auto parts = log_parts(df, u);
  const auto small = hn::Lt(v, hn::Set(df, 0.25f));
  const auto e = hn::IfThenZeroElse(small, parts.e);
  const auto f = hn::IfThenElse(small, hn::Neg(v), parts.f);
  return hn::Neg(log_of_parts(df, e, f));
}

void exponential_float(const std::uint32_t* words, std::int64_t n, float* out) {
  const WordsTag du;
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(hn::Lanes(du))) {
    hn::StoreU(exponential_of_word(hn::Load(du, words + i)), FloatTag(), out + i);
  }
}

void gumbel_float(const std::uint32_t* words, std::int64_t n, float* out) {
  const WordsTag du;
  const FloatTag df;
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(hn::Lanes(du))) {
    const auto exponential = exponential_of_word(hn::Load(du, words + i));
    hn::StoreU(hn::Neg(log_normal_range(df, exponential)), df, out + i);
  }
}

// -log u for the odd multiples u of 2^-53, handed to store(value, index).
template <class Store>
HWY_INLINE void for_each_exponential(const std::uint32_t* words, std::int64_t n, const Store& store) {
  const DoubleTag df;
  const hn::RebindToSigned<DoubleTag> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  for (std::int64_t half = 0; half < n; half += 16) {
    const std::uint32_t* from = words + 2 * half;
    for (std::int64_t lane = 0; lane < 16; lane += lanes) {
      const auto bits = load_wide(from + lane, from + 16 + lane);
      const auto odd = hn::Or(hn::ShiftRight<11>(bits), hn::Set(WidesTag(), std::uint64_t{1}));
      const auto u = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, odd)), hn::Set(df, 0x1p-53));
      store(hn::Neg(hn::Log(df, u)), half + lane);
    }
  }
}

void exponential_double(const std::uint32_t* words, std::int64_t n, double* out) {
  for_each_exponential(words, n,
                       [&](auto x, std::int64_t i) HWY_ATTR { hn::StoreU(x, DoubleTag(), out + i); });
}

void gumbel_double(const std::uint32_t* words, std::int64_t n, double* out) {
  const DoubleTag df;
  for_each_exponential(
      words, n, [&](auto x, std::int64_t i) HWY_ATTR { hn::StoreU(hn::Neg(hn::Log(df, x)), df, out + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(exponential_float);
HWY_EXPORT(gumbel_float);
HWY_EXPORT(exponential_double);
HWY_EXPORT(gumbel_double);

void fill_exponential(RandomKey key, float* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.0, 1, HWY_DYNAMIC_DISPATCH(exponential_float));
}

void fill_exponential(RandomKey key, double* out, std::int64_t n) {
  fill_by_groups(key, out, n, 3.0, 2, HWY_DYNAMIC_DISPATCH(exponential_double));
}

void fill_gumbel(RandomKey key, float* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.5, 1, HWY_DYNAMIC_DISPATCH(gumbel_float));
}

void fill_gumbel(RandomKey key, double* out, std::int64_t n) {
  fill_by_groups(key, out, n, 5.0, 2, HWY_DYNAMIC_DISPATCH(gumbel_double));
}

}  // namespace likely::kernels
#endif
