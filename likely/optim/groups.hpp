// Parameter groups: parts of a model that an optimizer treats differently.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/parts.hpp"

namespace likely::optim {

// The parts whose name fits a pattern (tree/name_pattern.hpp), and, if asked for, that have few axes. A part
// belongs to the first group that fits; where none does, the optimizer's own options count.
//
//   optim::AdamW adam(model, {.lr = 1e-3},
//                     {{.names = "encoder.*", .lr_multiple = 0.1},       // learns slowly
//                      {.max_rank = 1, .weight_decay = 0.0}});           // biases and norms do not decay
struct Group {
  std::string names = "*";
  std::optional<int> max_rank{};         // 1: only vectors and numbers
  double lr_multiple = 1.0;              // of options.lr, also when a schedule changes that
  std::optional<double> weight_decay{};  // in place of options.weight_decay
};
using Groups = std::vector<Group>;

namespace detail {

// One tensor of a model when the optimizer was made.
struct LeafName {
  std::string name;
  Shape shape{};
  DType dtype = DType::f32;
  bool learnable = false;  // a parameter, frozen or not
};

// What an optimizer knows of one tensor: what it was like, and what a group says of it.
struct LeafSetting {
  double lr_multiple = 1.0;
  std::optional<double> weight_decay{};
  Shape shape{};
  DType dtype = DType::f32;
  bool learnable = false;
  double decay_or(double common) const { return weight_decay.value_or(common); }
};

// One for each leaf. Refuses groups that no parameter belongs to by name and rank, and numbers below 0.
std::vector<LeafSetting> leaf_settings(const char* optimizer, const std::vector<LeafName>& leaves,
                                       const Groups& groups);

// "0: lr x 0.1; 3: lr x 1, weight_decay 0": what is treated differently.
std::string groups_text(const std::vector<LeafSetting>& settings);

void add_leaf_name(std::vector<LeafName>& leaves, const std::string& name, const Tensor& tensor,
                   PartKind kind);

template <Tree Model>
std::vector<LeafSetting> leaf_settings(const char* optimizer, const Model& model, const Groups& groups) {
  std::vector<LeafName> leaves;
  for_each_named_leaf(model, [&](const std::string& name, const Tensor& tensor, PartKind kind) {
    add_leaf_name(leaves, name, tensor, kind);
  });
  return leaf_settings(optimizer, leaves, groups);
}

}  // namespace detail

}  // namespace likely::optim
