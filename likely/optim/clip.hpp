// Gradients kept from being too large. In place, in one walk over the whole tree.
#pragma once

#include <vector>

#include "likely/core/parts.hpp"

namespace likely::optim {

// What the functions below do, for the tensors of a gradient wherever they come from.
double global_norm(const std::vector<const Tensor*>& tensors);
double clip_norm(const std::vector<Tensor*>& tensors, double most);
void clip_value(const std::vector<Tensor*>& tensors, double most);

// The square root of the sum of the squares of all parameters of a tree, added in f64. The same bits for any
// number of threads.
template <Tree Model>
double global_norm(const Model& gradient) {
  return global_norm(likely::detail::parameter_pointers(gradient));
}

// Multiplies a gradient whose global norm is larger than `most` by most / norm. Returns the norm it had. One
// that is not finite is left alone, for the caller to see. Refuses most <= 0.
template <Tree Model>
double clip_norm(Model& gradient, double most) {
  return clip_norm(likely::detail::parameter_pointers(gradient), most);
}

// Moves each number of a gradient into [-most, most]; NaN stays NaN. Refuses most <= 0.
template <Tree Model>
void clip_value(Model& gradient, double most) {
  clip_value(likely::detail::parameter_pointers(gradient), most);
}

}  // namespace likely::optim
