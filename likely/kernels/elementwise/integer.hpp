// Row kernels of whole numbers (i64): plain loops, which wrap around instead of overflowing.
// Internal to likely.
#pragma once

#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::kernels {

UnaryRow find_integer_unary(Unary operation);
BinaryRow find_integer_binary(Binary operation);

}  // namespace likely::kernels
