#include "likely/kernels/random/fill.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/uniform.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "likely/kernels/random/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {

void uniform_float(const std::uint32_t* words, std::int64_t n, float* out) {
  const WordsTag du;
  const FloatTag df;
  const hn::RebindToSigned<WordsTag> di;
  const auto scale = hn::Set(df, 0x1p-24f);
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(hn::Lanes(du))) {
    const auto k = hn::BitCast(di, hn::ShiftRight<8>(hn::Load(du, words + i)));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, k), scale), df, out + i);
  }
}

void uniform_open_float(const std::uint32_t* words, std::int64_t n, float* out) {
  const WordsTag du;
  const FloatTag df;
  const hn::RebindToSigned<WordsTag> di;
  const auto scale = hn::Set(df, 0x1p-24f);
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(hn::Lanes(du))) {
    const auto odd = hn::Or(hn::ShiftRight<8>(hn::Load(du, words + i)), hn::Set(du, 1u));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, hn::BitCast(di, odd)), scale), df, out + i);
  }
}

// Calls store(value, index) for the 64-bit numbers of n / 32 groups.
template <class Store>
HWY_INLINE void for_each_wide(const std::uint32_t* words, std::int64_t n, const Store& store) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(WidesTag()));
  for (std::int64_t half = 0; half < n; half += 16) {
    const std::uint32_t* from = words + 2 * half;
    for (std::int64_t lane = 0; lane < 16; lane += lanes) {
      store(load_wide(from + lane, from + 16 + lane), half + lane);
    }
  }
}

void bits_wide(const std::uint32_t* words, std::int64_t n, std::uint64_t* out) {
  for_each_wide(words, n, [&](auto bits, std::int64_t i) HWY_ATTR { hn::StoreU(bits, WidesTag(), out + i); });
}

void uniform_double(const std::uint32_t* words, std::int64_t n, double* out) {
  const DoubleTag df;
  const hn::RebindToSigned<DoubleTag> di;
  const auto scale = hn::Set(df, 0x1p-53);
  for_each_wide(words, n, [&](auto bits, std::int64_t i) HWY_ATTR {
    const auto k = hn::BitCast(di, hn::ShiftRight<11>(bits));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, k), scale), df, out + i);
  });
}

void uniform_open_double(const std::uint32_t* words, std::int64_t n, double* out) {
  const DoubleTag df;
  const hn::RebindToSigned<DoubleTag> di;
  const auto scale = hn::Set(df, 0x1p-53);
  for_each_wide(words, n, [&](auto bits, std::int64_t i) HWY_ATTR {
    const auto odd = hn::Or(hn::ShiftRight<11>(bits), hn::Set(WidesTag(), std::uint64_t{1}));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, hn::BitCast(di, odd)), scale), df, out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(uniform_float);
HWY_EXPORT(uniform_open_float);
HWY_EXPORT(bits_wide);
HWY_EXPORT(uniform_double);
HWY_EXPORT(uniform_open_double);

void fill_bits(RandomKey key, std::uint32_t* out, std::int64_t n) {
  fill_by_groups(key, out, n, 0.5, 1, [](const std::uint32_t* words, std::int64_t count, std::uint32_t* to) {
    std::memcpy(to, words, static_cast<std::size_t>(count) * sizeof *to);
  });
}

void fill_bits(RandomKey key, std::uint64_t* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.0, 2, HWY_DYNAMIC_DISPATCH(bits_wide));
}

void fill_uniform(RandomKey key, float* out, std::int64_t n) {
  fill_by_groups(key, out, n, 0.5, 1, HWY_DYNAMIC_DISPATCH(uniform_float));
}

void fill_uniform(RandomKey key, double* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.0, 2, HWY_DYNAMIC_DISPATCH(uniform_double));
}

void fill_uniform_open(RandomKey key, float* out, std::int64_t n) {
  fill_by_groups(key, out, n, 0.5, 1, HWY_DYNAMIC_DISPATCH(uniform_open_float));
}

void fill_uniform_open(RandomKey key, double* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.0, 2, HWY_DYNAMIC_DISPATCH(uniform_open_double));
}

}  // namespace likely::kernels
#endif
