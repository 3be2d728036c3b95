// A log-density with its gradient, as plain numbers: what the samplers (hmc.hpp, nuts.hpp) work on.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "likely/autodiff/dependence.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"
#include "likely/tree/learned_numbers.hpp"

namespace likely {

// A log-density and its gradient at a point.
struct DensityGradient {
  double log_density;
  std::vector<double> gradient;
};
using DensityGradientFunction = std::function<DensityGradient(const std::vector<double>& position)>;

namespace detail {

// The same, but minus infinity where the log-density is refused, as for a parameter outside its domain:
// nothing is likely there.
DensityGradient density_gradient_or_nothing(const DensityGradientFunction& density,
                                            const std::vector<double>& position);
// Whether a sampler can go on from here.
bool is_finite(const DensityGradient& density);

// The model with these numbers for what is learned.
template <class Model>
Model with_numbers(Model model, const std::vector<double>& numbers) {
  set_numbers(parameter_pointers(model), numbers);
  return model;
}

// Refuses a log-density that is a finite number at the start and uses none of the parameters: a sampler would
// walk away without end. That it is flat, or a parameter unused, is no reason.
template <class Model, class LogDensity>
void check_dependence(const char* sampler, const Model& start, const LogDensity& log_density) {
  bool depends = parameter_pointers(start).empty();
  const auto watched = [&](auto&... parts) -> Tensor { return watched_loss(log_density, depends, parts...); };
  const DensityGradientFunction at_start = [&](const std::vector<double>&) {
    return DensityGradient{value_and_grad(start, watched).value.item(), {}};
  };
  const DensityGradient found = density_gradient_or_nothing(at_start, {});
  if (!depends && is_finite(found)) refuse_independent_loss(sampler, "log-density");
}

// The log-density of a model like `start` at any numbers for what is learned. It may be called by several
// threads at once where log_density may.
template <class Model, class LogDensity>
DensityGradientFunction density_gradient_of(const char* sampler, const Model& start,
                                            const LogDensity& log_density) {
  check_dependence(sampler, start, log_density);
  return [&start, &log_density](const std::vector<double>& position) {
    const Model model = with_numbers(start, position);
    const auto at = value_and_grad(model, log_density);
    return DensityGradient{at.value.item(), gradient_numbers(model, at.gradient)};
  };
}

}  // namespace detail

}  // namespace likely
