// Comparison, logic and choice, element by element, with broadcasting. Results are bool and have no
// derivative.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/ops/plain_number.hpp"

namespace likely {

[[nodiscard]] Tensor equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor not_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater_equal(const Tensor& a, const Tensor& b);

// With a number, which takes the type of a floating tensor. Whole numbers are compared with it exactly.
[[nodiscard]] Tensor equal(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor not_equal(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor less(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor less_equal(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor greater(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor greater_equal(const Tensor& x, PlainNumber number);

[[nodiscard]] inline Tensor operator==(const Tensor& a, const Tensor& b) { return equal(a, b); }
[[nodiscard]] inline Tensor operator!=(const Tensor& a, const Tensor& b) { return not_equal(a, b); }
[[nodiscard]] inline Tensor operator<(const Tensor& a, const Tensor& b) { return less(a, b); }
[[nodiscard]] inline Tensor operator<=(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
[[nodiscard]] inline Tensor operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
[[nodiscard]] inline Tensor operator>=(const Tensor& a, const Tensor& b) { return greater_equal(a, b); }
[[nodiscard]] inline Tensor operator==(const Tensor& x, PlainNumber number) { return equal(x, number); }
[[nodiscard]] inline Tensor operator!=(const Tensor& x, PlainNumber number) { return not_equal(x, number); }
[[nodiscard]] inline Tensor operator<(const Tensor& x, PlainNumber number) { return less(x, number); }
[[nodiscard]] inline Tensor operator<=(const Tensor& x, PlainNumber number) { return less_equal(x, number); }
[[nodiscard]] inline Tensor operator>(const Tensor& x, PlainNumber number) { return greater(x, number); }
[[nodiscard]] inline Tensor operator>=(const Tensor& x, PlainNumber number) {
  return greater_equal(x, number);
}

// Of bools; refuse other types.
[[nodiscard]] Tensor logical_and(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_or(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_xor(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_not(const Tensor& x);

[[nodiscard]] Tensor is_finite(const Tensor& x);
[[nodiscard]] Tensor is_nan(const Tensor& x);

// condition ? a : b, for each element. Gradients go to the side that was chosen; the other gets 0 (even where
// it is NaN or infinite). A number takes its type from the tensor beside it, as in arithmetic. Refuses a
// condition that is not bool.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, PlainNumber b);
[[nodiscard]] Tensor where(const Tensor& condition, PlainNumber a, const Tensor& b);

// x with `value` where mask is true: the gradient there is 0. Refuses a mask that is not bool or does not
// broadcast to x.
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, PlainNumber value);

}  // namespace likely
