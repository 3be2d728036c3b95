// A log-density with its gradient, as plain numbers: what the samplers (hmc.hpp, nuts.hpp) work on.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"

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

// All learned numbers of these tensors in a row, and back into tensors like them.
std::vector<double> flat_numbers(const std::vector<const Tensor*>& leaves);
void set_numbers(const std::vector<Tensor*>& leaves, const std::vector<double>& numbers);

template <class Model>
std::vector<Tensor*> learned_leaves(Model& model) {
  std::vector<Tensor*> leaves;
  for_each_leaf(model, [&](Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter) leaves.push_back(&tensor);
  });
  return leaves;
}
template <class Model>
std::vector<const Tensor*> learned_leaves(const Model& model, const Model& kinds) {
  std::vector<const Tensor*> leaves;
  std::vector<PartKind> kind_of_each;
  for_each_leaf(kinds, [&](const Tensor&, PartKind kind) { kind_of_each.push_back(kind); });
  std::size_t i = 0;
  for_each_leaf(model, [&](const Tensor& tensor, PartKind) {
    if (kind_of_each[i++] == PartKind::parameter) leaves.push_back(&tensor);
  });
  return leaves;
}

template <class Model>
std::vector<double> learned_numbers(const Model& model) {
  return flat_numbers(learned_leaves(model, model));
}
// The model with these numbers for what is learned.
template <class Model>
Model with_numbers(Model model, const std::vector<double>& numbers) {
  set_numbers(learned_leaves(model), numbers);
  return model;
}

// The log-density of a model like `start` at any numbers for what is learned. It may be called by several
// threads at once where log_density may.
template <class Model, class LogDensity>
SlopeFunction slope_of(const Model& start, const LogDensity& log_density) {
  return [&start, &log_density](const std::vector<double>& position) {
    const Model model = with_numbers(start, position);
    const auto at = value_and_grad(model, log_density);
    return Slope{at.value.item(), flat_numbers(learned_leaves(at.gradient, model))};
  };
}

}  // namespace detail

}  // namespace likely
