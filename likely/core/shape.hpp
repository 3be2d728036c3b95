// The sizes of a tensor's dimensions, and the strides that walk them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace likely {

// Up to 8 dimensions, held without an allocation. Rank 0 is a scalar; a dimension of size 0 is legal. A list
// of numbers as such may hold any (strides, a -1 that reshape() works out); what has elements asks for
// size(), and no tensor has a shape that size() refuses.
class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::int64_t> dims);

  // `rank` dimensions, all of this size.
  static Shape filled(int rank, std::int64_t size);

  int rank() const { return rank_; }
  // Refuse an axis that is not in [0, rank); axis() below counts from the end, too.
  std::int64_t operator[](int axis) const { return dims_[place(axis)]; }
  std::int64_t& operator[](int axis) { return dims_[place(axis)]; }
  std::int64_t back() const { return dims_[place(rank_ - 1)]; }

  const std::int64_t* data() const { return dims_.data(); }
  const std::int64_t* begin() const { return dims_.data(); }
  const std::int64_t* end() const { return dims_.data() + rank_; }

  // The number of elements: the product of the dimensions, 1 for a scalar. Refuses a negative dimension, and
  // more elements than kMaxSize, which are counted without the dimensions of size 0: part of a product of
  // sizes never overflows where the whole does not.
  std::int64_t size() const;
  // Whether size() refuses nothing.
  bool has_size() const;

  // So many elements of 8 bytes can be numbered byte by byte.
  static constexpr std::int64_t kMaxSize = INT64_MAX / 8;

  // Refuses a ninth dimension.
  void push_back(std::int64_t size);
  // Inserts before `axis`, 0 <= axis <= rank; refuses another.
  void insert(int axis, std::int64_t size);
  void erase(int axis);

  // The dimensions [begin, end), 0 <= begin <= end <= rank; refuses others.
  Shape sub(int begin, int end) const;

  // The axis counted from 0, for one that may count from the end; refuses one out of range, naming
  // `operation`.
  int axis(std::string_view operation, int axis) const;
  // An index along an axis of [0, rank), counted from 0, in the same way.
  std::int64_t index(std::string_view operation, int axis, std::int64_t index) const;

  // "(2, 3)", "(5,)", "()".
  std::string string() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rank_); ++i) {
      if (a.dims_[i] != b.dims_[i]) return false;
    }
    return true;
  }

 private:
  std::size_t place(int axis) const {
    if (static_cast<unsigned>(axis) >= static_cast<unsigned>(rank_)) refuse_axis(axis);
    return static_cast<std::size_t>(axis);
  }
  [[noreturn, gnu::cold]] void refuse_axis(int axis) const;
  [[noreturn, gnu::cold]] void refuse_size() const;
  // -1 where no tensor can have so many.
  std::int64_t count() const;

  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

// As string() has it.
std::ostream& operator<<(std::ostream& out, const Shape& shape);

// Steps between neighbours along each dimension, counted in elements. May be 0 (broadcast) or negative.
using Strides = Shape;

// The strides of a dense row-major tensor, for a shape that has a size().
Strides row_major_strides(const Shape& shape);

// The index of element number `element` in row-major order; its string() reads as a place in a message.
Shape index_of(const Shape& shape, std::int64_t element);

// The shape that NumPy's rule gives two operands; refuses those that do not fit, naming `operation`.
Shape broadcast_shapes(std::string_view operation, const Shape& a, const Shape& b);

// a + b and a * b for sizes, both at least 0; refuses what no shape can hold, naming `operation`.
std::int64_t add_sizes(std::string_view operation, std::int64_t a, std::int64_t b);
std::int64_t multiply_sizes(std::string_view operation, std::int64_t a, std::int64_t b);

}  // namespace likely
