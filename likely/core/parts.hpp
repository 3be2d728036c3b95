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
// member that holds tensors and is not named; in others (and beyond 32 members) it cannot see one, and not
// everywhere (core/forgotten_parts.hpp says where). A tensor that is meant to be left out is declared
// NotAPart<Tensor>. A struct that adds tensors to a base with parts has a LIKELY_PARTS of its own. A struct
// inside a function cannot have parts: C++ allows no templates there.
#define LIKELY_PARTS(...)                                                                           \
  static_assert(::likely::detail::names_differ(#__VA_ARGS__),                                       \
                "LIKELY_PARTS names a part twice: it would be learned and saved twice");            \
  void likely_names_its_parts() const {}                                                            \
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

// Whether no name occurs twice in "a, b, c".
constexpr bool names_differ(std::string_view text) {
  while (!text.empty()) {
    const std::string_view name = split_names<1>(text)[0];
    const std::size_t comma = text.find(',');
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    for (std::string_view rest = text; !rest.empty();) {
      if (split_names<1>(rest)[0] == name) return false;
      const std::size_t next = rest.find(',');
      rest.remove_prefix(next == std::string_view::npos ? rest.size() : next + 1);
    }
  }
  return true;
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

// Instantiated once for each part, so that what is wrong is said once, and of what.
template <class Part>
struct CheckedPart {
  static_assert(
      is_tree_v<Part>,
      "a part of a model has no LIKELY_PARTS. Write LIKELY_PARTS(...) into its struct, with the names "
      "of its tensors and layers. (A part is a Tensor, a Buffer, a struct with LIKELY_PARTS, or a "
      "vector, array, optional, pair or tuple of them. What holds no tensors is not named as one.)");
};

template <class Model, class Visitor, class... Parts>
void visit_named(const Model&, std::string_view text, Visitor&& visit, Parts&... parts) {
  // A part that is none is complained of itself.
  static_assert(
      !(is_tree_v<std::remove_const_t<Parts>> && ...) || names_every_part<Model>(),
      "a member of this model holds tensors and is missing from its LIKELY_PARTS: it would neither be "
      "learned nor saved. Name it there, or declare it NotAPart<...>");
  [[maybe_unused]] const auto names = split_names<sizeof...(Parts)>(text);
  [[maybe_unused]] std::size_t i = 0;
  (visit(names[i++], parts), ...);
}

// NOLINTBEGIN(bugprone-branch-clone): each branch is another reason
template <class T, class... Outer>
constexpr bool holds_tensors() {
  if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return false;  // a type that holds itself is asked once
  } else if constexpr (!requires { sizeof(T); }) {
    return false;  // what a pointer hides cannot be seen
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
  } else if constexpr (requires {
                         typename T::element_type;
                         typename T::deleter_type;
                       }) {
    return holds_tensors<std::remove_cv_t<typename T::element_type>, T, Outer...>();  // a unique_ptr
  } else if constexpr (requires {
                         typename T::value_type;
                         typename T::allocator_type;
                       }) {
    return holds_tensors<typename T::value_type, T, Outer...>();  // a map, list, deque
  } else {
    return false;
  }
}
// NOLINTEND(bugprone-branch-clone)

// What has no name of its own is called as what is around it.
std::string join_path(const std::string& path, std::string_view name);

// Calls visit(name, part) for everything directly below a node, in order: the one place that knows what a
// tree can be made of. Nothing is below a tensor, nor below what is no tree; what an optional holds has no
// name of its own. Names of elements are made only if asked for.
template <bool WithNames = true, class Node, class Visit>
void visit_below(Node& node, Visit&& visit) {
  using Plain = std::remove_const_t<Node>;
  [[maybe_unused]] std::size_t i = 0;
  [[maybe_unused]] const auto numbered = [&](auto& part) {
    if constexpr (WithNames) {
      visit(std::string_view(std::to_string(i++)), part);
    } else {
      visit(std::string_view(), part);
    }
  };
  if constexpr (std::is_base_of_v<Tensor, Plain>) {
    return;
  } else if constexpr (HasParts<Plain>) {
    node.visit_parts(visit);
  } else if constexpr (is_sequence<Plain>) {
    for (auto& part : node) numbered(part);
  } else if constexpr (is_optional<Plain>) {
    if (node.has_value()) visit(std::string_view(), *node);
  } else if constexpr (is_tuple_like<Plain>) {
    std::apply([&](auto&... parts) { (numbered(parts), ...); }, node);
  }
}

// Adds how many elements each vector of a tree has, and each optional, in order: two trees of one type with
// the same lengths have their tensors at the same places. (A layer without its type has its tensors as its
// own parts, and no lengths.)
template <class Node>
void add_lengths(const Node& node, std::vector<std::size_t>& lengths) {
  if constexpr (is_sequence<Node>) lengths.push_back(node.size());
  if constexpr (is_optional<Node>) lengths.push_back(node.has_value() ? 1 : 0);
  visit_below<false>(node, [&](std::string_view, const auto& part) { add_lengths(part, lengths); });
}
template <class Tree>
bool same_lengths(const Tree& a, const Tree& b) {
  std::vector<std::size_t> of_a, of_b;
  add_lengths(a, of_a);
  add_lengths(b, of_b);
  return of_a == of_b;
}
[[noreturn]] void refuse_other_lengths(const char* caller);

// Calls leaf(path, tensor, is_buffer) for every tensor below `node`, in order. Paths are built only if asked
// for.
template <bool WithPaths, class Node, class Leaf>
void walk_tree(const std::string& path, Node& node, Leaf& leaf) {
  using Plain = std::remove_const_t<Node>;
  if constexpr (std::is_base_of_v<Tensor, Plain>) {
    using Handle = std::conditional_t<std::is_const_v<Node>, const Tensor, Tensor>;
    leaf(path, static_cast<Handle&>(node), std::is_same_v<Plain, Buffer>);
  } else {
    static_cast<void>(CheckedPart<Plain>{});
    if constexpr (HasParts<Plain>) {
      static_assert(inherits_every_part<Plain>(),
                    "this model adds a member that holds tensors to a base with LIKELY_PARTS, which does not "
                    "name it: it would neither be learned nor saved. Write a LIKELY_PARTS of its own");
    }
    visit_below<WithPaths>(node, [&](std::string_view name, auto& part) {
      if constexpr (WithPaths) {
        walk_tree<true>(join_path(path, name), part, leaf);
      } else {
        walk_tree<false>(path, part, leaf);
      }
    });
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

namespace detail {

// is_tree_v, by a name that tells whoever meets it in a compiler's message what to do.
template <class T>
inline constexpr bool is_tensor_or_struct_with_LIKELY_PARTS_or_container_of_them = is_tree_v<T>;

}  // namespace detail

// Anything made of tensors: a tensor, a struct with LIKELY_PARTS, a container or tuple of trees.
template <class T>
concept Tree = detail::is_tensor_or_struct_with_LIKELY_PARTS_or_container_of_them<std::remove_cvref_t<T>>;

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

namespace detail {

// A function of named leaves without its type, so that a walk over a tree by names is compiled once for all
// of them.
template <class Handle>
struct NamedLeaf {
  void* function;
  void (*call)(void* function, const std::string& path, Handle& tensor, bool is_buffer);

  void operator()(const std::string& path, Handle& tensor, bool is_buffer) const {
    call(function, path, tensor, is_buffer);
  }
};

}  // namespace detail

// The same with the dotted name: f("hidden.weight", tensor, kind).
template <Tree T, class F>
void for_each_named_leaf(T& tree, F&& f) {
  using Handle = std::conditional_t<std::is_const_v<T>, const Tensor, Tensor>;
  using Function = std::remove_reference_t<F>;
  const detail::NamedLeaf<Handle> leaf{
      const_cast<void*>(static_cast<const void*>(std::addressof(f))),
      [](void* function, const std::string& path, Handle& tensor, bool is_buffer) {
        (*static_cast<Function*>(function))(path, tensor, kind_of(tensor, is_buffer));
      }};
  detail::walk_tree<true>({}, tree, leaf);
}

namespace detail {

// The parameters of a tree, where they are, in order.
template <Tree T>
auto parameter_pointers(T& tree) {
  std::vector<std::conditional_t<std::is_const_v<T>, const Tensor*, Tensor*>> parameters;
  for_each_leaf(tree, [&](auto& tensor, PartKind kind) {
    if (kind == PartKind::parameter) parameters.push_back(&tensor);
  });
  return parameters;
}

}  // namespace detail

}  // namespace likely
