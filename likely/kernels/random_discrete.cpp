#include "likely/kernels/random_discrete.hpp"

#include <algorithm>
#include <utility>

#include "likely/kernels/random_fill.hpp"

namespace likely::kernels {

namespace {

__extension__ using Wide = unsigned __int128;

// floor(range u) for u = (high 2^64 + low) 2^-128.
std::uint64_t scaled(std::uint64_t low, std::uint64_t high, std::uint64_t range) {
  const auto carry = static_cast<std::uint64_t>((static_cast<Wide>(low) * range) >> 64);
  return static_cast<std::uint64_t>((static_cast<Wide>(high) * range + carry) >> 64);
}

std::uint64_t wide(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

// A word lies below it with probability p < 1.
std::uint32_t threshold_of(double p) { return static_cast<std::uint32_t>(std::min(p * 0x1p32, 0x1p32 - 1)); }

// Calls body(words, begin, count) with the generator's words for elements [begin, begin + count).
template <class Body>
void for_words(RandomKey key, std::int64_t n, const Body& body) {
  constexpr std::int64_t kAtOnce = 4 * kPhiloxGroup;
  constexpr std::int64_t kTile = 16 * kAtOnce;
  parallel_tiles((n + kTile - 1) / kTile, 0.8 * static_cast<double>(n), [&](std::int64_t tile) {
    alignas(64) std::uint32_t words[kAtOnce];
    const std::int64_t end = std::min(n, (tile + 1) * kTile);
    for (std::int64_t begin = tile * kTile; begin < end; begin += kAtOnce) {
      philox_groups(key, begin / kPhiloxGroup, 4, words);
      body(words, begin, std::min(kAtOnce, end - begin));
    }
  });
}

}  // namespace

template <class T>
void fill_bernoulli(RandomKey key, double p, T* out, std::int64_t n) {
  if (p >= 1.0) {
    std::fill_n(out, n, T{1});
    return;
  }
  const std::uint32_t threshold = threshold_of(p);
  fill_by_groups(key, out, n, 0.6, 1, [threshold](const std::uint32_t* words, std::int64_t count, T* to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = words[i] < threshold ? T{1} : T{0};
  });
}

template <class T>
void fill_bernoulli(RandomKey key, const T* p, T* out, std::int64_t n) {
  for_words(key, n, [=](const std::uint32_t* words, std::int64_t begin, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      // The top bits alone in float: a word rounded to 2^32 would deny a probability of 1.
      const T u = sizeof(T) == 4 ? static_cast<T>(static_cast<std::int32_t>(words[i] >> 8)) * T(0x1p-24)
                                 : static_cast<T>(words[i]) * T(0x1p-32);
      out[begin + i] = u < p[begin + i] ? T{1} : T{0};
    }
  });
}

template <class T>
void keep_some(RandomKey key, double p, const T* x, T* out, std::int64_t n) {
  const std::uint32_t threshold = threshold_of(p);
  const T scale = static_cast<T>(1.0 / p);
  for_words(key, n, [=](const std::uint32_t* words, std::int64_t begin, std::int64_t count) {
    const T* from = x + begin;
    T* to = out + begin;
    for (std::int64_t i = 0; i < count; ++i) to[i] = words[i] < threshold ? from[i] * scale : T{0};
  });
}

template void fill_bernoulli(RandomKey, double, float*, std::int64_t);
template void fill_bernoulli(RandomKey, double, double*, std::int64_t);
template void fill_bernoulli(RandomKey, double, std::int64_t*, std::int64_t);
template void fill_bernoulli(RandomKey, double, bool*, std::int64_t);
template void fill_bernoulli(RandomKey, const float*, float*, std::int64_t);
template void fill_bernoulli(RandomKey, const double*, double*, std::int64_t);
template void keep_some(RandomKey, double, const float*, float*, std::int64_t);
template void keep_some(RandomKey, double, const double*, double*, std::int64_t);

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
