// Logistic regression: yes or no by one number.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/prob/distributions/bernoulli.hpp"

namespace likely::book {

// Pr(y = 1 | x) = sig[phi0 + phi1 x] (6.21-6.22), x of any shape. The loss (5.20) is
// -sum(model.law(x).log_prob(y)).
struct Logistic {
  Tensor phi;  // (2,)

  explicit Logistic(double phi0 = 0.0, double phi1 = 0.0, DType dtype = DType::f32);
  // phi0 + phi1 x.
  Tensor operator()(const Tensor& x) const;
  Bernoulli law(const Tensor& x) const { return Bernoulli((*this)(x)); }
  LIKELY_PARTS(phi)
};

}  // namespace likely::book
