// Philox4x32-10, the counter-based generator of Salmon et al. (2011): a block of four random words is a pure
// function of a key and a counter, so any element of a fill can be computed at any time by any thread.
#pragma once

#include <array>
#include <cstdint>

namespace likely::kernels {

// Where random numbers come from. Two fills with different keys or different streams are independent; two
// fills with the same key and stream give the same numbers.
struct RandomKey {
  std::uint64_t key = 0;
  std::uint64_t stream = 0;
};

using PhiloxBlock = std::array<std::uint32_t, 4>;

// The block of four words number `index`: the counter is (index, stream), low words first.
constexpr PhiloxBlock philox_block(RandomKey key, std::uint64_t index) {
  auto c0 = static_cast<std::uint32_t>(index), c1 = static_cast<std::uint32_t>(index >> 32);
  auto c2 = static_cast<std::uint32_t>(key.stream), c3 = static_cast<std::uint32_t>(key.stream >> 32);
  auto k0 = static_cast<std::uint32_t>(key.key), k1 = static_cast<std::uint32_t>(key.key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

// A fill is made of groups of 16 blocks, word by word: word w of block 16 g + l is number 64 g + 16 w + l.
// That order is the one vectors of any width compute without shuffling.
inline constexpr std::int64_t kPhiloxGroup = 64;

// Word number `i` of a fill.
constexpr std::uint32_t philox_word(RandomKey key, std::uint64_t i) {
  return philox_block(key, i / 64 * 16 + i % 16)[i / 16 % 4];
}

// Writes the words of groups [first, first + count) to out[0, 64 count), on the calling thread.
void philox_groups(RandomKey key, std::int64_t first, std::int64_t count, std::uint32_t* out);

}  // namespace likely::kernels
