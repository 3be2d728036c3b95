#include "likely/io/element.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/core/threads.hpp"

namespace likely::io {

namespace {

struct Half {
  std::uint16_t bits;
};
struct BrainHalf {
  std::uint16_t bits;
};

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
float widen(Half half) {
  const std::uint32_t sign = std::uint32_t{half.bits & 0x8000U} << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1FU;
  const std::uint32_t fraction = half.bits & 0x3FFU;
  if (exponent == 0) {  // 0 and subnormal numbers: fraction * 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
  }
  const std::uint32_t wide = exponent == 31 ? 255U : exponent + 112U;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// The upper half of an f32.
float widen(BrainHalf half) { return std::bit_cast<float>(std::uint32_t{half.bits} << 16); }

template <class From>
From load(const char* from, bool swap) {
  char bytes[sizeof(From)];
  std::memcpy(bytes, from, sizeof(From));
  if (swap) std::reverse(bytes, bytes + sizeof(From));
  From value;
  std::memcpy(&value, bytes, sizeof(From));
  return value;
}

template <class From, class To>
To cast(From value) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BrainHalf>) {
    return cast<float, To>(widen(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // What does not fit has no conversion: the nearest there is.
    if (value != value) return 0;
    if (value >= static_cast<From>(0x1p63)) return std::numeric_limits<To>::max();
    if (value < static_cast<From>(-0x1p63)) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void convert_all(const char* from, bool swap, std::int64_t count, To* to) {
  constexpr std::int64_t kTile = 1 << 15;
  parallel_tiles((count + kTile - 1) / kTile, 0.5 * static_cast<double>(count), [&](std::int64_t tile) {
    const std::int64_t end = std::min(count, (tile + 1) * kTile);
    for (std::int64_t i = tile * kTile; i < end; ++i) {
      to[i] = cast<From, To>(load<From>(from + i * static_cast<std::int64_t>(sizeof(From)), swap));
    }
  });
}

template <class From>
void convert_from(const char* from, bool big_endian, std::int64_t count, DType to_type, void* to) {
  const bool swap = big_endian && sizeof(From) > 1;
  likely::detail::with_type(
      "load", to_type, [&]<class To>(To) { convert_all<From>(from, swap, count, static_cast<To*>(to)); });
}

}  // namespace

std::size_t size_of(Element element) {
  switch (element) {
    case Element::boolean:
    case Element::u8:
    case Element::i8: return 1;
    case Element::u16:
    case Element::i16:
    case Element::f16:
    case Element::bf16: return 2;
    case Element::u32:
    case Element::i32:
    case Element::f32: return 4;
    case Element::u64:
    case Element::i64:
    case Element::f64: return 8;
  }
  return 0;
}

DType dtype_of(Element element) {
  switch (element) {
    case Element::boolean: return DType::boolean;
    case Element::f16:
    case Element::bf16:
    case Element::f32: return DType::f32;
    case Element::f64: return DType::f64;
    default: return DType::i64;
  }
}

std::int64_t bytes_of(const Shape& shape, Element element) {
  // Elements of 8 bytes, which any may become, can then still be numbered byte by byte.
  constexpr std::int64_t kMostElements = std::int64_t{1} << 59;
  std::int64_t elements = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    empty = empty || size == 0;
    // A size of 0 makes the product 0 only in the end: the others must be possible, too.
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements) ||
        elements > kMostElements)
      return -1;
  }
  return empty ? 0 : elements * static_cast<std::int64_t>(size_of(element));
}

void convert(Element from_type, bool big_endian, const void* from, std::int64_t count, DType to_type,
             void* to) {
  const auto* bytes = static_cast<const char*>(from);
  const bool plain = dtype_of(from_type) == to_type && size_of(from_type) == likely::size_of(to_type);
  if (plain && !big_endian && to_type != DType::boolean) {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * size_of(from_type));
    return;
  }
  switch (from_type) {
    case Element::boolean:
    case Element::u8: convert_from<std::uint8_t>(bytes, big_endian, count, to_type, to); return;
    case Element::i8: convert_from<std::int8_t>(bytes, big_endian, count, to_type, to); return;
    case Element::u16: convert_from<std::uint16_t>(bytes, big_endian, count, to_type, to); return;
    case Element::i16: convert_from<std::int16_t>(bytes, big_endian, count, to_type, to); return;
    case Element::u32: convert_from<std::uint32_t>(bytes, big_endian, count, to_type, to); return;
    case Element::i32: convert_from<std::int32_t>(bytes, big_endian, count, to_type, to); return;
    case Element::u64: convert_from<std::uint64_t>(bytes, big_endian, count, to_type, to); return;
    case Element::i64: convert_from<std::int64_t>(bytes, big_endian, count, to_type, to); return;
    case Element::f16: convert_from<Half>(bytes, big_endian, count, to_type, to); return;
    case Element::bf16: convert_from<BrainHalf>(bytes, big_endian, count, to_type, to); return;
    case Element::f32: convert_from<float>(bytes, big_endian, count, to_type, to); return;
    case Element::f64: convert_from<double>(bytes, big_endian, count, to_type, to); return;
  }
}

}  // namespace likely::io
