// RandomWords: random bits one after the other, for loops that draw a few at a time. Internal to words/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "likely/kernels/random/philox.hpp"

namespace likely::words {

// The same as kernels::philox_word(key, 0), (key, 1), ...
class RandomWords {
 public:
  explicit RandomWords(kernels::RandomKey key) : key_(key) {}

  std::uint32_t next() {
    if (at_ == kAtOnce) fill();
    return words_[at_++];
  }
  std::uint64_t next_wide() {
    const std::uint64_t low = next();
    return low | (std::uint64_t{next()} << 32);
  }
  // 0 ... bound - 1.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32);
  }

 private:
  static constexpr std::int64_t kGroups = 16;
  static constexpr std::size_t kAtOnce = static_cast<std::size_t>(kGroups * kernels::kPhiloxGroup);

  void fill() {
    kernels::philox_groups(key_, group_, kGroups, words_.data());
    group_ += kGroups;
    at_ = 0;
  }

  kernels::RandomKey key_;
  std::int64_t group_ = 0;
  std::size_t at_ = kAtOnce;
  alignas(64) std::array<std::uint32_t, kAtOnce> words_{};
};

}  // namespace likely::words
