#include "tests/support/check_gradients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::testing {

namespace {

using Scalar = std::function<Tensor(const std::vector<Tensor>&)>;

// The inputs with one element moved. Strides are kept: a view stays a view of the same layout.
std::vector<Tensor> moved(const std::vector<Tensor>& inputs, std::size_t which, std::int64_t element,
                          double by) {
  std::vector<Tensor> result = inputs;
  std::vector<double> values = inputs[which].to_vector<double>();
  values[static_cast<std::size_t>(element)] += by;
  result[which] = tensor(values, inputs[which].shape());
  return result;
}

void compare_with_differences(const std::string& what, const Scalar& f, const std::vector<Tensor>& gradients,
                              const std::vector<Tensor>& inputs, double step, double tolerance) {
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    ASSERT_EQ(gradients[which].shape().string(), inputs[which].shape().string())
        << what << ", input " << which;
    const std::vector<double> computed = gradients[which].to_vector<double>();
    for (std::int64_t i = 0; i < inputs[which].size(); ++i) {
      const double up = f(moved(inputs, which, i, step)).item();
      const double down = f(moved(inputs, which, i, -step)).item();
      const double difference = (up - down) / (2 * step);
      const double error = std::abs(computed[static_cast<std::size_t>(i)] - difference);
      EXPECT_LE(error, tolerance * std::max(1.0, std::abs(difference)))
          << what << ": input " << which << ", element " << i << ": computed "
          << computed[static_cast<std::size_t>(i)] << ", by differences " << difference;
    }
  }
}

}  // namespace

Tensor numbers(const Shape& shape, double scale, int seed) {
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  std::uint64_t state = 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(seed + 1);
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = scale * (static_cast<double>(state >> 11U) * 0x1p-52 - 1.0);
  }
  return tensor(values, shape);
}

void check_gradients(const std::string& name, const TensorFunction& f, const std::vector<Tensor>& inputs,
                     const GradientCheck& options) {
  std::vector<Tensor> point;
  for (const Tensor& input : inputs)
    point.push_back(input.dtype() == DType::f64 ? input : input.to(DType::f64));
  const Scalar contracted = [&](const std::vector<Tensor>& x) {
    const Tensor y = f(x);
    return sum(y * numbers(y.shape(), 1.0, 17));
  };
  compare_with_differences(name + ", first derivative", contracted, grad(point, contracted), point,
                           options.step, options.tolerance);
  if (!options.second) return;
  const Scalar slope = [&](const std::vector<Tensor>& x) {
    const std::vector<Tensor> gradients = grad(x, contracted);
    Tensor total = tensor(0.0, DType::f64);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      total = total + sum(gradients[i] * numbers(gradients[i].shape(), 1.0, 23 + static_cast<int>(i)));
    }
    return total;
  };
  compare_with_differences(name + ", second derivative", slope, grad(point, slope), point, options.step,
                           options.tolerance * 10);
}

}  // namespace likely::testing
