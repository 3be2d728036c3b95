// Fully connected layers as plain loops in double: what networks are compared with.
#pragma once

#include <cmath>
#include <vector>

#include "likely/core/create.hpp"

namespace likely::testing {

using Row = std::vector<double>;

inline double plain_relu(double z) { return z < 0.0 ? 0.0 : z; }
inline double plain_tanh(double z) { return std::tanh(z); }
inline double plain_sigmoid(double z) { return 1.0 / (1.0 + std::exp(-z)); }
inline double plain_identity(double z) { return z; }

// a[bias + weight x] for one point x.
inline Row plain_layer(const Tensor& weight, const Tensor& bias, const Row& x, double (*a)(double)) {
  Row y;
  for (std::int64_t j = 0; j < weight.dim(0); ++j) {
    double z = bias.at({j});
    for (std::int64_t i = 0; i < weight.dim(1); ++i) z += weight.at({j, i}) * x[static_cast<std::size_t>(i)];
    y.push_back(a(z));
  }
  return y;
}

// Row i of a matrix.
inline Row row_of(const Tensor& x, std::int64_t i) {
  Row row;
  for (std::int64_t j = 0; j < x.dim(1); ++j) row.push_back(x.at({i, j}));
  return row;
}

}  // namespace likely::testing
