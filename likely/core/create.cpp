#include "likely/core/create.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "likely/core/dispatch.hpp"
#include "likely/core/strided_copy.hpp"

namespace likely {

namespace {

template <class T>
void fill_typed(Tensor& target, double value) {
  T converted;
  detail::set_element("full", &converted, dtype_of<T>, 0, value);
  std::fill_n(target.mutable_data<T>(), target.size(), converted);
}

template <class T>
Tensor copy_of(std::span<const T> values, const Shape& shape) {
  if (shape.size() != static_cast<std::int64_t>(values.size())) {
    refuse("tensor", std::to_string(values.size()) + " values do not fill shape " + shape.string());
  }
  Tensor result = Tensor::uninitialized(shape, dtype_of<T>);
  if (!values.empty()) std::memcpy(result.mutable_raw(), values.data(), values.size_bytes());
  return result;
}

void check_count(const char* operation, std::int64_t count) {
  if (count < 0) refuse(operation, "a count must not be negative, got " + std::to_string(count));
}

}  // namespace

Tensor full(const Shape& shape, double value, DType dtype) {
  Tensor result = Tensor::uninitialized(shape, dtype);
  if (value == 0.0 && !std::signbit(value)) {
    const auto bytes = static_cast<std::size_t>(result.size()) * size_of(dtype);
    std::memset(result.mutable_raw(), 0, bytes);
    return result;
  }
  detail::with_type("full", dtype, [&]<class T>(T) { fill_typed<T>(result, value); });
  return result;
}

Tensor zeros(const Shape& shape, DType dtype) { return full(shape, 0.0, dtype); }
Tensor ones(const Shape& shape, DType dtype) { return full(shape, 1.0, dtype); }
Tensor zeros_like(const Tensor& other) { return full(other.shape(), 0.0, other.dtype()); }
Tensor ones_like(const Tensor& other) { return full(other.shape(), 1.0, other.dtype()); }
Tensor full_like(const Tensor& other, double value) { return full(other.shape(), value, other.dtype()); }

Tensor constant(const Shape& shape, double value, DType dtype) {
  return full(Shape{}, value, dtype).view(shape, Strides::filled(shape.rank(), 0), 0);
}

Tensor arange(std::int64_t count, DType dtype) {
  check_count("arange", count);
  Tensor result = Tensor::uninitialized({count}, dtype);
  void* elements = result.mutable_raw();
  for (std::int64_t i = 0; i < count; ++i)
    detail::set_element("arange", elements, dtype, i, static_cast<double>(i));
  return result;
}

Tensor arange(double start, double stop, double step, DType dtype) {
  if (step == 0.0 || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step)) {
    refuse("arange", "start, stop and step must be finite and step not 0, got " + std::to_string(start) +
                         ", " + std::to_string(stop) + ", " + std::to_string(step));
  }
  const double steps = std::ceil((stop - start) / step);
  if (!(steps < static_cast<double>(Shape::kMaxSize))) {
    refuse_memory("arange", "too many numbers from " + std::to_string(start) + " to " + std::to_string(stop) +
                                " in steps of " + std::to_string(step));
  }
  const auto count = steps > 0.0 ? static_cast<std::int64_t>(steps) : 0;
  Tensor result = Tensor::uninitialized({count}, dtype);
  void* elements = result.mutable_raw();
  for (std::int64_t i = 0; i < count; ++i) {
    detail::set_element("arange", elements, dtype, i, start + step * static_cast<double>(i));
  }
  return result;
}

Tensor linspace(double first, double last, std::int64_t count, DType dtype) {
  check_count("linspace", count);
  Tensor result = Tensor::uninitialized({count}, dtype);
  void* elements = result.mutable_raw();
  for (std::int64_t i = 0; i < count; ++i) {
    // Counted from the nearer end, so that the last number is `last` to the bit.
    const double steps = static_cast<double>(count - 1);
    const double value = 2 * i < count
                             ? first + (last - first) * static_cast<double>(i) / std::max(steps, 1.0)
                             : last - (last - first) * static_cast<double>(count - 1 - i) / steps;
    detail::set_element("linspace", elements, dtype, i, count == 1 ? first : value);
  }
  return result;
}

Tensor eye(std::int64_t rows, DType dtype) { return eye(rows, rows, dtype); }

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype) {
  check_count("eye", std::min(rows, columns));
  Tensor result = zeros({rows, columns}, dtype);
  void* elements = result.mutable_raw();
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) {
    detail::set_element("eye", elements, dtype, i * columns + i, 1.0);
  }
  return result;
}

void NestedList::measure(Shape& shape, DType& dtype, int depth) const {
  if (!is_list_) {
    if (depth != shape.rank()) refuse("tensor", "numbers and lists are mixed at one depth");
    dtype = promote(dtype, dtype_);
    return;
  }
  const auto count = static_cast<std::int64_t>(items_.size());
  if (depth >= shape.rank()) refuse("tensor", "numbers and lists are mixed at one depth");
  if (shape[depth] != count) {
    refuse("tensor",
           "rows of unequal length: " + std::to_string(shape[depth]) + " and " + std::to_string(count));
  }
  for (const NestedList& item : items_) item.measure(shape, dtype, depth + 1);
}

void NestedList::write(Tensor& target, std::int64_t& position) const {
  if (!is_list_) {
    if (target.dtype() == DType::i64 && dtype_ == DType::i64) {
      if (is_beyond_i64_) {
        detail::refuse_beyond_i64(static_cast<std::uint64_t>(whole_), static_cast<std::size_t>(position));
      }
      target.mutable_data<std::int64_t>()[position++] = whole_;
    } else {
      detail::set_element("tensor", target.mutable_raw(), target.dtype(), position++, value_);
    }
    return;
  }
  for (const NestedList& item : items_) item.write(target, position);
}

Tensor NestedList::build(std::optional<DType> wanted) const {
  Shape shape;
  bool empty = false;
  for (const NestedList* first = this; first->is_list_ && !empty; first = &first->items_.front()) {
    shape.push_back(static_cast<std::int64_t>(first->items_.size()));
    empty = first->items_.empty();
    if (empty) break;
  }
  DType found = DType::boolean;
  measure(shape, found, 0);
  Tensor result = Tensor::uninitialized(shape, wanted.value_or(empty ? DType::f32 : found));
  std::int64_t position = 0;
  write(result, position);
  return result;
}

Tensor tensor(const NestedList& list) { return list.build(std::nullopt); }
Tensor tensor(const NestedList& list, DType dtype) { return list.build(dtype); }

void detail::refuse_beyond_i64(std::uint64_t value, std::size_t place) {
  refuse("tensor", "the whole number " + std::to_string(value) + " at place " + std::to_string(place) +
                       " is too large for i64");
}

Tensor detail::tensor_of(std::span<const float> values, const Shape& shape) { return copy_of(values, shape); }
Tensor detail::tensor_of(std::span<const double> values, const Shape& shape) {
  return copy_of(values, shape);
}
Tensor detail::tensor_of(std::span<const std::int64_t> values, const Shape& shape) {
  return copy_of(values, shape);
}
Tensor detail::tensor_of(const std::vector<bool>& values, const Shape& shape) {
  if (shape.size() != static_cast<std::int64_t>(values.size())) {
    refuse("tensor", std::to_string(values.size()) + " values do not fill shape " + shape.string());
  }
  Tensor result = Tensor::uninitialized(shape, DType::boolean);
  std::copy(values.begin(), values.end(), result.mutable_data<bool>());
  return result;
}

}  // namespace likely
