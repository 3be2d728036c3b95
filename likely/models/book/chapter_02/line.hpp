// The line of chapters 2 and 6, with its loss and the parameters at which that is least.
#pragma once

#include "likely/core/parts.hpp"

namespace likely::book {

// f[x] = phi0 + phi1 x (2.4, 6.4), element by element; the three broadcast.
Tensor line(const Tensor& x, const Tensor& phi0, const Tensor& phi1);

// L = sum_i (f_i - y_i)^2 (2.5, 5.11, 6.5, 6.9). Refuses predictions that have another shape than y, and no
// elements.
Tensor least_squares(const Tensor& f, const Tensor& y);

// The line as a model: one input, one output, x and y of any shape.
struct Line {
  Tensor phi;  // (2,)

  explicit Line(double phi0 = 0.0, double phi1 = 0.0, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(phi)
};

// argmin L (2.6), in closed form and summed in f64:
//   phi1 = sum_i (x_i - mean x) (y_i - mean y) / sum_i (x_i - mean x)^2,  phi0 = mean y - phi1 mean x.
// The line has the type of x. Refuses x and y of different shapes, fewer than two different x, and numbers
// that are not finite.
Line fit_line(const Tensor& x, const Tensor& y);

}  // namespace likely::book
