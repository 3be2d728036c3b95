// How a fill is cut: groups of generator words are made in a small buffer and turned into numbers there.
// Internal to likely.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "likely/core/threads.hpp"
#include "likely/kernels/random/philox.hpp"

namespace likely::kernels {

// Calls transform(words, numbers, out) for the words of consecutive whole groups, where numbers is how many
// elements they make, each from `words_each` words.
// The last group may be needed only in part: it is made whole in a buffer and copied.
template <class T, class Transform>
void fill_by_groups(RandomKey key, T* out, std::int64_t n, double nanoseconds_each, int words_each,
                    const Transform& transform) {
  // Few at a time: the stores of one round then drain while the next round computes.
  constexpr std::int64_t kGroupsAtOnce = 4;
  const std::int64_t each_group = kPhiloxGroup / words_each;
  const std::int64_t tile_size = 64 * kGroupsAtOnce * each_group;
  const std::int64_t tiles = (n + tile_size - 1) / tile_size;
  parallel_tiles(tiles, nanoseconds_each * static_cast<double>(n), [&](std::int64_t tile) {
    alignas(64) std::uint32_t words[kGroupsAtOnce * kPhiloxGroup];
    const std::int64_t end = std::min(n, (tile + 1) * tile_size);
    for (std::int64_t begin = tile * tile_size; begin < end;) {
      const std::int64_t left = end - begin;
      const std::int64_t groups = std::min((left + each_group - 1) / each_group, kGroupsAtOnce);
      const std::int64_t whole = std::min(left / each_group, groups);
      philox_groups(key, begin / each_group, groups, words);
      if (whole > 0) transform(words, whole * each_group, out + begin);
      begin += whole * each_group;
      if (whole < groups) {
        alignas(64) T last[kPhiloxGroup];
        transform(words + whole * kPhiloxGroup, each_group, last);
        std::memcpy(out + begin, last, static_cast<std::size_t>(end - begin) * sizeof(T));
        begin = end;
      }
    }
  });
}

}  // namespace likely::kernels
