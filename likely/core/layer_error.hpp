// Errors that say which layer of a model they happened in.
//
// A layer that refuses its input knows itself but not its name; whoever holds the whole model knows the names
// of its parts. So the error carries the layer upwards until somebody finds it among the parts: by its
// address or, where a copy of the layer was called, by the memory of its tensors. An operation that a layer
// of one's own calls knows only its tensors: its error carries them, and the layer is the one they belong to.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/parts.hpp"

namespace likely {

namespace detail {

// "Linear" for likely::nn::Linear, "Sequential" for likely::nn::Sequential<...>.
std::string short_name(const std::type_info& type);

// Where tensors have their numbers; a handle and its copies, tracked or not, have them in the same place.
using Memory = std::vector<const void*>;
Memory memory_of(std::initializer_list<const Tensor*> tensors);
Memory memory_of(const std::vector<Tensor>& tensors);

template <class Node>
Memory memory_of_parts(const Node& node) {
  Memory memory;
  if constexpr (is_tree_v<Node>) {
    auto leaf = [&](const std::string&, const Tensor& tensor, bool) {
      if (tensor.defined()) memory.push_back(tensor.raw());
    };
    walk_tree<false>({}, node, leaf);
  }
  return memory;
}

}  // namespace detail

// An Error about tensors that may be parts of a model.
class TensorError : public Error {
 public:
  TensorError(const Error& reason, detail::Memory memory);

  bool concerns(const Tensor& tensor) const;

 private:
  std::shared_ptr<const detail::Memory> memory_;
};

// An Error that happened inside a layer. It reads as the error itself, and, once the layer has been found in
// a model, ends with `, in layer "blocks.2.out" (Linear)`.
class LayerError : public Error {
 public:
  LayerError(const Error& reason, const void* layer, const std::type_info& type, detail::Memory memory);

  bool is_of(const std::type_info& type) const { return type == *type_; }
  bool is_of(const void* layer, const std::type_info& type) const { return layer == layer_ && is_of(type); }
  // Where the layer has its numbers; empty for one without tensors.
  const detail::Memory& memory() const { return *memory_; }
  // The same error with the layer's name in a model, which may be a layer of a larger one: `around` is an
  // error of that.
  LayerError named(const std::string& path, const LayerError& around) const;
  const std::string& path() const { return path_; }
  const LayerError* around() const { return around_.get(); }

 private:
  LayerError(const LayerError& unnamed, const std::string& path, const LayerError& around);

  std::string reason_;
  const void* layer_;
  const std::type_info* type_;
  std::shared_ptr<const detail::Memory> memory_;
  std::string path_;  // once it is named
  std::shared_ptr<const LayerError> around_;
};

namespace detail {

// What a search for the layer of an error has met so far.
struct LayerSearch {
  bool found = false;  // the layer itself
  std::string path;    // of it
  std::string copied;  // the path of the first layer that has the same type and numbers

  // Empty where there is none: a copy of a layer without tensors may be of any.
  const std::string& best() const { return found ? path : copied; }
};

// The struct that holds a tensor among its parts.
struct TensorOwner {
  std::string part;   // the path of the tensor
  std::string layer;  // and of the struct
  const void* address = nullptr;
  const std::type_info* type = nullptr;
  Memory (*memory)(const void* address) = nullptr;

