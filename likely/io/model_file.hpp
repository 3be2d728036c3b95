// Models in files: save and load every tensor of a tree, by its dotted name.
//
//   io::save("mlp.safetensors", model, {{"epoch", "10"}});
//   const auto metadata = io::load("mlp.safetensors", model);
//
// Names are those of LIKELY_PARTS ("hidden.0.weight"), which is how PyTorch names a state_dict. Everything
// with parts can be saved: models, optimizers, standardizers, and pairs or tuples of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/tree/tree.hpp"

namespace likely::io {

namespace detail {

struct NamedLeaf {
  std::string name;
  Tensor* tensor;
};
void save_parts(const std::filesystem::path& path, const std::vector<Part>& parts,
                const std::map<std::string, std::string>& metadata);
[[noreturn]] void refuse_empty_model(const std::filesystem::path& path);
std::map<std::string, std::string> load_parts(const std::filesystem::path& path,
                                              const std::vector<NamedLeaf>& leaves);

}  // namespace detail

// Writes all tensors of a tree: parameters, frozen parts and buffers. Empty ones (an optimizer's, before its
// first step) are left out. Refuses a model that has parameters, all of which are empty: it was moved from,
// and would replace a good file by nothing.
template <Tree Model>
void save(const std::filesystem::path& path, const Model& model,
          const std::map<std::string, std::string>& metadata = {}) {
  std::size_t parameters = 0, filled = 0;
  auto leaf = [&](const std::string&, const Tensor& tensor, bool is_buffer) {
    parameters += is_buffer ? 0 : 1;
    filled += tensor.defined() ? 1 : 0;
  };
  likely::detail::walk_tree<false>({}, model, leaf);
  if (parameters > 0 && filled == 0) detail::refuse_empty_model(path);
  detail::save_parts(path, named_parts(model), metadata);
}

// Reads them back and gives the metadata. Refuses a file in which a tensor is missing, one that the model
// does not have, another shape, or another kind of number, and names them all; the model is unchanged then.
// Floating numbers take the model's type. A tensor that is empty in the model takes what the file has, if
// anything.
template <Tree Model>
std::map<std::string, std::string> load(const std::filesystem::path& path, Model& model) {
  std::vector<detail::NamedLeaf> leaves;
  for_each_named_leaf(model, [&](const std::string& name, Tensor& tensor, PartKind) {
    leaves.push_back({name, &tensor});
  });
  return detail::load_parts(path, leaves);
}

}  // namespace likely::io
