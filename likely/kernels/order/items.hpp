// Elements as integers: key order is the order asked for, with NaN last, and the position breaks ties.
// Internal to likely.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "likely/kernels/order/order.hpp"

namespace likely::kernels {

// For keys of 32 bits, key and position share one number: sorting numbers is then stable by itself.
template <class T>
inline constexpr bool kPacked = sizeof(T) <= 4;

struct WideItem {
  std::uint64_t key;
  std::uint64_t index;
  friend bool operator<(const WideItem& a, const WideItem& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

template <class T>
using Item = std::conditional_t<kPacked<T>, std::uint64_t, WideItem>;

template <class T>
using Key = std::conditional_t<kPacked<T>, std::uint32_t, std::uint64_t>;

template <class T>
Key<T> key_of(T value, Direction direction) {
  constexpr Key<T> top = Key<T>{1} << (sizeof(Key<T>) * 8 - 1);
  Key<T> key;
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return std::numeric_limits<Key<T>>::max();
    const Key<T> bits = std::bit_cast<Key<T>>(value + T{0});  // -0 becomes +0
    key = bits & top ? ~bits : bits | top;
  } else if constexpr (std::is_signed_v<T>) {
    key = static_cast<Key<T>>(value) ^ top;
  } else {
    key = value;
  }
  return direction == Direction::ascending ? key : static_cast<Key<T>>(~key);
}

template <class T>
Item<T> item_of(T value, std::uint64_t index, Direction direction) {
  if constexpr (kPacked<T>) {
    return static_cast<std::uint64_t>(key_of(value, direction)) << 32 | index;
  } else {
    return {key_of(value, direction), index};
  }
}

inline std::int64_t index_of(std::uint64_t item) { return static_cast<std::int64_t>(item & 0xffffffffu); }
inline std::int64_t index_of(const WideItem& item) { return static_cast<std::int64_t>(item.index); }

inline std::uint64_t key_bits(std::uint64_t item) { return item >> 32; }
inline std::uint64_t key_bits(const WideItem& item) { return item.key; }

}  // namespace likely::kernels
