// Losses as heights above the plane of two parameters: the pictures of chapters 2 and 6.
#pragma once

#include <functional>

#include "likely/core/tensor.hpp"

namespace likely::book {

// A model of two parameters, of which all arguments broadcast: line, gabor.
using Curve = std::function<Tensor(const Tensor& x, const Tensor& phi0, const Tensor& phi1)>;

// L[j, k] = sum_i (f[x_i, phi0_j, phi1_k] - y_i)^2 (2.5, 6.9) for vectors phi0 and phi1. Refuses x and y of
// different sizes and parameters that are not vectors. Rows are computed one by one: memory for one row of
// predictions is enough.
Tensor loss_surface(const Curve& f, const Tensor& x, const Tensor& y, const Tensor& phi0, const Tensor& phi1);

}  // namespace likely::book
