// Arithmetic, element by element, with NumPy's broadcasting. Two tensors of different type meet in the larger
// one (bool < i64 < f32 < f64). A plain number takes the type of a floating tensor; beside whole numbers and
// bools a whole one (2) gives i64 and a floating one (2.0) gives f32, whatever its value.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/ops/plain_number.hpp"

namespace likely {

[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor subtract(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor multiply(const Tensor& a, const Tensor& b);
// Whole numbers by whole numbers, x / 2 too: rounded towards minus infinity, and 0 where the divisor is 0.
// For fractions divide by a floating number: x / 2.0. (A number divided by a tensor, 1 / x, is always
// floating.)
[[nodiscard]] Tensor divide(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor negative(const Tensor& x);

[[nodiscard]] Tensor add(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor multiply(const Tensor& x, PlainNumber number);

// a^b. Derivatives: b a^(b-1) and a^b log a; where a = 0 and b >= 0 the second is 0. Whole numbers refuse a
// negative whole power, unless they are 1 or -1; pow(x, -1.0) is floating.
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor pow(const Tensor& x, PlainNumber exponent);
[[nodiscard]] Tensor pow(PlainNumber base, const Tensor& exponent);

// The larger and the smaller of two; NaN if either is. Equal elements share the gradient in halves.
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor maximum(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor minimum(const Tensor& x, PlainNumber number);

// min(max(x, low), high). The derivative is 1 from low to high, both included, and 0 outside. Refuses low >
// high.
[[nodiscard]] Tensor clip(const Tensor& x, PlainNumber low, PlainNumber high);

// |x|; the derivative at 0 is 0.
[[nodiscard]] Tensor abs(const Tensor& x);
// -1, 0 or 1; the derivative is 0 everywhere.
[[nodiscard]] Tensor sign(const Tensor& x);
[[nodiscard]] Tensor square(const Tensor& x);
[[nodiscard]] Tensor reciprocal(const Tensor& x);
[[nodiscard]] Tensor floor(const Tensor& x);
[[nodiscard]] Tensor ceil(const Tensor& x);
// To the nearest whole number, halves to the even one.
[[nodiscard]] Tensor round(const Tensor& x);

[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& x) { return negative(x); }
[[nodiscard]] inline Tensor operator+(const Tensor& x, PlainNumber number) { return add(x, number); }
[[nodiscard]] inline Tensor operator+(PlainNumber number, const Tensor& x) { return add(x, number); }
[[nodiscard]] Tensor operator-(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor operator-(PlainNumber number, const Tensor& x);
[[nodiscard]] inline Tensor operator*(const Tensor& x, PlainNumber number) { return multiply(x, number); }
[[nodiscard]] inline Tensor operator*(PlainNumber number, const Tensor& x) { return multiply(x, number); }
[[nodiscard]] Tensor operator/(const Tensor& x, PlainNumber number);
[[nodiscard]] Tensor operator/(PlainNumber number, const Tensor& x);

// `x += y` is `x = x + y`, for tensors and numbers: tensors are values, nobody else sees a change. Types and
// shapes are those of x + y, so that whole numbers += 0.5 become f32.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = add(x, y); }
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = subtract(x, y); }
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = multiply(x, y); }
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = divide(x, y); }
inline Tensor& operator+=(Tensor& x, PlainNumber number) { return x = x + number; }
inline Tensor& operator-=(Tensor& x, PlainNumber number) { return x = x - number; }
inline Tensor& operator*=(Tensor& x, PlainNumber number) { return x = x * number; }
inline Tensor& operator/=(Tensor& x, PlainNumber number) { return x = x / number; }

}  // namespace likely
