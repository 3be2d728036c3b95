#include "likely/core/shape.hpp"

#include <algorithm>

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

void Shape::push_back(std::int64_t size) { insert(rank_, size); }

void Shape::insert(int axis, std::int64_t size) {
  if (rank_ == kMaxRank) refuse("shape", "at most 8 dimensions are possible, got 9");
  for (int i = rank_; i > axis; --i) (*this)[i] = (*this)[i - 1];
  (*this)[axis] = size;
  ++rank_;
}

void Shape::erase(int axis) {
  for (int i = axis; i + 1 < rank_; ++i) (*this)[i] = (*this)[i + 1];
  --rank_;
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

Strides row_major_strides(const Shape& shape) {
  Strides strides = shape;
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
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
  for (int i = 0; i < shorter.rank(); ++i) {
    const std::int64_t p = longer[lead + i];
    const std::int64_t q = shorter[i];
    if (p != q && p != 1 && q != 1) {
      refuse(operation, "shapes do not broadcast: " + a.string() + " and " + b.string());
    }
    result[lead + i] = p == 1 ? q : p;
  }
  return result;
}

}  // namespace likely
