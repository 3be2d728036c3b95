// The sizes of a tensor's dimensions, and the strides that walk them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace likely {

// Up to 8 dimensions, held without an allocation. Rank 0 is a scalar; a dimension of size 0 is legal.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::int64_t> dims);

  // `rank` dimensions, all of this size.
  static Shape filled(int rank, std::int64_t size);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t back() const { return dims_[static_cast<std::size_t>(rank_ - 1)]; }

  const std::int64_t* data() const { return dims_.data(); }
  const std::int64_t* begin() const { return dims_.data(); }
  const std::int64_t* end() const { return dims_.data() + rank_; }

  // The number of elements: the product of the dimensions, 1 for a scalar.
  std::int64_t size() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank_; ++i) product *= dims_[static_cast<std::size_t>(i)];
    return product;
  }

  // Refuses a ninth dimension.
  void push_back(std::int64_t size);
  // Inserts before `axis`, 0 <= axis <= rank.
  void insert(int axis, std::int64_t size);
  void erase(int axis);

  // The dimensions [begin, end).
  Shape sub(int begin, int end) const { return Shape(std::span(dims_.data() + begin, dims_.data() + end)); }

  // The axis counted from 0, for one that may count from the end; refuses one out of range, naming
  // `operation`.
  int axis(std::string_view operation, int axis) const;

  // "(2, 3)", "(5,)", "()".
  std::string string() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// Steps between neighbours along each dimension, counted in elements. May be 0 (broadcast) or negative.
using Strides = Shape;

// The strides of a dense row-major tensor.
Strides row_major_strides(const Shape& shape);

// The index of element number `element` in row-major order; its string() reads as a place in a message.
Shape index_of(const Shape& shape, std::int64_t element);

// The shape that NumPy's rule gives two operands; refuses those that do not fit, naming `operation`.
Shape broadcast_shapes(std::string_view operation, const Shape& a, const Shape& b);

}  // namespace likely
