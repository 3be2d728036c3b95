// Walks over the structs of a tree: models within models, not only their tensors.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "likely/core/parts.hpp"

namespace likely {

namespace detail {

template <class Node, class Visit>
void walk_nodes(const std::string& path, Node& node, Visit& visit) {
  if constexpr (HasParts<std::remove_const_t<Node>>) visit(path, node);
  visit_below(node,
              [&](std::string_view name, auto& part) { walk_nodes(join_path(path, name), part, visit); });
}

}  // namespace detail

// Calls f(name, node) for every struct with LIKELY_PARTS in a tree, the outer before the inner, in order:
// f("generator", ...), f("generator.hidden.0", ...). The tree itself is "". A layer without its type
// (nn::AnyLayer) is one node, whatever is inside it.
template <Tree T, class F>
void for_each_node(T& tree, F&& f) {
  detail::walk_nodes({}, tree, f);
}

}  // namespace likely
