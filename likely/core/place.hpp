// Errors that say which layer of a model they happened in.
//
// A layer that refuses its input knows itself but not its name; whoever holds the whole model knows the names
// of its parts. So the error carries the layer's address upwards until somebody finds it among the parts.
#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

#include "likely/core/error.hpp"
#include "likely/core/parts.hpp"

namespace likely {

// An Error that happened inside a layer. It reads as the error itself, and, once the layer has been found in
// a model, ends with `, in layer "blocks.2.out" (Linear)`.
class LayerError : public Error {
 public:
  LayerError(const std::string& reason, const void* layer, const std::type_info& type);

  bool is_of(const void* layer, const std::type_info& type) const {
    return layer == layer_ && type == *type_;
  }
  // The same error with the layer's name.
  LayerError named(const std::string& path) const;

 private:
  LayerError(const LayerError& unnamed, const std::string& text);

  std::string reason_;
  const void* layer_;
  const std::type_info* type_;
};

namespace detail {

// The name of the layer that the error is of, where it is in this tree.
template <class Node>
void find_layer(const LayerError& error, const std::string& path, const Node& node, std::string& found) {
  const auto below = [&](std::string_view name, const auto& part) {
    if (found.empty()) find_layer(error, join_path(path, name), part, found);
  };
  if constexpr (HasParts<Node>) {
    if (error.is_of(&node, typeid(Node))) {
      found = path;
    } else {
      node.visit_parts(below);
    }
  } else if constexpr (is_sequence<Node>) {
    std::size_t i = 0;
    for (const auto& part : node) below(std::to_string(i++), part);
  } else if constexpr (is_optional<Node>) {
    if (node.has_value()) find_layer(error, path, *node, found);
  } else if constexpr (is_tuple_like<Node>) {
    std::size_t i = 0;
    std::apply([&](const auto&... parts) { (below(std::to_string(i++), parts), ...); }, node);
  }
}

}  // namespace detail

// layer(...) as call(), with its refusals marked as this layer's, unless one of its own parts has done so.
template <class Layer, class Call>
decltype(auto) inside_layer(const Layer& layer, Call&& call) {
  try {
    return call();
  } catch (const LayerError&) {
    throw;
  } catch (const Error& error) {
    throw LayerError(error.what(), &layer, typeid(Layer));
  }
}

// call(), with the name of the layer of `model` in what is refused inside it. Costs nothing unless refused.
template <class Model, class Call>
decltype(auto) naming_layers(const Model& model, Call&& call) {
  try {
    return call();
  } catch (const LayerError& error) {
    std::string path;
    detail::find_layer(error, "", model, path);
    if (path.empty()) throw;
    throw error.named(path);
  }
}

}  // namespace likely
