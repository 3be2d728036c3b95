// Which layers of a model behave differently in training.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "likely/core/parts.hpp"
#include "likely/nn/sequential.hpp"

namespace likely::nn {

namespace detail {

// A layer that takes a Training does something with it, unless it says of itself that it does not.
template <class Node>
bool changes_in_training(const Node& node) {
  if constexpr (requires { node.changes_in_training(); }) {
    return node.changes_in_training();
  } else {
    return Trains<Node>;
  }
}

template <class Node>
void find_trained_layer(const std::string& path, const Node& node, std::string& found) {
  namespace tree = likely::detail;
  const auto below = [&](std::string_view name, const auto& part) {
    if (found.empty()) find_trained_layer(tree::join_path(path, name), part, found);
  };
  if constexpr (tree::HasParts<Node>) {
    // A model that is made of layers hands its Training on to them; it is they who do something with it.
    bool made_of_layers = false;
    node.visit_parts([&](std::string_view name, const auto& part) {
      made_of_layers = made_of_layers || !std::is_base_of_v<Tensor, std::remove_cvref_t<decltype(part)>>;
      below(name, part);
    });
    if (changes_in_training(node) && !made_of_layers && found.empty())
      found = path.empty() ? "the model" : path;
  } else if constexpr (tree::is_sequence<Node>) {
    std::size_t i = 0;
    for (const auto& part : node) below(std::to_string(i++), part);
  } else if constexpr (tree::is_optional<Node>) {
    if (node.has_value()) find_trained_layer(path, *node, found);
  } else if constexpr (tree::is_tuple_like<Node>) {
    std::size_t i = 0;
    std::apply([&](const auto&... parts) { (below(std::to_string(i++), parts), ...); }, node);
  }
}

}  // namespace detail

// The name of the first layer of a model that does something else in training than otherwise (Dropout,
// BatchNorm, your own with a call layer(x, training)), or "". One that has `bool changes_in_training() const`
// is asked: dropout of nothing does not count.
template <Tree Model>
std::string first_trained_layer(const Model& model) {
  std::string found;
  detail::find_trained_layer("", model, found);
  return found;
}

}  // namespace likely::nn
