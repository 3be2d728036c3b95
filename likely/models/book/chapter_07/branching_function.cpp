#include "likely/models/book/chapter_07/branching_function.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"

namespace likely::book {

Branching branching_function(const Tensor& x) {
  Branching at;
  at.f1 = exp(x);
  at.f2 = square(at.f1);
  at.f3 = at.f1 + at.f2;
  at.f4 = exp(at.f3);
  at.f5 = sin(at.f3);
  at.y = at.f4 + at.f5;
  return at;
}

BranchingReverse branching_reverse(const Tensor& x) {
  const Branching at = branching_function(x);
  BranchingReverse slope;
  slope.f5 = ones_like(at.y);
  slope.f4 = ones_like(at.y);
  slope.f3 = at.f4 * slope.f4 + cos(at.f3) * slope.f5;
  slope.f2 = slope.f3;
  slope.f1 = slope.f3 + 2.0 * at.f1 * slope.f2;
  slope.x = at.f1 * slope.f1;
  return slope;
}

Branching branching_forward(const Tensor& x) {
  const Branching at = branching_function(x);
  Branching slope;
  slope.f1 = at.f1;
  slope.f2 = 2.0 * at.f1 * slope.f1;
  slope.f3 = slope.f1 + slope.f2;
  slope.f4 = at.f4 * slope.f3;
  slope.f5 = cos(at.f3) * slope.f3;
  slope.y = slope.f4 + slope.f5;
  return slope;
}

}  // namespace likely::book
