// The Gabor model of chapter 6: two parameters, and a loss with many minima.
#pragma once

#include "likely/core/parts.hpp"

namespace likely::book {

// f[x] = sin(u) exp(-u^2 / 32) with u = phi0 + 0.06 phi1 x (6.8), element by element; the three broadcast.
Tensor gabor(const Tensor& x, const Tensor& phi0, const Tensor& phi1);

// The same as a model, x and y of any shape. data::gabor_data is made by it.
struct Gabor {
  Tensor phi;  // (2,)

  explicit Gabor(double phi0 = 0.0, double phi1 = 10.0, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(phi)
};

}  // namespace likely::book
