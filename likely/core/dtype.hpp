// The element types of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace likely {

enum class DType : std::uint8_t { f32, f64, i64, boolean };

constexpr std::size_t size_of(DType type) {
  switch (type) {
    case DType::f32: return 4;
    case DType::f64:
    case DType::i64: return 8;
    case DType::boolean: return 1;
  }
  return 0;
}

// "f32", "f64", "i64" or "bool".
constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::i64: return "i64";
    case DType::boolean: return "bool";
  }
  return "?";
}

constexpr bool is_floating(DType type) { return type == DType::f32 || type == DType::f64; }

// The type that holds both: bool < i64 < f32 < f64.
constexpr DType promote(DType a, DType b) {
  constexpr int rank[] = {2, 3, 1, 0};
  return rank[static_cast<int>(a)] >= rank[static_cast<int>(b)] ? a : b;
}

// The C++ type behind each DType, and the other way round.
template <class T>
struct dtype_of_type;
template <>
struct dtype_of_type<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct dtype_of_type<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct dtype_of_type<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct dtype_of_type<bool> {
  static constexpr DType value = DType::boolean;
};
template <class T>
inline constexpr DType dtype_of = dtype_of_type<T>::value;

}  // namespace likely
