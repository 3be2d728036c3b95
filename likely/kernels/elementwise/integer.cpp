#include "likely/kernels/elementwise/integer.hpp"

#include <algorithm>
#include <limits>

namespace likely::kernels {

namespace {

using Integer = std::int64_t;
using Wrapping = std::uint64_t;

// A parameter that lies beyond the range of integers, such as an infinite bound of clip, becomes its end.
Integer to_integer(double value) {
  if (value >= 9223372036854775807.0) return std::numeric_limits<Integer>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<Integer>::min();
  return value == value ? static_cast<Integer>(value) : 0;
}

Integer wrapped(Wrapping value) { return static_cast<Integer>(value); }

template <class Function>
void for_row(const void* x_memory, void* y_memory, std::int64_t n, Function function) {
  const Integer* x = static_cast<const Integer*>(x_memory);
  Integer* y = static_cast<Integer*>(y_memory);
  for (std::int64_t i = 0; i < n; ++i) y[i] = function(x[i]);
}

template <class Function>
void for_row(const void* a_memory, const void* b_memory, void* out_memory, std::int64_t n, int a_step,
             int b_step, Function function) {
  const Integer* a = static_cast<const Integer*>(a_memory);
  const Integer* b = static_cast<const Integer*>(b_memory);
  Integer* out = static_cast<Integer*>(out_memory);
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = function(a[i], b[i]);
  } else {
    // Held aside, since the output may be the memory of the operand that stays.
    const Integer first_a = n > 0 ? a[0] : 0;
    const Integer first_b = n > 0 ? b[0] : 0;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = function(a_step == 0 ? first_a : a[i], b_step == 0 ? first_b : b[i]);
    }
  }
}

Integer floor_divide(Integer a, Integer b) {
  if (b == 0) return 0;
  if (b == -1) return wrapped(Wrapping{0} - Wrapping(a));
  const Integer quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Integer integer_power(Integer base, Integer exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  Wrapping result = 1;
  Wrapping factor = Wrapping(base);
  for (Wrapping left = Wrapping(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= factor;
    factor *= factor;
  }
  return wrapped(result);
}

}  // namespace

UnaryRow find_integer_unary(Unary operation) {
  switch (operation) {
    case Unary::negative:
      return [](const void* x, void* y, std::int64_t n, double, double) {
        for_row(x, y, n, [](Integer v) { return wrapped(Wrapping{0} - Wrapping(v)); });
      };
    case Unary::absolute:
      return [](const void* x, void* y, std::int64_t n, double, double) {
        for_row(x, y, n, [](Integer v) { return v < 0 ? wrapped(Wrapping{0} - Wrapping(v)) : v; });
      };
    case Unary::sign:
      return [](const void* x, void* y, std::int64_t n, double, double) {
        for_row(x, y, n, [](Integer v) { return Integer{v > 0} - Integer{v < 0}; });
      };
    case Unary::square:
      return [](const void* x, void* y, std::int64_t n, double, double) {
        for_row(x, y, n, [](Integer v) { return wrapped(Wrapping(v) * Wrapping(v)); });
      };
    case Unary::clip:
      return [](const void* x, void* y, std::int64_t n, double p, double q) {
        const Integer low = to_integer(p);
        const Integer high = to_integer(q);
        for_row(x, y, n, [=](Integer v) { return std::min(std::max(v, low), high); });
      };
    case Unary::add_scalar:
      return [](const void* x, void* y, std::int64_t n, double p, double) {
        const Wrapping amount = Wrapping(to_integer(p));
        for_row(x, y, n, [=](Integer v) { return wrapped(Wrapping(v) + amount); });
      };
    case Unary::multiply_scalar:
      return [](const void* x, void* y, std::int64_t n, double p, double) {
        const Wrapping factor = Wrapping(to_integer(p));
        for_row(x, y, n, [=](Integer v) { return wrapped(Wrapping(v) * factor); });
      };
    default: return nullptr;
  }
}

BinaryRow find_integer_binary(Binary operation) {
  switch (operation) {
    case Binary::add:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step,
                [](Integer u, Integer v) { return wrapped(Wrapping(u) + Wrapping(v)); });
      };
    case Binary::subtract:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step,
                [](Integer u, Integer v) { return wrapped(Wrapping(u) - Wrapping(v)); });
      };
    case Binary::multiply:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step,
                [](Integer u, Integer v) { return wrapped(Wrapping(u) * Wrapping(v)); });
      };
    case Binary::divide:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step, floor_divide);
      };
    case Binary::power:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step, integer_power);
      };
    case Binary::maximum:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step, [](Integer u, Integer v) { return std::max(u, v); });
      };
    case Binary::minimum:
      return [](const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step, double) {
        for_row(a, b, out, n, a_step, b_step, [](Integer u, Integer v) { return std::min(u, v); });
      };
    default: return nullptr;
  }
}

}  // namespace likely::kernels
