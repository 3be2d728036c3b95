// How the elementwise operations of this folder are made: broadcast, type, kernel, record. Internal to ops/.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/kernels/elementwise/compare.hpp"
#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::detail {

// What the gradient rule of a unary operation looks at.
enum class Save : std::uint8_t { nothing, input, output };

// gradient = rule(saved, g, p, q), written with public operations.
using UnaryRule = Tensor (*)(const Tensor& saved, const Tensor& g, double p, double q);

// One operation on each element. Whole numbers become f32 first where the kernel knows only floating ones.
// A null rule means that the derivative is 0 everywhere.
Tensor unary(const char* name, kernels::Unary operation, Save save, UnaryRule rule, const Tensor& x,
             double p = 0.0, double q = 0.0);

// gradient for an input = rule(a, b, y, g, p), in the broadcast shape; it is summed down to the input's
// shape.
using BinaryRule = Tensor (*)(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& g, double p);

struct BinaryRules {
  BinaryRule first;  // null: the derivative is 0
  BinaryRule second;
  bool use_inputs = true;  // whether the rules look at a and b
  bool use_output = false;
};

// One operation on each pair of elements, after broadcasting and promotion to a common type.
Tensor binary(const char* name, kernels::Binary operation, const BinaryRules& rules, const Tensor& a,
              const Tensor& b, double p = 0.0);

// Comparisons have no derivative: the result is a bool constant.
Tensor compare(const char* name, kernels::Compare operation, const Tensor& a, const Tensor& b);
Tensor logical(const char* name, kernels::Logical operation, const Tensor& a, const Tensor& b);

}  // namespace likely::detail
