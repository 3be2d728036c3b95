// A loss as a function of all learned numbers of a model in one vector: what methods that look along a
// direction work on.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"

namespace likely::optim {

struct Evaluation {
  double value;
  std::vector<double> gradient;
};

// The value and the gradient at a point.
using Objective = std::function<Evaluation(const std::vector<double>& point)>;

// What a minimization came to.
struct Minimum {
  double loss;           // at the last point
  double gradient_norm;  // the largest |derivative| there
  int iterations;        // steps that were made
  int evaluations;       // of the loss and its gradient
  bool converged;        // whether the gradient became as small as asked for
};

// Refused: max_iterations < 0, tolerance < 0.
struct MinimizeOptions {
  int max_iterations = 100;
  double gradient_tolerance = 1e-6;  // stop where no |derivative| is larger
};

namespace detail {

std::vector<double> pack(const std::vector<const Tensor*>& parameters);
void unpack(const std::vector<double>& numbers, const std::vector<Tensor*>& parameters);
void check_minimize(const char* method, const MinimizeOptions& options);

double dot(const std::vector<double>& a, const std::vector<double>& b);
double largest(const std::vector<double>& a);  // max |a_i|
// a + factor b
std::vector<double> plus(const std::vector<double>& a, double factor, const std::vector<double>& b);

template <Tree Model>
std::vector<Tensor*> learned(Model& model) {
  std::vector<Tensor*> parameters;
  for_each_leaf(model, [&](Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter) parameters.push_back(&tensor);
  });
  return parameters;
}
template <Tree Model>
std::vector<double> pack(const Model& model) {
  std::vector<const Tensor*> parameters;
  for_each_leaf(model, [&](const Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter) parameters.push_back(&tensor);
  });
  return pack(parameters);
}
// The gradient of what is learned; that of frozen parts is there too, but 0.
template <Tree Model>
std::vector<double> pack_gradient(const Model& model, const Model& gradient) {
  std::vector<bool> learned;
  for_each_leaf(model, [&](const Tensor&, PartKind kind) { learned.push_back(kind == PartKind::parameter); });
  std::vector<const Tensor*> parameters;
  std::size_t next = 0;
  for_each_leaf(gradient, [&](const Tensor& tensor, PartKind) {
    if (learned[next++]) parameters.push_back(&tensor);
  });
  return pack(parameters);
}

// Each evaluation puts the point into the model.
template <Tree Model, class Loss>
Objective objective_of(Model& model, const Loss& loss) {
  return [&model, &loss](const std::vector<double>& point) {
    unpack(point, learned(model));
    const auto [value, gradient] = value_and_grad(model, loss);
    return Evaluation{value.item(), pack_gradient(model, gradient)};
  };
}

}  // namespace detail

}  // namespace likely::optim
