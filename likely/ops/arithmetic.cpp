#include "likely/ops/arithmetic.hpp"

#include <cmath>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/elementwise.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"

namespace likely {

using detail::binary;
using detail::Save;
using detail::unary;
using kernels::Binary;
using kernels::Unary;

namespace {

using T = const Tensor&;

Tensor pass(T, T, T, T g, double) { return g; }
Tensor pass_negated(T, T, T, T g, double) { return -g; }

// x in the type in which it meets the number.
Tensor fit(const Tensor& x, const PlainNumber& number) { return cast(x, number.type_beside(x.dtype())); }

// The kernels take their numbers as doubles, which not every whole number fits.
bool fits_kernel(const Tensor& x, const PlainNumber& number) {
  return is_floating(x.dtype()) || number.value_is_exact();
}

Tensor add_number(const Tensor& x, double number) {
  return unary(
      "add", Unary::add_scalar, Save::nothing, [](T, T g, double, double) { return g; }, x, number);
}

Tensor multiply_number(const Tensor& x, double number) {
  return unary(
      "multiply", Unary::multiply_scalar, Save::nothing, [](T, T g, double p, double) { return g * p; }, x,
      number);
}

// Of whole numbers. The power of a negative exponent is a fraction, or infinite, unless the base is 1 or -1.
void check_powers(const Tensor& base, const Tensor& exponent) {
  broadcast_shapes("pow", base.shape(), exponent.shape());
  if (any(logical_and(exponent < 0, abs(base) != 1)).item() == 0.0) return;
  refuse(
      "pow",
      "the negative power of a whole number is no whole number; use a floating exponent, as in pow(x, -1.0)");
}

// Which of two won: 1, one half at a tie, 0. By comparison, as the difference of two infinities is no number.
Tensor share(const Tensor& a, const Tensor& b, DType dtype) {
  return (cast(a > b, dtype) + cast(a >= b, dtype)) * 0.5;
}

Tensor round_with(const char* name, Unary operation, const Tensor& x) {
  return is_floating(x.dtype()) ? unary(name, operation, Save::nothing, nullptr, x) : x;
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) { return binary("add", Binary::add, {pass, pass, false}, a, b); }

Tensor subtract(const Tensor& a, const Tensor& b) {
  return binary("subtract", Binary::subtract, {pass, pass_negated, false}, a, b);
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  return binary("multiply", Binary::multiply,
                {[](T, T y, T, T g, double) { return g * y; }, [](T x, T, T, T g, double) { return g * x; }},
                a, b);
}

Tensor divide(const Tensor& a, const Tensor& b) {
  return binary("divide", Binary::divide,
                {[](T, T d, T, T g, double) { return g / d; },
                 [](T, T d, T y, T g, double) { return -(g * y / d); }, true, true},
                a, b);
}

Tensor negative(const Tensor& x) {
  return unary(
      "negative", Unary::negative, Save::nothing, [](T, T g, double, double) { return -g; },
      x.dtype() == DType::boolean ? cast(x, DType::i64) : x);
}

Tensor add(const Tensor& x, PlainNumber number) {
  if (!is_floating(x.dtype()))
    return number.value_is_exact() ? add_number(fit(x, number), number.value()) : add(x, number.beside(x));
  return add_number(x, number.value());
}

Tensor multiply(const Tensor& x, PlainNumber number) {
  if (!is_floating(x.dtype()))
    return number.value_is_exact() ? multiply_number(fit(x, number), number.value())
                                   : multiply(x, number.beside(x));
  return multiply_number(x, number.value());
}

Tensor operator-(const Tensor& x, PlainNumber number) {
  // As a whole number the smallest one has no negative, as a floating one it has.
  return add(x, is_floating(x.dtype()) ? PlainNumber(-number.value()) : -number);
}

Tensor operator-(PlainNumber number, const Tensor& x) { return add(negative(fit(x, number)), number); }

Tensor operator/(const Tensor& x, PlainNumber number) {
  // The reciprocal of a power of two is exact, that of another number would cost a bit, and that of the
  // smallest ones is infinite.
  constexpr int kSafeExponent = 100;
  int exponent = 0;
  if (is_floating(x.dtype()) && std::abs(std::frexp(number.value(), &exponent)) == 0.5 &&
      std::abs(exponent) <= kSafeExponent) {
    return multiply_number(x, 1.0 / number.value());
  }
  if (Tape* tape = recording_tape(x)) {
    return tape->record("divide", tape->below(x) / number, {&x},
                        [number](const Tensor& g, Pull& pull) { pull(0, [&] { return g / number; }); });
  }
  return divide(x, number.beside(x));
}

Tensor operator/(PlainNumber number, const Tensor& x) {
  if (number.value() == 1.0) return reciprocal(x);
  const DType dtype = is_floating(x.dtype()) ? x.dtype() : DType::f32;
  return divide(full({}, number.value(), dtype), cast(x, dtype));
}

Tensor pow(const Tensor& a, const Tensor& b) {
  if (!is_floating(a.dtype()) && !is_floating(b.dtype())) check_powers(a, b);
  return binary("pow", Binary::power,
                {[](T x, T e, T, T g, double) {
                   // x^0 does not move with x, though 0 * 0^-1 would be NaN.
                   const Tensor flat = e == 0.0;
                   return where(flat, 0.0, g * e * pow(x, where(flat, 1, e) - 1));
                 },
                 [](T x, T e, T y, T g, double) {
                   // 0^b stays 0 when b > 0 moves, and 0 * log 0 would be NaN.
                   const Tensor flat = logical_and(x == 0.0, e >= 0.0);
                   return where(flat, 0.0, g * y * log(where(flat, 1.0, x)));
                 },
                 true, true},
                a, b);
}

Tensor pow(const Tensor& x, PlainNumber exponent) {
  if (!is_floating(x.dtype()) && !exponent.is_whole()) return pow(cast(x, DType::f32), exponent);
  if (exponent.value() == 1.0) return fit(x, exponent);
  if (exponent.value() == 2.0) return square(x);
  if (!is_floating(x.dtype())) return pow(x, exponent.beside(x));
  return unary(
      "pow", Unary::power_scalar, Save::input,
      [](T saved, T g, double p, double) { return p == 0.0 ? g * 0.0 : g * (p * pow(saved, p - 1.0)); }, x,
      exponent.value());
}

Tensor pow(PlainNumber base, const Tensor& exponent) { return pow(base.beside(exponent), exponent); }

Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("maximum", Binary::maximum,
                {[](T x, T y, T, T g, double) { return g * share(x, y, g.dtype()); },
                 [](T x, T y, T, T g, double) { return g * share(y, x, g.dtype()); }},
                a, b);
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("minimum", Binary::minimum,
                {[](T x, T y, T, T g, double) { return g * share(y, x, g.dtype()); },
                 [](T x, T y, T, T g, double) { return g * share(x, y, g.dtype()); }},
                a, b);
}

Tensor maximum(const Tensor& x, PlainNumber number) { return maximum(x, number.beside(x)); }

Tensor minimum(const Tensor& x, PlainNumber number) { return minimum(x, number.beside(x)); }

Tensor clip(const Tensor& x, PlainNumber low, PlainNumber high) {
  if (!(low.value() <= high.value())) {
    refuse("clip", "low must not be above high, got " + std::to_string(low.value()) + " and " +
                       std::to_string(high.value()));
  }
  const Tensor values = fit(fit(x, low), high);
  if (!fits_kernel(values, low) || !fits_kernel(values, high)) return minimum(maximum(values, low), high);
  return unary(
      "clip", Unary::clip, Save::input,
      [](T saved, T g, double p, double q) { return where(logical_and(saved >= p, saved <= q), g, 0.0); },
      values, low.value(), high.value());
}

Tensor abs(const Tensor& x) {
  return unary(
      "abs", Unary::absolute, Save::input, [](T saved, T g, double, double) { return g * sign(saved); }, x);
}

Tensor sign(const Tensor& x) { return unary("sign", Unary::sign, Save::nothing, nullptr, x); }

Tensor square(const Tensor& x) {
  return unary(
      "square", Unary::square, Save::input, [](T saved, T g, double, double) { return g * saved * 2.0; }, x);
}

Tensor reciprocal(const Tensor& x) {
  return unary(
      "reciprocal", Unary::reciprocal, Save::output,
      [](T y, T g, double, double) { return -(g * square(y)); }, x);
}

Tensor floor(const Tensor& x) { return round_with("floor", Unary::floor, x); }
Tensor ceil(const Tensor& x) { return round_with("ceil", Unary::ceil, x); }
Tensor round(const Tensor& x) { return round_with("round", Unary::round, x); }

}  // namespace likely
