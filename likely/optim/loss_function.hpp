// A loss as a function of all learned numbers of a model in one vector: what methods that look along a
// direction work on.
#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "likely/autodiff/dependence.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"
#include "likely/tree/learned_numbers.hpp"

namespace likely::optim {

struct Evaluation {
  double value;
  std::vector<double> gradient;
  double rounding = 0x1p-52;  // how much of the value its own type can lose: that of f64, or of f32
};

// The value and the gradient at a point.
using LossFunction = std::function<Evaluation(const std::vector<double>& point)>;

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

// Refuses another number of numbers than the parameters have.
void unpack(const std::vector<double>& numbers, const std::vector<Tensor*>& parameters);
double rounding_of(const Tensor& value);
// Whether all of them are finite: a step may lead beyond what the parameters' type holds.
bool are_finite(const std::vector<Tensor*>& parameters);
void check_minimize(const char* method, const MinimizeOptions& options);

double dot(const std::vector<double>& a, const std::vector<double>& b);
double largest(const std::vector<double>& a);  // max |a_i|
// a + factor b
std::vector<double> plus(const std::vector<double>& a, double factor, const std::vector<double>& b);

// Each evaluation puts the point into the model. Where the model cannot hold it, the loss is infinite: it may
// well be finite with infinite parameters, as when a unit is always off. The first one refuses a loss that
// uses none of the parameters; that a derivative is 0, or a parameter unused, is no reason.
template <Tree Model, class Loss>
LossFunction loss_function_of(Model& model, const Loss& loss) {
  return [&model, &loss, first = true](const std::vector<double>& point) mutable {
    const std::vector<Tensor*> parameters = likely::detail::parameter_pointers(model);
    unpack(point, parameters);
    if (!are_finite(parameters))
      return Evaluation{std::numeric_limits<double>::infinity(), std::vector<double>(point.size())};
    bool depends = point.empty();
    const auto [value, gradient] = value_and_grad(model, [&](auto&... parts) -> Tensor {
      return likely::detail::watched_loss(loss, depends, parts...);
    });
    if (first && !depends) likely::detail::refuse_independent_loss("minimize");
    first = false;
    return Evaluation{value.item(), likely::detail::gradient_numbers(model, gradient), rounding_of(value)};
  };
}

// run(loss_function, point) from where the model is, which is at the last point afterwards; as it was before
// where anything is refused on the way.
template <Tree Model, class Loss, class Run>
Minimum minimized(Model& model, const Loss& loss, const Run& run) {
  const Model before = model;
  std::vector<double> point = likely::detail::learned_numbers(model);
  try {
    const Minimum end = run(loss_function_of(model, loss), point);
    unpack(point, likely::detail::parameter_pointers(model));
    return end;
  } catch (...) {
    model = before;
    throw;
  }
}

}  // namespace detail

}  // namespace likely::optim
