#include "likely/kernels/random/discrete.hpp"

#include <algorithm>
#include <utility>

#include "likely/kernels/random/fill.hpp"

namespace likely::kernels {

namespace {

__extension__ using Wide = unsigned __int128;

// floor(range u) for u = (high 2^64 + low) 2^-128.
std::uint64_t scaled(std::uint64_t low, std::uint64_t high, std::uint64_t range) {
  const auto carry = static_cast<std::uint64_t>((static_cast<Wide>(low) * range) >> 64);
  return static_cast<std::uint64_t>((static_cast<Wide>(high) * range + carry) >> 64);
}

std::uint64_t wide(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

}  // namespace

template <class T>
void fill_bernoulli(RandomKey key, double p, T* out, std::int64_t n) {
  if (p >= 1.0) {
    std::fill_n(out, n, T{1});
    return;
  }
  const auto threshold = static_cast<std::uint32_t>(std::min(p * 0x1p32, 0x1p32 - 1));
  fill_by_groups(key, out, n, 0.6, 1, [threshold](const std::uint32_t* words, std::int64_t count, T* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = words[i] < threshold ? T{1} : T{0};
  });
}

template void fill_bernoulli(RandomKey, double, float*, std::int64_t);
template void fill_bernoulli(RandomKey, double, double*, std::int64_t);
template void fill_bernoulli(RandomKey, double, std::int64_t*, std::int64_t);
template void fill_bernoulli(RandomKey, double, bool*, std::int64_t);

void fill_integers(RandomKey key, std::int64_t low, std::uint64_t range, std::int64_t* out, std::int64_t n) {
  fill_by_groups(
      key, out, n, 3.0, 4, [low, range](const std::uint32_t* words, std::int64_t count, std::int64_t* to) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::uint32_t* block = words + i / 16 * kPhiloxGroup + i % 16;
          const std::uint64_t offset = scaled(wide(block[0], block[16]), wide(block[32], block[48]), range);
          to[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
        }
      });
}

void fill_permutation(RandomKey key, std::int64_t* out, std::int64_t n) {
  constexpr std::int64_t kAtOnce = 32;
  alignas(64) std::uint32_t words[kPhiloxGroup];
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t lane = i % kAtOnce;
    if (lane == 0) philox_groups(key, i / kAtOnce, 1, words);
    // A word of 64 bits: the bias of any place is below n 2^-64.
    const Wide product =
        static_cast<Wide>(wide(words[2 * lane], words[2 * lane + 1])) * static_cast<std::uint64_t>(i + 1);
    const auto j = static_cast<std::int64_t>(product >> 64);
    if (j != i) out[i] = out[j];
    out[j] = i;
  }
}

}  // namespace likely::kernels
