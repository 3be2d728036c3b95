// Invariance and equivariance (10.1, 10.2): how much a function of something changes when that is moved.
#pragma once

#include <functional>

#include "likely/core/tensor.hpp"

namespace likely::book {

using TensorMap = std::function<Tensor(const Tensor&)>;

// max |f[t[x]] - f[x]|: 0 where f does not see the transformation t (10.1).
double invariance_gap(const TensorMap& f, const TensorMap& t, const Tensor& x);

// max |f[t[x]] - t[f[x]]|: 0 where f's output is transformed as its input is (10.2).
double equivariance_gap(const TensorMap& f, const TensorMap& t, const Tensor& x);

}  // namespace likely::book
