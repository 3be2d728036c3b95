#include "likely/optim/groups.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/tree/name_pattern.hpp"

namespace likely::optim {

namespace {

void check(const char* optimizer, const Group& group) {
  const auto at_least_0 = [&](const char* what, double value) {
    if (!(value >= 0.0 && std::isfinite(value))) {
      refuse(optimizer, fmt::format("group \"{}\": {} must be >= 0, got {}", group.names, what, value));
    }
  };
  at_least_0("lr_multiple", group.lr_multiple);
  at_least_0("weight_decay", group.weight_decay.value_or(0.0));
}

bool fits(const detail::LeafName& leaf, const Group& group) {
  return leaf.learnable && (!group.max_rank || leaf.shape.rank() <= *group.max_rank) &&
         name_fits(leaf.name, group.names);
}

}  // namespace

std::string detail::groups_text(const std::vector<LeafSetting>& settings) {
  std::string text;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const LeafSetting& leaf = settings[i];
    if (leaf.lr_multiple == 1.0 && !leaf.weight_decay) continue;
    text += fmt::format("{}{}: lr x {}", text.empty() ? "" : "; ", i, leaf.lr_multiple);
    if (leaf.weight_decay) text += fmt::format(", weight_decay {}", *leaf.weight_decay);
  }
  return text;
}

void detail::add_leaf_name(std::vector<LeafName>& leaves, const std::string& name, const Tensor& tensor,
                           PartKind kind) {
  LeafName leaf{.name = name, .learnable = kind != PartKind::buffer};
  if (tensor.defined()) leaf.shape = tensor.shape();
  if (tensor.defined()) leaf.dtype = tensor.dtype();
  leaves.push_back(std::move(leaf));
}

std::vector<detail::LeafSetting> detail::leaf_settings(const char* optimizer,
                                                       const std::vector<LeafName>& leaves,
                                                       const Groups& groups) {
  std::vector<LeafSetting> settings(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    settings[i].shape = leaves[i].shape;
    settings[i].dtype = leaves[i].dtype;
    settings[i].learnable = leaves[i].learnable;
  }
  std::vector<bool> taken(leaves.size(), false);
  for (const Group& group : groups) {
    check(optimizer, group);
    bool any = false;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (!fits(leaves[i], group)) continue;
      any = true;
      if (taken[i]) continue;
      settings[i].lr_multiple = group.lr_multiple;
      settings[i].weight_decay = group.weight_decay;
      taken[i] = true;
    }
    if (!any) refuse(optimizer, fmt::format("no parameter belongs to the group \"{}\"", group.names));
  }
  return settings;
}

}  // namespace likely::optim
