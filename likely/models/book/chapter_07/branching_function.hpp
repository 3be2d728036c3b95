// A function whose inner value is used twice (7.44), with its derivatives by hand, in both directions.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::book {

// y = exp[exp[x] + exp[x]^2] + sin[exp[x] + exp[x]^2], taken apart (7.45), for each element of x.
struct Branching {
  Tensor f1;  // exp[x]
  Tensor f2;  // f1^2
  Tensor f3;  // f1 + f2
  Tensor f4;  // exp[f3]
  Tensor f5;  // sin[f3]
  Tensor y;   // f4 + f5
};
Branching branching_function(const Tensor& x);

// The derivatives of y by each part, from the end to the beginning (7.46): what several later parts use gets
// the sum of what they pass back.
struct BranchingReverse {
  Tensor f5, f4, f3, f2, f1, x;
};
BranchingReverse branching_reverse(const Tensor& x);

// The derivatives of each part by x, from the beginning to the end (7.47).
Branching branching_forward(const Tensor& x);

}  // namespace likely::book
