#include "likely/optim/leaves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "likely/core/dispatch.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::optim {

namespace {

std::string shape_and_type_of(const detail::LeafSetting& leaf) {
  // What is floating and yet cannot be learned was empty.
  if (!leaf.learnable && is_floating(leaf.dtype)) return "empty";
  return fmt::format("{} {}", leaf.shape.string(), name_of(leaf.dtype));
}

// What a learned tensor and its gradient must be like; empty where they are.
std::string complaint_of(const Leaf& leaf, const detail::LeafSetting& made_for) {
  const Tensor& value = *leaf.value;
  // Buffers come and go as they like; what was a parameter stays one of its shape and type.
  const bool was_lost =
      made_for.learnable && !leaf.learned && !(value.defined() && is_floating(value.dtype()));
  if (!leaf.learned && !was_lost) return {};
  const bool same =
      !was_lost && made_for.learnable && value.shape() == made_for.shape && value.dtype() == made_for.dtype;
  if (!same) {
    return fmt::format("was {} when the optimizer was made, is {} now", shape_and_type_of(made_for),
                       shape_and_type(value));
  }
  if (!likely::detail::is_f32_or_f64(value.dtype()))
    return fmt::format("is {}: only f32 and f64 can be learned", name_of(value.dtype()));
  const Tensor& gradient = *leaf.gradient;
  if (!gradient.defined()) return "has no gradient";
  if (!(value.shape() == gradient.shape()))
    return fmt::format("has shape {}, its gradient {}", value.shape().string(), gradient.shape().string());
  if (value.dtype() != gradient.dtype())
    return fmt::format("is {}, its gradient {}", name_of(value.dtype()), name_of(gradient.dtype()));
  return {};
}

}  // namespace

std::optional<detail::LeafComplaint> detail::check_leaves(const char* optimizer,
                                                          const std::vector<Leaf>& leaves,
                                                          std::size_t gradients,
                                                          const std::vector<LeafSetting>& made_for) {
  if (leaves.size() != made_for.size()) {
    refuse(optimizer,
           fmt::format("made for a model of {} tensors, got one of {}", made_for.size(), leaves.size()));
  }
  if (gradients != leaves.size()) {
    refuse(optimizer, fmt::format("the model has {} tensors, the gradient {}", leaves.size(), gradients));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    std::string complaint = complaint_of(leaves[i], made_for[i]);
    if (!complaint.empty()) return LeafComplaint{i, std::move(complaint)};
  }
  return std::nullopt;
}

void detail::refuse_leaf(const char* optimizer, const std::string& name, const std::string& complaint) {
  // A tree that is one tensor has no name, one that is a vector of them only numbers.
  const bool number = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  refuse(optimizer, (name.empty() ? "the tensor" : number ? "tensor " + name : name) + " " + complaint);
}

}  // namespace likely::optim
