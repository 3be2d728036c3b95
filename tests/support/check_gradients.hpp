// The one checker of derivatives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"
#include "tests/support/refusal.hpp"

namespace likely::testing {

using TensorFunction = std::function<Tensor(const std::vector<Tensor>&)>;

struct GradientCheck {
  double step = 1e-6;       // of the central differences, for first derivatives
  double tolerance = 1e-6;  // |computed - difference| <= tolerance * max(1, |difference|)
  bool second = true;       // also compare the second derivatives, with central differences of the first
};

// Compares the first and second derivatives of f with central differences in f64, for every element of every
// input (inputs are made f64 first). f may return any shape: it is contracted with fixed pseudo-random
// weights, so that every output element counts. Reports every disagreement as a test failure that names input
// and element.
void check_gradients(const std::string& name, const TensorFunction& f, const std::vector<Tensor>& inputs,
                     const GradientCheck& options = {});

// f64 numbers from -scale to scale without a pattern, the same in every run: matrices of them have full rank.
Tensor numbers(const Shape& shape, double scale = 1.0, int seed = 0);

}  // namespace likely::testing
