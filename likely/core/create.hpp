// Making tensors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

[[nodiscard]] Tensor zeros(const Shape& shape, DType dtype = DType::f32);
[[nodiscard]] Tensor ones(const Shape& shape, DType dtype = DType::f32);
[[nodiscard]] Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
// The shape and type of another tensor.
[[nodiscard]] Tensor zeros_like(const Tensor& other);
[[nodiscard]] Tensor ones_like(const Tensor& other);
[[nodiscard]] Tensor full_like(const Tensor& other, double value);

// One number seen as a whole shape: no memory but one element. Equal to full() in every way.
[[nodiscard]] Tensor constant(const Shape& shape, double value, DType dtype = DType::f32);

// 0, 1, ..., count - 1.
[[nodiscard]] Tensor arange(std::int64_t count, DType dtype = DType::i64);
// start, start + step, ... up to but without stop. Refuses step 0.
[[nodiscard]] Tensor arange(double start, double stop, double step = 1.0, DType dtype = DType::f32);
// `count` numbers from first to last, both included.
[[nodiscard]] Tensor linspace(double first, double last, std::int64_t count, DType dtype = DType::f32);
// The identity matrix, rows x rows or rows x columns.
[[nodiscard]] Tensor eye(std::int64_t rows, DType dtype = DType::f32);
[[nodiscard]] Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype = DType::f32);

// A number, or braces inside braces: tensor(0.5), tensor({{1, 2}, {3, 4}}). Rows of unequal length are
// refused.
class NestedList {
 public:
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  NestedList(Number value)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<double>(value)),
        whole_(std::is_integral_v<Number> ? static_cast<std::int64_t>(value) : 0),
        is_beyond_i64_(std::is_unsigned_v<Number> && sizeof(Number) == 8 && whole_ < 0),
        dtype_(std::is_same_v<Number, bool>       ? DType::boolean
               : std::is_floating_point_v<Number> ? DType::f32
                                                  : DType::i64) {}
  NestedList(std::initializer_list<NestedList> items) : items_(items), is_list_(true) {}

 private:
  friend Tensor tensor(const NestedList& list);
  friend Tensor tensor(const NestedList& list, DType dtype);
  Tensor build(std::optional<DType> wanted) const;
  void measure(Shape& shape, DType& dtype, int depth) const;
  void write(Tensor& target, std::int64_t& position) const;

  double value_ = 0.0;
  std::int64_t whole_ = 0;  // the same for whole numbers, of which a double holds only 53 bits
  bool is_beyond_i64_ = false;
  DType dtype_ = DType::f32;
  std::vector<NestedList> items_;
  bool is_list_ = false;
};

// Element type: f32 if there is a number with a point, else i64, or bool; or the one asked for.
[[nodiscard]] Tensor tensor(const NestedList& list);
[[nodiscard]] Tensor tensor(const NestedList& list, DType dtype);

namespace detail {

Tensor tensor_of(std::span<const float> values, const Shape& shape);
Tensor tensor_of(std::span<const double> values, const Shape& shape);
Tensor tensor_of(std::span<const std::int64_t> values, const Shape& shape);
Tensor tensor_of(const std::vector<bool>& values, const Shape& shape);

// Whole numbers that become i64: int, unsigned, std::uint8_t and the like, but no letters.
template <class T>
concept OtherWhole = std::integral<T> && !std::is_same_v<T, std::int64_t> && !std::is_same_v<T, bool> &&
                     !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
                     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;
[[noreturn]] void refuse_beyond_i64(std::uint64_t value, std::size_t place);

template <OtherWhole T>
Tensor tensor_of(std::span<const T> values, const Shape& shape) {
  std::vector<std::int64_t> wide;
  wide.reserve(values.size());
  for (const T value : values) {
    if (!std::in_range<std::int64_t>(value))
      refuse_beyond_i64(static_cast<std::uint64_t>(value), wide.size());
    wide.push_back(static_cast<std::int64_t>(value));
  }
  return tensor_of(std::span<const std::int64_t>(wide), shape);
}

// Vectors, arrays and spans of the element types. (Functions that take a span would also take braces, and
// tensor({{1, 2}}) could mean two things.)
template <class Values>
concept Elements = std::is_same_v<Values, std::vector<bool>> || requires(const Values& values) {
  tensor_of(std::span<const std::remove_cvref_t<decltype(*values.data())>>(values.data(), values.size()),
            Shape());
};

}  // namespace detail

// A copy of the elements of a vector, array or span, as one dimension or in the shape given (row-major).
// float, double, bool and std::int64_t stay what they are, other whole numbers (int, std::uint8_t) become
// i64. Refuses a number of elements that does not fill the shape, and whole numbers beyond i64.
template <detail::Elements Values>
[[nodiscard]] Tensor tensor(const Values& values, const Shape& shape) {
  if constexpr (std::is_same_v<Values, std::vector<bool>>) {
    return detail::tensor_of(values, shape);
  } else {
    using Element = std::remove_cvref_t<decltype(*values.data())>;
    return detail::tensor_of(std::span<const Element>(values.data(), values.size()), shape);
  }
}
template <detail::Elements Values>
[[nodiscard]] Tensor tensor(const Values& values) {
  return tensor(values, Shape{static_cast<std::int64_t>(values.size())});
}

// Elements that lie elsewhere, one after the other in row-major order, seen as a tensor without a copy. They
// must stay, and stay as they are, until the last tensor that sees them has gone: so long the keeper is held,
// which may be whatever owns them (null: the caller sees to it). They are never written to: a tensor that is
// changed gets memory of its own, as always. Refuses a null pointer, and one that is not aligned.
template <class T>
requires std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, bool>
        Tensor tensor_over(const T* elements, const Shape& shape, const std::shared_ptr<const void>& keeper) {
  return Tensor::external(elements, shape, dtype_of<T>, keeper);
}

}  // namespace likely
