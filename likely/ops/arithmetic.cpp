#include "likely/ops/arithmetic.hpp"

#include <cmath>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/elementwise.hpp"
#include "likely/ops/math.hpp"

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

// Whole numbers become f32 before they meet a fraction.
Tensor fit_number(const Tensor& x, double number) {
  if (is_floating(x.dtype()) || number == std::floor(number)) {
    return x.dtype() == DType::boolean ? cast(x, DType::i64) : x;
  }
  return cast(x, DType::f32);
}

// A number as a 0-d tensor of the type that fit_number gives x.
Tensor number_for(const Tensor& x, double number) { return full({}, number, fit_number(x, number).dtype()); }

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

Tensor add(const Tensor& x, double number) {
  return unary(
      "add", Unary::add_scalar, Save::nothing, [](T, T g, double, double) { return g; },
      fit_number(x, number), number);
}

Tensor multiply(const Tensor& x, double number) {
  return unary(
      "multiply", Unary::multiply_scalar, Save::nothing, [](T, T g, double p, double) { return g * p; },
      fit_number(x, number), number);
}

Tensor operator/(const Tensor& x, double number) {
  // The reciprocal of a power of two is exact, that of another number would cost a bit.
  int exponent = 0;
  if (is_floating(x.dtype()) && std::abs(std::frexp(number, &exponent)) == 0.5)
    return multiply(x, 1.0 / number);
  if (Tape* tape = recording_tape(x)) {
    return tape->record("divide", tape->below(x) / number, {&x},
                        [number](const Tensor& g, Pull& pull) { pull(0, [&] { return g / number; }); });
  }
  return divide(x, number_for(x, number));
}

Tensor pow(const Tensor& a, const Tensor& b) {
  return binary("pow", Binary::power,
                {[](T x, T e, T, T g, double) {
                   // x^0 does not move with x, though 0 * 0^-1 would be NaN.
                   const Tensor flat = e == 0.0;
                   return where(flat, 0.0, g * e * pow(x, where(flat, 1.0, e) - 1.0));
                 },
                 [](T x, T e, T y, T g, double) {
                   // 0^b stays 0 when b > 0 moves, and 0 * log 0 would be NaN.
                   const Tensor flat = logical_and(x == 0.0, e >= 0.0);
                   return where(flat, 0.0, g * y * log(where(flat, 1.0, x)));
                 },
                 true, true},
                a, b);
}

Tensor pow(const Tensor& x, double exponent) {
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return square(x);
  if (!is_floating(x.dtype())) return pow(x, number_for(x, exponent));
  return unary(
      "pow", Unary::power_scalar, Save::input,
      [](T saved, T g, double p, double) { return p == 0.0 ? g * 0.0 : g * (p * pow(saved, p - 1.0)); }, x,
      exponent);
}

Tensor pow(double base, const Tensor& exponent) { return pow(number_for(exponent, base), exponent); }

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

Tensor maximum(const Tensor& x, double number) { return maximum(x, number_for(x, number)); }

Tensor minimum(const Tensor& x, double number) { return minimum(x, number_for(x, number)); }

Tensor clip(const Tensor& x, double low, double high) {
  if (!(low <= high)) {
    refuse("clip", "low must not be above high, got " + std::to_string(low) + " and " + std::to_string(high));
  }
  return unary(
      "clip", Unary::clip, Save::input,
      [](T saved, T g, double p, double q) { return where(logical_and(saved >= p, saved <= q), g, 0.0); },
      fit_number(fit_number(x, low), high), low, high);
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
