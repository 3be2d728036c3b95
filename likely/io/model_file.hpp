// Models in files: save and load every tensor of a tree, by its dotted name.
//
//   io::save("mlp.safetensors", model, {{"epoch", "10"}});
//   const auto metadata = io::load("mlp.safetensors", model);
//
// Names are those of LIKELY_PARTS ("hidden.0.weight"), which is how PyTorch names a state_dict. Everything
// with parts can be saved: models, optimizers, standardizers, and pairs or tuples of them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/tree/misfit.hpp"
#include "likely/tree/tree.hpp"

namespace likely::io {

struct SaveOptions {
  bool finite = true;  // whether parameters that hold NaN or infinite numbers are refused, as load does
};
struct LoadOptions {
  bool finite = true;  // whether parameters that hold NaN or infinite numbers are refused
};

namespace detail {

struct NamedLeaf {
  std::string name;
  Tensor* tensor;
  PartKind kind;
  bool is_buffer;  // by its type: an empty parameter counts as one in kind
};
void save_parts(const std::filesystem::path& path, const std::vector<Part>& parts,
                const std::map<std::string, std::string>& metadata);
// Whether a type is a struct whose parts hold tensors, or a vector, array, pair or tuple of such. (A vector
// of tensors may have none by right, and so may layers whose type is not known here: nn::AnyLayer and
// nn::Network say themselves that they were moved from.)
template <class T>
constexpr bool is_made_of_layers() {
  constexpr bool tells_itself = requires(const T& node) { node.moved_from(); };
  if constexpr (likely::detail::HasParts<T> && !tells_itself) {
    return likely::detail::holds_tensors<T>();
  } else if constexpr (likely::detail::is_sequence<T>) {
    return is_made_of_layers<typename T::value_type>();
  } else if constexpr (likely::detail::is_tuple_like<T>) {
    return []<template <class...> class Tuple, class... Types>(Tuple<Types...>*) {
      return (is_made_of_layers<Types>() || ...);
    }(static_cast<T*>(nullptr));
  } else {
    return false;
  }
}
[[noreturn]] void refuse_to_save(const std::filesystem::path& path, const std::string& why);
// `misfit` is asked once the tensors are in their places; where it complains, they are taken out again.
std::map<std::string, std::string> load_parts(const std::filesystem::path& path,
                                              const std::vector<NamedLeaf>& leaves,
                                              const LoadOptions& options,
                                              const std::function<std::string()>& misfit);

}  // namespace detail

// Writes all tensors of a tree: parameters, frozen parts and buffers. Empty ones (an optimizer's, before its
// first step) are left out. Refuses, before it touches the file, what could not be read back: a model that
// has parameters, all of which are empty, a vector of layers without layers, a part that was moved from,
// parameters that are not finite (a training that failed costs no good file), and parts that are not what
// their struct says they must be (tree/misfit.hpp). A vector inside a model that lost its layers by a move
// cannot be told from one that never had any, and is saved as such.
template <Tree Model>
void save(const std::filesystem::path& path, const Model& model,
          const std::map<std::string, std::string>& metadata = {}, const SaveOptions& options = {}) {
  std::size_t tensors = 0, parameters = 0, filled = 0;
  std::string wrong;
  auto leaf = [&](const std::string& name, const Tensor& tensor, bool is_buffer) {
    ++tensors;
    parameters += is_buffer ? 0 : 1;
    filled += tensor.defined() ? 1 : 0;
    if (tensor.moved_from() && wrong.empty()) wrong = "part \"" + name + "\" was moved from";
    if (options.finite && wrong.empty() && kind_of(tensor, is_buffer) == PartKind::parameter)
      wrong = values_misfit(name, tensor, Values::finite);
  };
  likely::detail::walk_tree<true>({}, model, leaf);
  if (tensors == 0 && detail::is_made_of_layers<Model>())
    wrong = "the model holds no tensors, though its layers do; was it moved from?";
  if (parameters > 0 && filled == 0) wrong = "all tensors of the model are empty; was it moved from?";
  if (wrong.empty()) wrong = misfit(model);
  if (!wrong.empty()) detail::refuse_to_save(path, wrong);
  detail::save_parts(path, named_parts(model), metadata);
}

// Reads them back and gives the metadata. Refuses a file in which a tensor is missing, one that the model
// does not have, another shape, another kind of number, or parameters that are not finite (frozen parts and
// buffers may be: a mask of -infinity), and names them all; the model is unchanged then. Floating numbers
// take the model's type. A buffer that is empty takes what the file has, if anything, unless the part it
// belongs to knows better (tree/misfit.hpp): an optimizer takes only what fits the model it was made for. So
// does an empty parameter of a model in which all are empty; in others it is a part that the model was made
// without (Linear without bias).
template <Tree Model>
std::map<std::string, std::string> load(const std::filesystem::path& path, Model& model,
                                        const LoadOptions& options = {}) {
  std::vector<detail::NamedLeaf> leaves;
  auto leaf = [&](const std::string& name, Tensor& tensor, bool is_buffer) {
    leaves.push_back({name, &tensor, kind_of(tensor, is_buffer), is_buffer});
  };
  likely::detail::walk_tree<true>({}, model, leaf);
  return detail::load_parts(path, leaves, options, [&] { return misfit(model); });
}

}  // namespace likely::io
