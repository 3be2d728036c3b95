// A squared distance in three terms, by way of a third number (8.2, 8.5).
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::book {

// (a - b)^2 = (a - m)^2 + 2 (a - m) (m - b) + (m - b)^2. With a prediction f, the mean mu and an answer y
// this is (8.2); with f, the mean prediction f_mu and mu it is (8.5). The middle term is 0 on average where m
// is the mean of a, or of b: what stays are the terms of (8.3) and (8.6).
struct ErrorTerms {
  Tensor first;   // (a - m)^2
  Tensor middle;  // 2 (a - m) (m - b)
  Tensor last;    // (m - b)^2
};
ErrorTerms error_terms(const Tensor& a, const Tensor& m, const Tensor& b);

}  // namespace likely::book
