// The tensors of a tree as a checkpoint sees them. Internal to train/.
#pragma once

#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/train/any_learner.hpp"

namespace likely::train::detail {

template <Tree T>
std::vector<Slot> slots_of(T& tree, const std::string& prefix) {
  std::vector<Slot> slots;
  for_each_named_leaf(tree, [&](const std::string& name, Tensor& tensor, PartKind kind) {
    slots.push_back({.name = prefix + name, .value = &tensor, .learned = kind != PartKind::buffer});
  });
  return slots;
}

}  // namespace likely::train::detail
