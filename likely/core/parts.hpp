// LIKELY_PARTS: how a model names the tensors and layers it is made of.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/forgotten_parts.hpp"
#include "likely/core/tensor.hpp"

// In a struct: LIKELY_PARTS(hidden, out). Parts may be tensors, buffers, structs with parts of their own, and
// vectors, arrays, optionals, pairs and tuples of them. Order and names are those written here.
//
// What is not named is neither learned nor saved. In a struct without constructors the compiler refuses a
// member that holds tensors and is not named; in others (and beyond 16 members) it cannot see one. A tensor
// that is meant to be left out is declared NotAPart<Tensor>.
#define LIKELY_PARTS(...)                                                                           \
  static auto likely_part_types() { return decltype(::likely::detail::list_types(__VA_ARGS__)){}; } \
  template <class LikelyVisitor>                                                                    \
  void visit_parts(LikelyVisitor&& likely_visit) {                                                  \
    ::likely::detail::visit_named(*this, #__VA_ARGS__, likely_visit __VA_OPT__(, ) __VA_ARGS__);    \
  }                                                                                                 \
  template <class LikelyVisitor>                                                                    \
  void visit_parts(LikelyVisitor&& likely_visit) const {                                            \
    ::likely::detail::visit_named(*this, #__VA_ARGS__, likely_visit __VA_OPT__(, ) __VA_ARGS__);    \
  }

namespace likely {

namespace detail {

// Cuts "a, b, c" at its commas.
template <std::size_t N>
constexpr std::array<std::string_view, N> split_names(std::string_view text) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const std::size_t comma = text.find(',');
    names[i] = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return names;
}

template <class Model, class Visitor, class... Parts>
void visit_named(const Model&, std::string_view text, Visitor&& visit, Parts&... parts) {
  static_assert(
      names_every_part<Model>(),
      "a member of this model holds tensors and is missing from its LIKELY_PARTS: it would neither be "
      "learned nor saved. Name it there, or declare it NotAPart<...>");
  [[maybe_unused]] const auto names = split_names<sizeof...(Parts)>(text);
  [[maybe_unused]] std::size_t i = 0;
  (visit(names[i++], parts), ...);
}

struct AnyVisitor {
  template <class Part>
  void operator()(std::string_view, Part&) const {}
};

template <class T>
concept HasParts = requires(T& value) {
  value.visit_parts(AnyVisitor{});
};

template <class T>
inline constexpr bool is_tuple_like = false;
template <class... Ts>
inline constexpr bool is_tuple_like<std::tuple<Ts...>> = true;
template <class A, class B>
inline constexpr bool is_tuple_like<std::pair<A, B>> = true;

template <class T>
inline constexpr bool is_sequence = false;
template <class T, class A>
inline constexpr bool is_sequence<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool is_sequence<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_tree_v =
    std::is_base_of_v<Tensor, T> || HasParts<T> || is_sequence<T> || is_optional<T> || is_tuple_like<T>;

template <class T, class... Outer>
constexpr bool holds_tensors() {
  if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return false;  // a type that holds itself is asked once
  } else if constexpr (std::is_base_of_v<Tensor, T>) {
    return true;
  } else if constexpr (is_sequence<T> || is_optional<T>) {
    return holds_tensors<typename T::value_type, T, Outer...>();
  } else if constexpr (is_tuple_like<T>) {
    return []<template <class...> class Tuple, class... Types>(Tuple<Types...>*) {
      return any_holds_tensors<T, Outer...>(TypeList<Types...>{});
    }(static_cast<T*>(nullptr));
  } else if constexpr (requires { T::likely_part_types(); }) {
    return any_holds_tensors<T, Outer...>(decltype(T::likely_part_types()){});
  } else {
    return false;
  }
}

inline std::string join_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

// Calls leaf(path, tensor, is_buffer) for every tensor below `node`, in order. Paths are built only if asked
// for.
template <bool WithPaths, class Node, class Leaf>
void walk_tree(const std::string& path, Node& node, Leaf& leaf) {
  using Plain = std::remove_const_t<Node>;
  const auto below = [&](std::string_view name, auto& part) {
    if constexpr (WithPaths) {
      walk_tree<true>(join_path(path, name), part, leaf);
    } else {
      walk_tree<false>(path, part, leaf);
    }
  };
  const auto numbered = [&](std::size_t i, auto& part) {
    if constexpr (WithPaths) {
      below(std::to_string(i), part);
    } else {
      below({}, part);
    }
  };
  if constexpr (std::is_base_of_v<Tensor, Plain>) {
    using Handle = std::conditional_t<std::is_const_v<Node>, const Tensor, Tensor>;
    leaf(path, static_cast<Handle&>(node), std::is_same_v<Plain, Buffer>);
  } else if constexpr (HasParts<Plain>) {
    node.visit_parts(below);
  } else if constexpr (is_sequence<Plain>) {
    std::size_t i = 0;
    for (auto& part : node) numbered(i++, part);
  } else if constexpr (is_optional<Plain>) {
    if (node.has_value()) walk_tree<WithPaths>(path, *node, leaf);
  } else if constexpr (is_tuple_like<Plain>) {
    std::size_t i = 0;
    std::apply([&](auto&... parts) { (numbered(i++, parts), ...); }, node);
  } else {
    static_assert(is_tree_v<Plain>,
                  "a part of a model must be a Tensor, a Buffer, a struct with LIKELY_PARTS, or a vector, "
                  "array, optional, pair or tuple of them");
  }
}

}  // namespace detail

// A tensor or model that a struct keeps without it being one of its parts: neither learned nor saved.
template <class T>
struct NotAPart {
  T value;

  NotAPart() = default;
  NotAPart(T chosen) : value(std::move(chosen)) {}  // NOLINT(google-explicit-constructor)
  operator const T&() const { return value; }       // NOLINT(google-explicit-constructor)
  T& operator*() { return value; }
  const T& operator*() const { return value; }
  T* operator->() { return &value; }
  const T* operator->() const { return &value; }
};

// Anything made of tensors: a tensor, a struct with LIKELY_PARTS, a container or tuple of trees.
template <class T>
concept Tree = detail::is_tree_v<std::remove_cvref_t<T>>;

// What a leaf of a model is to learning.
enum class PartKind : std::uint8_t { parameter, frozen, buffer };

// Buffers, tensors that hold no floating numbers and empty tensors are never learned.
inline PartKind kind_of(const Tensor& tensor, bool is_buffer) {
  if (is_buffer || !tensor.defined() || !is_floating(tensor.dtype())) return PartKind::buffer;
  return tensor.frozen() ? PartKind::frozen : PartKind::parameter;
}

// Calls f(tensor, kind) for every tensor of a tree, in order. The kind is that of the part and of the value
// it has now; where the value may change in between, take the kind once.
template <Tree T, class F>
void for_each_leaf(T& tree, F&& f) {
  auto leaf = [&](const std::string&, auto& tensor, bool is_buffer) {
    f(tensor, kind_of(tensor, is_buffer));
  };
  detail::walk_tree<false>({}, tree, leaf);
}

// The same with the dotted name: f("hidden.weight", tensor, kind).
template <Tree T, class F>
void for_each_named_leaf(T& tree, F&& f) {
  auto leaf = [&](const std::string& path, auto& tensor, bool is_buffer) {
    f(path, tensor, kind_of(tensor, is_buffer));
  };
  detail::walk_tree<true>({}, tree, leaf);
}

}  // namespace likely
