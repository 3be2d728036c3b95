// The tensors of a model next to their gradients: what every optimizer works on.
#pragma once

#include <cstddef>
#include <vector>

#include "likely/core/parts.hpp"

namespace likely::optim {

// One tensor of a model, in the order of its parts. Frozen parts and buffers are not learned.
struct Leaf {
  Tensor* value;
  const Tensor* gradient;
  bool learned;
};

namespace detail {

// Refuses, in the name of an optimizer: another number of tensors than `expected` (the model it was made
// for), and gradients that differ from a learned tensor in shape or type. Nothing has been changed then.
void check_leaves(const char* optimizer, const std::vector<Leaf>& leaves, std::size_t gradients,
                  std::size_t expected);

}  // namespace detail

// All leaves of a model, paired with those of its gradient, checked as above.
template <Tree Model>
std::vector<Leaf> pair_leaves(const char* optimizer, Model& model, const Model& gradient,
                              std::size_t expected) {
  std::vector<Leaf> leaves;
  leaves.reserve(expected);
  for_each_leaf(model, [&](Tensor& tensor, PartKind kind) {
    leaves.push_back({&tensor, nullptr, kind == PartKind::parameter});
  });
  std::size_t gradients = 0;
  for_each_leaf(gradient, [&](const Tensor& tensor, PartKind) {
    if (gradients < leaves.size()) leaves[gradients].gradient = &tensor;
    ++gradients;
  });
  detail::check_leaves(optimizer, leaves, gradients, expected);
  return leaves;
}

}  // namespace likely::optim
