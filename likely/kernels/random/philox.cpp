#include "likely/kernels/random/philox.hpp"

#include <type_traits>

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/philox.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<std::uint64_t, 8>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using V64 = hn::Vec<D64>;

struct RoundKeys {
  V64 k0[10], k1[10];
};

struct Counters {
  V64 c0, c1, c2, c3;
};

// high ^ word ^ key, where everything waits for `high`: the other two are put together while it is computed.
// The compiler would regroup them, and lose a tenth of the time.
HWY_INLINE V64 mix(V64 high, V64 word, V64 key) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Xor3(high, word, key);
#else
  V64 both = hn::Xor(word, key);
#if HWY_ARCH_X86
  __asm__("" : "+x"(both.raw));
#endif
  return hn::Xor(high, both);
#endif
}

// Ten rounds for one block in each 64-bit lane of several vectors, which go through each round together: one
// alone would leave the processor waiting for the round before. Only the low half of a lane counts: the
// multiplication reads nothing else, so the high halves may hold anything.
template <int kCount>
HWY_INLINE void ten_rounds(const RoundKeys& keys, Counters (&c)[kCount]) {
  const D64 d64;
  const D32 d32;
  const auto m0 = hn::Set(d32, 0xD2511F53u), m1 = hn::Set(d32, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    for (int k = 0; k < kCount; ++k) {
      const V64 p0 = hn::MulEven(hn::BitCast(d32, c[k].c0), m0);
      const V64 p1 = hn::MulEven(hn::BitCast(d32, c[k].c2), m1);
      // Swapping the halves instead of shifting keeps the multiplier's port free.
      const V64 high0 = hn::BitCast(d64, hn::Shuffle2301(hn::BitCast(d32, p0)));
      const V64 high1 = hn::BitCast(d64, hn::Shuffle2301(hn::BitCast(d32, p1)));
      c[k].c0 = mix(high1, c[k].c1, keys.k0[round]);
      c[k].c2 = mix(high0, c[k].c3, keys.k1[round]);
      c[k].c1 = p1;
      c[k].c3 = p0;
    }
  }
}

// The low halves of two vectors of 64-bit lanes as neighbours.
HWY_INLINE hn::Vec<D32> zip_low(V64 even, V64 odd) {
  const D32 d32;
  return hn::OddEven(hn::Shuffle2301(hn::BitCast(d32, odd)), hn::BitCast(d32, even));
}

void philox_groups_target(RandomKey key, std::int64_t first, std::int64_t count, std::uint32_t* out) {
  const D64 d64;
  const D32 d32;
  RoundKeys keys;
  auto k0 = static_cast<std::uint32_t>(key.key), k1 = static_cast<std::uint32_t>(key.key >> 32);
  for (int round = 0; round < 10; ++round) {
    keys.k0[round] = hn::Set(d64, k0);
    keys.k1[round] = hn::Set(d64, k1);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const V64 c2 = hn::Set(d64, key.stream), c3 = hn::Set(d64, key.stream >> 32);
  const auto twice_lane = hn::ShiftLeft<1>(hn::Iota(d64, 0));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d32));
  const auto make = [&](std::int64_t block, auto parts) HWY_ATTR {
    constexpr int kParts = decltype(parts)::value;
    Counters c[2 * kParts];
    for (int k = 0; k < 2 * kParts; ++k) {
      // The even blocks of a part and the odd ones.
      const auto first_block = static_cast<std::uint64_t>(block + k / 2 * lanes + k % 2);
      const V64 index = hn::Add(hn::Set(d64, first_block), twice_lane);
      c[k] = {index, hn::ShiftRight<32>(index), c2, c3};
    }
    ten_rounds(keys, c);
    for (int k = 0; k < kParts; ++k) {
      const Counters &a = c[2 * k], &b = c[2 * k + 1];
      const std::int64_t done = block + k * lanes - 16 * first;
      std::uint32_t* const at = out + done / 16 * kPhiloxGroup + done % 16;
      hn::StoreU(zip_low(a.c0, b.c0), d32, at);
      hn::StoreU(zip_low(a.c1, b.c1), d32, at + 16);
      hn::StoreU(zip_low(a.c2, b.c2), d32, at + 32);
      hn::StoreU(zip_low(a.c3, b.c3), d32, at + 48);
    }
  };
  const std::int64_t end = 16 * (first + count);
  std::int64_t block = 16 * first;
  // Four vectors of counters fit 32 registers; of 16, two are enough, and the processor looks ahead by
  // itself.
  constexpr int kParts = HWY_TARGET <= HWY_AVX3 ? 2 : 1;
  for (; block + kParts * lanes <= end; block += kParts * lanes) {
    make(block, std::integral_constant<int, kParts>());
  }
  for (; block < end; block += lanes) make(block, std::integral_constant<int, 1>());
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(philox_groups_target);

void philox_groups(RandomKey key, std::int64_t first, std::int64_t count, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(philox_groups_target)(key, first, count, out);
}

}  // namespace likely::kernels
#endif
