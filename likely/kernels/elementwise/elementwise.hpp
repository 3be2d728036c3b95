// Functions of one or two elements, applied along a row of memory. A row kernel is looked up once by
// operation and type and then called directly. Every element gets the same bits wherever it stands in a row,
// and the output may be the same memory as an input. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

// y = f(x); p and q are the parameters named in brackets.
enum class Unary : std::uint8_t {
  // f32, f64 and i64
  negative,
  absolute,
  sign,
  square,
  clip,             // min(max(x, p), q); NaN stays NaN
  add_scalar,       // x + p
  multiply_scalar,  // x p
  // f32 and f64
  sqrt,
  rsqrt,
  reciprocal,
  floor,
  ceil,
  round,         // to nearest, ties to even
  power_scalar,  // x^p
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tanh,
  erf,
  erfc,
  lgamma,     // log |Gamma(x)|
  digamma,    // the derivative of lgamma; NaN at 0, -1, -2, ...
  trigamma,   // the derivative of digamma
  polygamma,  // the derivative of digamma of order q = 0, 1, 2, ...
  relu,
  leaky_relu,  // x > 0 ? x : p x
  elu,         // x > 0 ? x : p (e^x - 1)
  gelu,        // x Phi(x)
  gelu_tanh,   // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  silu,        // x sigmoid(x)
  hardswish,   // 0 below -3, x (x + 3) / 6, x above 3
  softplus,    // log(1 + e^x)
  sigmoid,
  logsigmoid,
  heaviside,  // 1 where x >= 0, 0 below, NaN of NaN
  rect,       // 1 where 0 <= x <= 1, else 0, NaN of NaN
};
inline constexpr int kUnaryCount = static_cast<int>(Unary::rect) + 1;

using UnaryRow = void (*)(const void* x, void* y, std::int64_t n, double p, double q);

// The kernel of an operation, or nullptr where it has no meaning for the type.
UnaryRow unary_row(Unary operation, DType type);

// out = f(a, b). In a gradient helper, b is the gradient that arrives and a what the forward pass kept.
enum class Binary : std::uint8_t {
  // f32, f64 and i64
  add,
  subtract,
  multiply,
  divide,   // i64: rounded down; 0 where b is 0
  power,    // i64: 0 where b < 0, unless a is 1 or -1
  maximum,  // NaN if either is
  minimum,
  // f32 and f64
  tanh_gradient,        // b (1 - a^2), a = tanh(x)
  sigmoid_gradient,     // b a (1 - a), a = sigmoid(x)
  relu_gradient,        // b where a > 0, else 0
  leaky_relu_gradient,  // b where a > 0, else p b
  elu_gradient,         // b where a > 0, else p e^a b
  gelu_gradient,        // b (Phi(a) + a phi(a))
  gelu_tanh_gradient,
  silu_gradient,
  hardswish_gradient,  // b times 0 up to -3, (2 a + 3) / 6 up to 3, then 1
  softplus_gradient,   // b sigmoid(a)
  abs_gradient,        // b sign(a)
};
inline constexpr int kBinaryCount = static_cast<int>(Binary::abs_gradient) + 1;

// A step is 1, or 0 for an operand whose first element serves the whole row.
using BinaryRow = void (*)(const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step,
                           double p);

// The kernel of an operation, or nullptr where it has no meaning for the type.
BinaryRow binary_row(Binary operation, DType type);

// A rough price of one element on one thread, for parallel_tiles.
double nanoseconds_per_element(Unary operation, DType type);
double nanoseconds_per_element(Binary operation, DType type);

}  // namespace likely::kernels
