// A plain number beside a tensor, as in x + 1 or x / 2.5.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely {

// Remembers whether it was written as a whole number (int, std::int64_t, std::size_t, ...) or as a floating
// one (double, float). Beside floating tensors both take the tensor's type. Beside whole numbers and bools a
// whole number keeps i64, and a floating one makes the result f32: sum(hits) / 1500.0 is a fraction,
// sum(hits) / 1500 is rounded down.
class PlainNumber {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  PlainNumber(double value) : bits_(std::bit_cast<std::int64_t>(value)) {}
  template <std::integral Whole>
  PlainNumber(Whole value)  // NOLINT(google-explicit-constructor)
      : bits_(static_cast<std::int64_t>(value)), is_whole_(true) {
    // An unsigned number may lie beyond the range of i64.
    if (std::unsigned_integral<Whole> && bits_ < 0) *this = static_cast<double>(value);
  }

  double value() const { return is_whole_ ? static_cast<double>(bits_) : std::bit_cast<double>(bits_); }
  bool is_whole() const { return is_whole_; }
  // Whether value() is the number itself: a double holds whole numbers of up to 53 bits.
  bool value_is_exact() const { return !is_whole_ || (bits_ >= -kExact && bits_ <= kExact); }
  PlainNumber operator-() const;

  // The type in which it meets a tensor of this one.
  DType type_beside(DType tensor) const {
    return is_floating(tensor) ? tensor : is_whole_ ? DType::i64 : DType::f32;
  }
  // The number as a tensor without dimensions, of the type in which it meets x.
  Tensor beside(const Tensor& x) const;

 private:
  static constexpr std::int64_t kExact = std::int64_t{1} << 53;

  std::int64_t bits_;  // the whole number, or a double's bits: small enough to travel in registers
  bool is_whole_ = false;
};

}  // namespace likely
