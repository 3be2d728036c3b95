// What a model learns as plain numbers, one after the other in the order of the parts: for methods that work
// on vectors of doubles (optim/loss_function.hpp, prob/mcmc/density_gradient.hpp). Only for prob/
// and optim/: flat.hpp has a tensor for users.
#pragma once

#include <cstddef>
#include <vector>

#include "likely/core/parts.hpp"

namespace likely::detail {

std::vector<double> numbers_of(const std::vector<const Tensor*>& tensors);
// Back into tensors of the same shapes and types. There must be as many numbers as they hold.
void set_numbers(const std::vector<Tensor*>& tensors, const std::vector<double>& numbers);

template <Tree Model>
std::vector<double> learned_numbers(const Model& model) {
  return numbers_of(parameter_pointers(model));
}

// Those of a gradient where the model has its parameters: zeros for its other parts are left out.
template <Tree Model>
std::vector<double> gradient_numbers(const Model& model, const Model& gradient) {
  std::vector<bool> learned;
  for_each_leaf(model, [&](const Tensor&, PartKind kind) { learned.push_back(kind == PartKind::parameter); });
  std::vector<const Tensor*> found;
  std::size_t next = 0;
  for_each_leaf(gradient, [&](const Tensor& tensor, PartKind) {
    if (learned[next++]) found.push_back(&tensor);
  });
  return numbers_of(found);
}

}  // namespace likely::detail
