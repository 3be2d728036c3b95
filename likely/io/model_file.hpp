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

struct LoadOptions {
  bool finite = true;  // whether parameters that hold NaN or infinite numbers are refused
};

namespace detail {

struct NamedLeaf {
  std::string name;
  Tensor* tensor;
  PartKind kind;
};
void save_parts(const std::filesystem::path& path, const std::vector<Part>& parts,
                const std::map<std::string, std::string>& metadata);
[[noreturn]] void refuse_empty_model(const std::filesystem::path& path);
// `misfit` is asked once the tensors are in their places; where it complains, they are taken out again.
std::map<std::string, std::string> load_parts(const std::filesystem::path& path,
                                              const std::vector<NamedLeaf>& leaves,
                                              const LoadOptions& options,
                                              const std::function<std::string()>& misfit);

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
// does not have, another shape, another kind of number, or parameters that are not finite (frozen parts and
// buffers may be: a mask of -infinity), and names them all; the model is unchanged then. Floating numbers
// take the model's type. A tensor that is empty in the model takes what the file has, if anything, unless the
// part it belongs to knows better (tree/misfit.hpp): an optimizer takes only what fits the model it was made
// for.
template <Tree Model>
std::map<std::string, std::string> load(const std::filesystem::path& path, Model& model,
                                        const LoadOptions& options = {}) {
  std::vector<detail::NamedLeaf> leaves;
  for_each_named_leaf(model, [&](const std::string& name, Tensor& tensor, PartKind kind) {
    leaves.push_back({name, &tensor, kind});
  });
  return detail::load_parts(path, leaves, options, [&] { return misfit(model); });
}

}  // namespace likely::io
