// Walks over the parts of a model: names, map, zip, count, copy, cast, freeze.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/parts.hpp"

namespace likely {

// One tensor of a model.
struct Part {
  std::string name;  // dotted: "hidden.weight", "blocks.0.bias"
  Tensor value;
  PartKind kind;
};

// All tensors of a model by name, in order. Handles: nothing is copied.
template <Tree T>
std::vector<Part> named_parts(const T& tree) {
  std::vector<Part> parts;
  for_each_named_leaf(tree, [&](const std::string& name, const Tensor& tensor, PartKind kind) {
    parts.push_back({name, tensor, kind});
  });
  return parts;
}

namespace detail {

template <Tree T>
std::vector<Tensor*> leaf_pointers(T& tree) {
  std::vector<Tensor*> leaves;
  for_each_leaf(tree, [&](Tensor& tensor, PartKind) { leaves.push_back(&tensor); });
  return leaves;
}
template <Tree T>
std::vector<const Tensor*> leaf_pointers(const T& tree) {
  std::vector<const Tensor*> leaves;
  for_each_leaf(tree, [&](const Tensor& tensor, PartKind) { leaves.push_back(&tensor); });
  return leaves;
}

void check_same_count(const char* caller, std::size_t a, std::size_t b);

}  // namespace detail

// A model of the same type with f(tensor) in place of each tensor; empty tensors stay empty, frozen parts
// frozen.
template <Tree T, class F>
T map_parts(const T& tree, F&& f) {
  T result = tree;
  for_each_leaf(result, [&](Tensor& tensor, PartKind) {
    if (tensor.defined()) tensor = f(std::as_const(tensor));
  });
  return result;
}

// A model of the same type with f(a, b) of each pair of tensors. Refuses two that differ in their number of
// parts, or in the lengths of their vectors.
template <Tree T, class F>
T zip_parts(const T& a, const T& b, F&& f) {
  T result = a;
  const auto targets = detail::leaf_pointers(result);
  const auto others = detail::leaf_pointers(b);
  detail::check_same_count("zip_parts", targets.size(), others.size());
  if (!detail::same_lengths(a, b)) detail::refuse_other_lengths("zip_parts");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->defined()) *targets[i] = f(std::as_const(*targets[i]), *others[i]);
  }
  return result;
}

// How many numbers are learned (parameters that are not frozen), or held in all.
template <Tree T>
std::int64_t count_parameters(const T& tree) {
  std::int64_t total = 0;
  for_each_leaf(tree, [&](const Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter) total += tensor.size();
  });
  return total;
}
template <Tree T>
std::int64_t count_numbers(const T& tree) {
  std::int64_t total = 0;
  for_each_leaf(tree, [&](const Tensor& tensor, PartKind) { total += tensor.defined() ? tensor.size() : 0; });
  return total;
}

// A model in memory of its own. (A plain copy is as good: it shares memory until one of them is written to.)
template <Tree T>
T deep_copy(const T& tree) {
  return map_parts(tree, [](const Tensor& tensor) { return tensor.copy(); });
}

// A model whose floating tensors have another type.
template <Tree T>
T cast_parts(const T& tree, DType dtype) {
  if (!is_floating(dtype))
    refuse("cast_parts", "a floating type is needed, got " + std::string(name_of(dtype)));
  return map_parts(
      tree, [&](const Tensor& tensor) { return is_floating(tensor.dtype()) ? tensor.to(dtype) : tensor; });
}

// Frozen parts are saved and used, but get no gradient and are not updated. It is the part that is frozen,
// not its value:
// - A new value assigned to it is frozen too, its value assigned to another part is not. Assigning one model
//   to another leaves the other's marks as they are.
// - A new part begins with the mark of what it is made from, so that a copy of a model has the same parts
//   frozen. C++ makes `Mine mine{trained.weight}` in the same way: mine.weight is frozen where trained.weight
//   is. unfreeze(mine), or make it from trained.weight.copy(), which no more than another result is frozen.
// - Elements of a vector are parts by their place. erase and swap assign, and leave the marks where they are;
//   push_back makes, and takes them along; insert, and assigning a vector of another length, do some of both,
//   as the vector has room. Freeze again after such a change.
template <Tree T>
void freeze(T& tree) {
  for_each_leaf(tree, [](Tensor& tensor, PartKind) { tensor.set_frozen(true); });
}
template <Tree T>
void unfreeze(T& tree) {
  for_each_leaf(tree, [](Tensor& tensor, PartKind) { tensor.set_frozen(false); });
}

// A table of names, shapes, types, counts and kinds, with the totals below.
std::string summary(const std::vector<Part>& parts);
template <Tree T>
std::string summary(const T& tree) {
  return summary(named_parts(tree));
}

}  // namespace likely
