#include "likely/kernels/random/philox.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <vector>

namespace likely::kernels {
namespace {

r123::Philox4x32::ctr_type reference_block(RandomKey key, std::uint64_t index) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const r123::Philox4x32::ctr_type counter = {
      {low(index), low(index >> 32), low(key.stream), low(key.stream >> 32)}};
  const r123::Philox4x32::key_type reference_key = {{low(key.key), low(key.key >> 32)}};
  return r123::Philox4x32()(counter, reference_key);
}

TEST(Philox, BlocksAreThoseOfRandom123) {
  const RandomKey keys[] = {{}, {1, 0}, {0x0123456789abcdef, 0xfedcba9876543210}, {~0ull, ~0ull}};
  for (const RandomKey key : keys) {
    for (const std::uint64_t index : {0ull, 1ull, 0xffffffffull, 0x100000000ull, ~0ull}) {
      const auto expected = reference_block(key, index);
      const PhiloxBlock block = philox_block(key, index);
      for (std::size_t word = 0; word < 4; ++word) EXPECT_EQ(block[word], expected[word]);
    }
  }
}

TEST(Philox, GroupsHoldTheWordsOfSixteenBlocksWordByWord) {
  const RandomKey key{0x0123456789abcdef, 0xfedcba9876543210};
  // The groups lie on both sides of the 32-bit border of the block index.
  const std::int64_t first = (std::int64_t{1} << 28) - 3, count = 7;
  std::vector<std::uint32_t> words(64 * count);
  philox_groups(key, first, count, words.data());
  for (std::int64_t i = 0; i < 64 * count; ++i) {
    const auto number = static_cast<std::uint64_t>(64 * first + i);
    const auto expected = reference_block(key, number / 64 * 16 + number % 16)[number / 16 % 4];
    ASSERT_EQ(words[static_cast<std::size_t>(i)], expected) << i;
    ASSERT_EQ(philox_word(key, number), expected) << i;
  }
}

}  // namespace
}  // namespace likely::kernels
