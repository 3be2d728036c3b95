// Fully connected layers as plain loops in double: what networks are compared with.
#pragma once

#include <gtest/gtest.h>

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

// That every unit, a column of (rows, units), is off in some row and on in another, so that zeros, or a
// missing ReLU, would not pass.
inline void expect_on_and_off(const Tensor& units) {
  for (std::int64_t d = 0; d < units.dim(1); ++d) {
    int on = 0;
    for (std::int64_t i = 0; i < units.dim(0); ++i) on += units.at({i, d}) > 0.0 ? 1 : 0;
    EXPECT_GT(on, 0) << "unit " << d;
    EXPECT_LT(on, units.dim(0)) << "unit " << d;
  }
}

// The same for a layer as a whole: some unit is on in some row, some unit is off in some row.
inline void expect_some_on_and_off(const Tensor& units) {
  int on = 0;
  for (std::int64_t i = 0; i < units.dim(0); ++i) {
    for (std::int64_t d = 0; d < units.dim(1); ++d) on += units.at({i, d}) > 0.0 ? 1 : 0;
  }
  EXPECT_GT(on, 0);
  EXPECT_LT(on, units.size());
}

}  // namespace likely::testing
