#include "likely/kernels/philox.hpp"

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/philox.cpp"
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

// Ten rounds for one block in each 64-bit lane. Only the low half of a lane counts: the multiplication reads
// nothing else, so the high halves may hold anything.
HWY_INLINE Counters ten_rounds(const RoundKeys& keys, Counters c) {
  const D64 d64;
  const D32 d32;
  const auto m0 = hn::Set(d32, 0xD2511F53u), m1 = hn::Set(d32, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    const V64 p0 = hn::MulEven(hn::BitCast(d32, c.c0), m0);
    const V64 p1 = hn::MulEven(hn::BitCast(d32, c.c2), m1);
    // Swapping the halves instead of shifting keeps the multiplier's port free.
    const V64 high0 = hn::BitCast(d64, hn::Shuffle2301(hn::BitCast(d32, p0)));
    const V64 high1 = hn::BitCast(d64, hn::Shuffle2301(hn::BitCast(d32, p1)));
    c.c0 = hn::Xor3(high1, c.c1, keys.k0[round]);
    c.c2 = hn::Xor3(high0, c.c3, keys.k1[round]);
    c.c1 = p1;
    c.c3 = p0;
  }
  return c;
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
  for (std::int64_t group = 0; group < count; ++group) {
    for (std::int64_t part = 0; part < 16; part += lanes) {
      const auto base = static_cast<std::uint64_t>(16 * (first + group) + part);
      const V64 even = hn::Add(hn::Set(d64, base), twice_lane);
      const V64 odd = hn::Add(hn::Set(d64, base + 1), twice_lane);
      const Counters a = ten_rounds(keys, {even, hn::ShiftRight<32>(even), c2, c3});
      const Counters b = ten_rounds(keys, {odd, hn::ShiftRight<32>(odd), c2, c3});
      std::uint32_t* to = out + kPhiloxGroup * group + part;
      hn::StoreU(zip_low(a.c0, b.c0), d32, to);
      hn::StoreU(zip_low(a.c1, b.c1), d32, to + 16);
      hn::StoreU(zip_low(a.c2, b.c2), d32, to + 32);
      hn::StoreU(zip_low(a.c3, b.c3), d32, to + 48);
    }
  }
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
