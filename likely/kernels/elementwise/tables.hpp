// Which source holds which row kernels. Each lookup gives nullptr for what it does not hold, chooses the
// instruction set at its first call, and is asked once per operation when the tables are made.
// Internal to likely.
#pragma once

#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::kernels {

UnaryRow find_arithmetic_unary(Unary operation, DType type);
UnaryRow find_transcendental_unary(Unary operation, DType type);
UnaryRow find_activation_unary(Unary operation, DType type);
UnaryRow find_special_unary(Unary operation, DType type);
UnaryRow find_special_vector(Unary operation, DType type);

BinaryRow find_arithmetic_binary(Binary operation, DType type);
BinaryRow find_transcendental_binary(Binary operation, DType type);
BinaryRow find_gradient_binary(Binary operation, DType type);

}  // namespace likely::kernels