  LayerError error(const TensorError& reason) const { return {reason, address, *type, memory(address)}; }
};

// A node that does not show the type of what it holds (nn/any_layer.hpp), and looks into it itself.
template <class Node>
concept LooksInside = requires(const Node& node, const LayerError& error, const TensorError& tensor_error,
                               const std::string& path, LayerSearch& search, TensorOwner& owner) {
  node.find_layer(error, path, search);
  node.find_owner(tensor_error, path, owner);
};

template <class Node>
void find_layer(const LayerError& error, const std::string& path, const Node& node, LayerSearch& search) {
  if constexpr (HasParts<Node>) {
    if (error.is_of(&node, typeid(Node))) {
      search.found = true;
      search.path = path;
      return;
    }
    if (search.copied.empty() && error.is_of(typeid(Node)) && !error.memory().empty() &&
        memory_of_parts(node) == error.memory()) {
      search.copied = path;
    }
  }
  if constexpr (LooksInside<Node>) {
    node.find_layer(error, path, search);
  } else {
    visit_below(node, [&](std::string_view name, const auto& part) {
      if (!search.found) find_layer(error, join_path(path, name), part, search);
    });
  }
}

// The name of the layer in the model, or of a layer around it that has named it, with that name behind.
template <class Model>
std::string name_in(const LayerError& error, const Model& model) {
  LayerSearch search;
  find_layer(error, "", model, search);
  if (!search.best().empty() || error.around() == nullptr) return search.best();
  const std::string outer = name_in(*error.around(), model);
  return outer.empty() ? outer : join_path(outer, error.path());
}

template <class Layer>
LayerError error_of(const Layer& layer, const Error& reason) {
  return {reason, &layer, typeid(Layer), memory_of_parts(layer)};
}

// `owner` is the innermost struct around the node. False where no part is concerned.
template <class Node>
bool find_owner(const TensorError& error, const std::string& path, const Node& node, TensorOwner& owner) {
  if constexpr (std::is_base_of_v<Tensor, Node>) {
    owner.part = path;
    return error.concerns(node);
  } else if constexpr (LooksInside<Node>) {
    return node.find_owner(error, path, owner);
  } else {
    TensorOwner own = owner;
    if constexpr (HasParts<Node>) {
      own.layer = path;
      own.address = &node;
      own.type = &typeid(Node);
      own.memory = [](const void* address) { return memory_of_parts(*static_cast<const Node*>(address)); };
    }
    bool found = false;
    visit_below(node, [&](std::string_view name, const auto& part) {
      found = found || find_owner(error, join_path(path, name), part, own);
    });
    if (found) owner = own;
    return found;
  }
}

}  // namespace detail

namespace detail {

// Whether an error is nothing but its message: what somebody's own class says besides must not get lost.
inline bool is_plain(const Error& error) { return typeid(error) == typeid(Error); }

template <class Tensors, class Call>
decltype(auto) concerning_any(const Tensors& tensors, Call&& call) {
  try {
    return call();
  } catch (const Error& error) {
    if (!is_plain(error)) throw;
    throw TensorError(error, memory_of(tensors));
  }
}

}  // namespace detail

// call(), whose refusals are marked as concerning these tensors, for an operation that some of a model's
// parts may be handed to.
template <class Call>
decltype(auto) concerning(std::initializer_list<const Tensor*> tensors, Call&& call) {
  return detail::concerning_any(tensors, call);
}
template <class Call>
decltype(auto) concerning(const std::vector<Tensor>& tensors, Call&& call) {
  return detail::concerning_any(tensors, call);
}

// layer(...) as call(), with its refusals marked as this layer's, unless one of its own parts has done so.
// Errors of a class of their own pass as they are, here and above.
template <class Layer, class Call>
decltype(auto) inside_layer(const Layer& layer, Call&& call) {
  try {
    return call();
  } catch (const TensorError& error) {
    detail::TensorOwner owner;
    if (detail::find_owner(error, "", layer, owner) && owner.type != nullptr) throw owner.error(error);
    throw detail::error_of(layer, error);
  } catch (const Error& error) {
    if (!detail::is_plain(error)) throw;
    throw detail::error_of(layer, error);
  }
}

// call(), with the name of the layer of `model` in what is refused inside it. A part of the model itself,
// which is in no layer, is named as `, with part "weight"`. Costs nothing unless refused.
template <class Model, class Call>
decltype(auto) naming_layers(const Model& model, Call&& call) {
  try {
    return call();
  } catch (const LayerError& error) {
    const std::string path = detail::name_in(error, model);
    if (path.empty()) throw;
    throw error.named(path, detail::error_of(model, error));
  } catch (const TensorError& error) {
    detail::TensorOwner owner;
    if (!detail::find_owner(error, "", model, owner) || owner.part.empty()) throw;
    if (!owner.layer.empty()) {
      throw owner.error(error).named(owner.layer, detail::error_of(model, error));
    }
    throw Error(std::string(error.what()) + ", with part \"" + owner.part + "\"", error.fault());
  }
}

}  // namespace likely
