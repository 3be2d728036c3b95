// The tensors of a tree as a checkpoint sees them. Only for train/.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/train/any_learner.hpp"

namespace likely::train::detail {

template <Tree T>
std::vector<Slot> slots_of(T& tree, const std::string& prefix) {
  std::vector<Slot> slots;
  for_each_named_leaf(tree, [&](const std::string& name, Tensor& tensor, PartKind kind) {
    add_slot(slots, prefix, name, tensor, kind);
  });
  return slots;
}

// Where a tree and all its parts are.
template <class Node>
void add_addresses(const Node& node, std::set<const void*>& addresses) {
  addresses.insert(&node);
  likely::detail::visit_below(node,
                              [&](std::string_view, const auto& part) { add_addresses(part, addresses); });
}
template <Tree T>
std::set<const void*> addresses_of(const T& tree) {
  std::set<const void*> addresses;
  add_addresses(tree, addresses);
  return addresses;
}

}  // namespace likely::train::detail
