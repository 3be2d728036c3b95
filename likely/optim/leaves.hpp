// The tensors of a model next to their gradients: what every optimizer works on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/groups.hpp"

namespace likely::optim {

// One tensor of a model, in the order of its parts. Frozen parts and buffers are not learned.
struct Leaf {
  Tensor* value;
  const Tensor* gradient;
  bool learned;
};

namespace detail {

// What is wrong with one tensor.
struct LeafComplaint {
  std::size_t leaf;
  std::string text;
};

// Refuses, in the name of an optimizer, another number of tensors than it was made for. Finds: learned
// tensors whose shape or type is not what it was when the optimizer was made, those that can no longer be
// learned, and gradients that differ in shape or type. Nothing has been changed then.
std::optional<LeafComplaint> check_leaves(const char* optimizer, const std::vector<Leaf>& leaves,
                                          std::size_t gradients, const std::vector<LeafSetting>& made_for);
[[noreturn]] void refuse_leaf(const char* optimizer, const std::string& name, const std::string& complaint);

// Only where there is something to refuse: names are not made in every step.
template <Tree Model>
[[noreturn]] void refuse_leaf(const char* optimizer, const Model& model, const LeafComplaint& complaint) {
  std::string name;
  std::size_t i = 0;
  for_each_named_leaf(model, [&](const std::string& path, const Tensor&, PartKind) {
    if (i++ == complaint.leaf) name = path;
  });
  refuse_leaf(optimizer, name, complaint.text);
}

}  // namespace detail

// All leaves of a model, paired with those of its gradient, checked as above; what is wrong is refused by its
// dotted name.
template <Tree Model>
std::vector<Leaf> pair_leaves(const char* optimizer, Model& model, const Model& gradient,
                              const std::vector<detail::LeafSetting>& made_for) {
  std::vector<Leaf> leaves;
  leaves.reserve(made_for.size());
  for_each_leaf(model, [&](Tensor& tensor, PartKind kind) {
    leaves.push_back({&tensor, nullptr, kind == PartKind::parameter});
  });
  std::size_t gradients = 0;
  for_each_leaf(gradient, [&](const Tensor& tensor, PartKind) {
    if (gradients < leaves.size()) leaves[gradients].gradient = &tensor;
    ++gradients;
  });
  if (gradients == leaves.size() && !likely::detail::same_lengths<Model>(model, gradient))
    likely::detail::refuse_other_lengths(optimizer);
  const auto wrong = detail::check_leaves(optimizer, leaves, gradients, made_for);
  if (wrong) detail::refuse_leaf(optimizer, model, *wrong);
  return leaves;
}

}  // namespace likely::optim
