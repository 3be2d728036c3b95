// Which layers of a model behave differently in training.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "likely/core/parts.hpp"
#include "likely/nn/sequential.hpp"

namespace likely::nn {

// What the functions below call a model that is meant itself, not one of its parts.
inline constexpr const char* kWholeModel = "the model";

namespace detail {

namespace tree = likely::detail;

// As good as a Training to whoever calls it, and another type to whoever asks.
struct InsteadOfTraining {
  operator const Training&() const;  // NOLINT(google-explicit-constructor)
  Rng split() const;
  bool takes_statistics() const;
};

template <class Layer, class Input>
concept TakesAnything = requires {
  static_cast<Tensor (Layer::*)(Input, const InsteadOfTraining&)>(&Layer::operator());
}
|| requires { static_cast<Tensor (Layer::*)(Input, const InsteadOfTraining&) const>(&Layer::operator()); };

// A layer that takes a Training does something with it. One whose call is a template that takes anything
// (const auto&... training) says nothing by that.
template <class Layer>
concept TakesTraining =
    Trains<Layer> && !TakesAnything<Layer, const Tensor&> && !TakesAnything<Layer, Tensor>;

template <class Layer>
concept KnowsTraining = requires(const Layer& layer) {
  layer.changes_in_training();
};

template <class... Types>
constexpr bool made_of_layers(tree::TypeList<Types...>) {
  return (!std::is_base_of_v<Tensor, Types> || ...);
}

template <class Node>
bool changes_in_training(const Node& node) {
  if constexpr (KnowsTraining<Node>) {
    return node.changes_in_training();
  } else {
    return TakesTraining<Node>;
  }
}

// Below a node, with their paths, until something is found.
template <class Node, class Visit>
void visit_layers(const std::string& path, const Node& node, const std::string& found, Visit&& visit) {
  tree::visit_below(node, [&](std::string_view name, const auto& part) {
    if (found.empty()) visit(tree::join_path(path, name), part);
  });
}

// A node that does not show the type of what it holds (any_layer.hpp), and looks into it itself.
template <class Node>
concept LooksForTrainedLayers = requires(const Node& node, const std::string& path, std::string& found) {
  node.find_trained_layer(path, found);
  node.find_unnamed(path, found);
};

inline std::string name_of_layer(const std::string& path) { return path.empty() ? kWholeModel : path; }

template <class Node>
void find_trained_layer(const std::string& path, const Node& node, std::string& found) {
  if constexpr (LooksForTrainedLayers<Node>) {
    node.find_trained_layer(path, found);
    return;
  }
  visit_layers(path, node, found,
               [&](const std::string& name, const auto& part) { find_trained_layer(name, part, found); });
  if constexpr (tree::HasParts<Node>) {
    // A model that is made of layers hands its Training on to them; it is they who do something with it.
    bool of_layers = false;
    node.visit_parts([&](std::string_view, const auto& part) {
      of_layers = of_layers || !std::is_base_of_v<Tensor, std::remove_cvref_t<decltype(part)>>;
    });
    if (found.empty() && !of_layers && changes_in_training(node)) found = name_of_layer(path);
  }
}

// Whether a type is such a layer or holds one, as far as types tell.
template <class T, class... Outer>
constexpr bool holds_trained_layer() {
  const auto any_of = []<class... Types>(tree::TypeList<Types...>) {
    return (holds_trained_layer<Types, T, Outer...>() || ...);
  };
  // NOLINTNEXTLINE(bugprone-branch-clone): another reason
  if constexpr ((std::is_same_v<T, Outer> || ...) || std::is_base_of_v<Tensor, T>) {
    return false;
  } else if constexpr (tree::is_sequence<T> || tree::is_optional<T>) {
    return any_of(tree::TypeList<typename T::value_type>{});
  } else if constexpr (tree::is_tuple_like<T>) {
    return []<template <class...> class Tuple, class... Types>(Tuple<Types...>*, auto any) {
      return any(tree::TypeList<Types...>{});
    }(static_cast<T*>(nullptr), any_of);
  } else if constexpr (requires { T::likely_part_types(); }) {
    using Parts = decltype(T::likely_part_types());
    return made_of_layers(Parts{}) ? any_of(Parts{}) : KnowsTraining<T> || TakesTraining<T>;
  } else {
    return false;
  }
}
struct HoldsTrainedLayer {
  template <class T>
  static constexpr bool of() {
    return holds_trained_layer<T>();
  }
};

template <class Node>
void find_unnamed(const std::string& path, const Node& node, std::string& found) {
  if constexpr (LooksForTrainedLayers<Node>) {
    node.find_unnamed(path, found);
    return;
  }
  if constexpr (requires { Node::likely_part_types(); }) {
    if (found.empty() && !tree::names_every_part<Node, HoldsTrainedLayer>()) found = name_of_layer(path);
  }
  visit_layers(path, node, found,
               [&](const std::string& name, const auto& part) { find_unnamed(name, part, found); });
}

}  // namespace detail

// The name of the first layer of a model that does something else in training than otherwise (Dropout,
// BatchNorm, your own with a call layer(x, training)), or "". One that has `bool changes_in_training() const`
// is asked: dropout of nothing does not count. One whose call is a template that takes anything counts only
// if it has that and says so.
template <Tree Model>
std::string first_trained_layer(const Model& model) {
  std::string found;
  detail::find_trained_layer("", model, found);
  return found;
}

// The name of the first struct in a model with a member that is such a layer, or holds one, and is not named
// in its LIKELY_PARTS; or "". Looks where core/forgotten_parts.hpp can look, at types alone: dropout of
// nothing counts.
template <Tree Model>
std::string unnamed_trained_layer(const Model& model) {
  std::string found;
  detail::find_unnamed("", model, found);
  return found;
}

}  // namespace likely::nn
