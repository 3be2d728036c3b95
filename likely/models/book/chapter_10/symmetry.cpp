#include "likely/models/book/chapter_10/symmetry.hpp"

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::book {

namespace {

double largest_difference(const char* caller, const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()))
    refuse(caller, "shapes differ: " + a.shape().string() + " and " + b.shape().string());
  return max(abs(a - b)).item();
}

}  // namespace

double invariance_gap(const TensorMap& f, const TensorMap& t, const Tensor& x) {
  return largest_difference("invariance_gap", f(t(x)), f(x));
}

double equivariance_gap(const TensorMap& f, const TensorMap& t, const Tensor& x) {
  return largest_difference("equivariance_gap", f(t(x)), t(f(x)));
}

}  // namespace likely::book
