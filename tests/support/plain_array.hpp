// Arrays of plain numbers and the few loops that most operations are made of. Nothing here uses likely.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/plain_number.hpp"

namespace likely::testing::plain {

using Extents = std::vector<std::int64_t>;
using Numbers = std::vector<Number>;

std::int64_t product(const Extents& shape);

struct Array {
  Extents shape;
  Numbers elements;  // row by row

  Array() = default;
  explicit Array(const Extents& extents);  // zeros
  Array(const Extents& extents, Numbers numbers);

  std::int64_t size() const { return static_cast<std::int64_t>(elements.size()); }
  int rank() const { return static_cast<int>(shape.size()); }
  std::int64_t position(const Extents& index) const;
  Number& at(const Extents& index) { return elements[static_cast<std::size_t>(position(index))]; }
  const Number& at(const Extents& index) const { return elements[static_cast<std::size_t>(position(index))]; }
  const Number& operator[](std::int64_t i) const { return elements[static_cast<std::size_t>(i)]; }
  Number& operator[](std::int64_t i) { return elements[static_cast<std::size_t>(i)]; }
};

// Thrown by a plain loop where the operation's contract is to refuse.
struct Refused {};

// Every index of a shape, row by row.
void for_each_index(const Extents& shape, const std::function<void(const Extents&)>& body);

// The shape that two operands broadcast to.
Extents broadcast(const Extents& a, const Extents& b);
Array expanded(const Array& x, const Extents& shape);

// Element by element; two arrays broadcast.
Array map(const std::function<Number(const Number&)>& f, const Array& x);
Array map(const std::function<Number(const Number&, const Number&)>& f, const Array& a, const Array& b);

// result[i] = x[source(i)].
Array moved(const Array& x, const Extents& shape, const std::function<Extents(const Extents&)>& source);
Array reshaped(const Array& x, const Extents& shape);
Array permuted(const Array& x, const std::vector<int>& order);  // axis i of the result is axis order[i] of x

// f of all elements that differ in these axes alone (all axes if none are named), row by row.
Array reduced(const std::function<Number(const Numbers&)>& f, const Array& x, const std::vector<int>& axes,
              bool keep);
// Each line along an axis becomes f(line), which may have another length.
Array along(const std::function<Numbers(const Numbers&)>& f, const Array& x, int axis);

Number sum(const Numbers& x);
Number mean(const Numbers& x);
Number dot(const Numbers& a, const Numbers& b);

// c[..., i, j] = sum over l of a[..., i, l] b[..., l, j] of arrays with at least two axes; the leading ones
// broadcast.
Array matrix_product(const Array& a, const Array& b);
Array transposed(const Array& x);  // the last two axes exchanged

}  // namespace likely::testing::plain
