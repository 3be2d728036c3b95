// All that a model learns as one vector, and back: for whatever wants a vector (second derivatives, samplers,
// solvers, tests).
//
//   const Tensor phi = flatten_parts(model);                  // (count_parameters(model),)
//   const Net moved = unflatten_parts(model, phi + 0.1);
//   const Tensor h = hessian(model, [&](const Net& m) { return loss(m); });   // (n, n)
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/tree/tree.hpp"

namespace likely {

namespace detail {

Tensor joined_parts(const std::vector<const Tensor*>& parts);
// Refuses a vector of another length than all of them together.
std::vector<Tensor> cut_like(const Tensor& vector, const std::vector<Tensor*>& parts);

}  // namespace detail

// The parameters, one after the other in the order of their names: buffers and frozen parts are left out.
// Differentiable. Refuses a model that learns nothing, and parameters of different types.
template <Tree T>
Tensor flatten_parts(const T& tree) {
  return detail::joined_parts(detail::parameter_pointers(tree));
}

// The model with these numbers in place of its parameters; all else is the model's. Differentiable in the
// vector. Refuses another length and another type.
template <Tree T>
T unflatten_parts(const T& tree, const Tensor& vector) {
  T result = tree;
  const std::vector<Tensor*> parameters = detail::parameter_pointers(result);
  const std::vector<Tensor> pieces = detail::cut_like(vector, parameters);
  for (std::size_t i = 0; i < pieces.size(); ++i) *parameters[i] = pieces[i];
  return result;
}

namespace detail {

// (n, n) for the n numbers of flatten_parts, of a tensor of any shape, too.
template <Tree Model, class Function>
Tensor flat_hessian(const Model& model, Function&& f) {
  return hessian(flatten_parts(model), [&](const Tensor& vector) -> Tensor {
    const Model moved = unflatten_parts(model, vector);
    return naming_layers(moved, [&]() -> Tensor { return f(moved); });
  });
}

}  // namespace detail

// All second derivatives of a function of a model that gives one number: (n, n) for the n numbers of
// flatten_parts. One sweep a row: for models of some thousand parameters; hvp does without the matrix.
template <Tree Model, class Function>
requires(!std::is_base_of_v<Tensor, Model>) Tensor hessian(const Model& model, Function&& f) {
  return detail::flat_hessian(model, f);
}

}  // namespace likely
