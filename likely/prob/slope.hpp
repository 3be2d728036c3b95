// A log-density with its gradient, as plain numbers: what the samplers (hmc.hpp, nuts.hpp) work on.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"
#include "likely/tree/learned_numbers.hpp"

namespace likely {

// A log-density and its gradient at a point.
struct Slope {
  double log_density;
  std::vector<double> gradient;
};
using SlopeFunction = std::function<Slope(const std::vector<double>& position)>;

namespace detail {

// The same, but minus infinity where the log-density is refused, as for a parameter outside its domain:
// nothing is likely there.
Slope slope_or_nothing(const SlopeFunction& slope, const std::vector<double>& position);
// Whether a sampler can go on from here.
bool is_finite(const Slope& slope);

// The model with these numbers for what is learned.
template <class Model>
Model with_numbers(Model model, const std::vector<double>& numbers) {
  set_numbers(parameter_pointers(model), numbers);
  return model;
}

// The log-density of a model like `start` at any numbers for what is learned. It may be called by several
// threads at once where log_density may.
template <class Model, class LogDensity>
SlopeFunction slope_of(const Model& start, const LogDensity& log_density) {
  return [&start, &log_density](const std::vector<double>& position) {
    const Model model = with_numbers(start, position);
    const auto at = value_and_grad(model, log_density);
    return Slope{at.value.item(), gradient_numbers(model, at.gradient)};
  };
}

}  // namespace detail

}  // namespace likely
