#include "likely/core/shape.hpp"

#include <algorithm>
#include <ostream>

#include "likely/core/error.hpp"

namespace likely {

Shape::Shape(std::span<const std::int64_t> dims) {
  if (dims.size() > kMaxRank) {
    refuse("shape", "at most 8 dimensions are possible, got " + std::to_string(dims.size()));
  }
  std::copy(dims.begin(), dims.end(), dims_.begin());
  rank_ = static_cast<int>(dims.size());
}

Shape Shape::filled(int rank, std::int64_t size) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(size);
  return shape;
}

std::int64_t Shape::count() const {
  std::int64_t product = 1;
  bool empty = false;
  bool wrong = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank_); ++i) {
    const std::int64_t size = dims_[i];
    wrong |= size < 0;
    empty |= size == 0;
    wrong |= __builtin_mul_overflow(product, size + (size == 0 ? 1 : 0), &product);
  }
  if (wrong || product > kMaxSize) return -1;
  return empty ? 0 : product;
}

std::int64_t Shape::size() const {
  const std::int64_t size = count();
  if (size < 0) refuse_size();
  return size;
}

bool Shape::has_size() const { return count() >= 0; }

void Shape::refuse_size() const {
  for (const std::int64_t size : *this) {
    if (size < 0) refuse("tensor", "a dimension is negative in shape " + string());
  }
  refuse_memory("tensor", "shape " + string() + " has too many elements");
}

void Shape::push_back(std::int64_t size) { insert(rank_, size); }

void Shape::insert(int axis, std::int64_t size) {
  if (rank_ == kMaxRank) refuse("shape", "at most 8 dimensions are possible, got 9");
  if (axis < 0 || axis > rank_) refuse_axis(axis);
  ++rank_;
  for (int i = rank_ - 1; i > axis; --i) (*this)[i] = (*this)[i - 1];
  (*this)[axis] = size;
}

void Shape::erase(int axis) {
  if (axis < 0 || axis >= rank_) refuse_axis(axis);
  for (int i = axis; i + 1 < rank_; ++i) (*this)[i] = (*this)[i + 1];
  --rank_;
}

Shape Shape::sub(int begin, int end) const {
  if (end < 0 || end > rank_) refuse_axis(end);
  if (begin < 0 || begin > end) refuse_axis(begin);
  return Shape(std::span(dims_.data() + begin, dims_.data() + end));
}

void Shape::refuse_axis(int axis) const {
  refuse("shape", "axis " + std::to_string(axis) + " is out of range for shape " + string());
}

std::int64_t Shape::index(std::string_view operation, int axis, std::int64_t index) const {
  const std::int64_t n = (*this)[axis];
  if (index < -n || index >= n) {
    refuse(operation, "index " + std::to_string(index) + " is out of range for axis " + std::to_string(axis) +
                          " of shape " + string());
  }
  return index < 0 ? index + n : index;
}

int Shape::axis(std::string_view operation, int axis) const {
  if (axis < -rank_ || axis >= rank_) {
    refuse(operation, "axis " + std::to_string(axis) + " is out of range for shape " + string());
  }
  return axis < 0 ? axis + rank_ : axis;
}

std::string Shape::string() const {
  std::string text = "(";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string((*this)[i]);
  }
  if (rank_ == 1) text += ",";
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.string(); }

Strides row_major_strides(const Shape& shape) {
  Strides strides = shape;
  const std::int64_t* const sizes = shape.data();
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= sizes[i];
  }
  return strides;
}

Shape index_of(const Shape& shape, std::int64_t element) {
  Shape index = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

Shape broadcast_shapes(std::string_view operation, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int lead = longer.rank() - shorter.rank();
  const std::int64_t* const last_sizes = longer.data() + lead;
  const std::int64_t* const sizes = shorter.data();
  for (int i = 0; i < shorter.rank(); ++i) {
    const std::int64_t p = last_sizes[i];
    const std::int64_t q = sizes[i];
    if (p != q && p != 1 && q != 1) {
      refuse(operation, "shapes do not broadcast: " + a.string() + " and " + b.string());
    }
    result[lead + i] = p == 1 ? q : p;
  }
  return result;
}

std::int64_t add_sizes(std::string_view operation, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum > Shape::kMaxSize) {
    refuse_memory(operation, "a dimension of size " + std::to_string(a) + " + " + std::to_string(b));
  }
  return sum;
}

std::int64_t multiply_sizes(std::string_view operation, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > Shape::kMaxSize) {
    refuse_memory(operation, "a dimension of size " + std::to_string(a) + " * " + std::to_string(b));
  }
  return product;
}

}  // namespace likely
