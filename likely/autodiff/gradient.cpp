#include "likely/autodiff/gradient.hpp"

#include <algorithm>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

bool holds_floating(const Tensor& tensor) { return tensor.defined() && is_floating(tensor.dtype()); }

}  // namespace

void refuse_nothing_to_learn(const std::vector<PointLeaf>& point) {
  const auto defined = [](const PointLeaf& leaf) { return leaf.tensor->defined(); };
  std::string why = "the point has no parameter with floating numbers";
  if (point.empty()) {
    why = "the point holds no tensors";
  } else if (std::ranges::none_of(point, defined)) {
    why = "all tensors of the point are empty; was it moved from?";
  }
  refuse("gradient", "there is nothing to learn: " + why);
}

void refuse_moved_from(const std::vector<PointLeaf>& point, const std::vector<std::string>& names) {
  const auto moved = [](const PointLeaf& leaf) { return leaf.tensor->moved_from(); };
  const auto place = std::ranges::find_if(point, moved) - point.begin();
  refuse("gradient", "part \"" + names[static_cast<std::size_t>(place)] + "\" was moved from");
}

void TrackLeaves::operator()(const std::string& name, PointLeaf leaf) {
  const PartKind kind = kind_of(*leaf.tensor, leaf.is_buffer);
  some_frozen = some_frozen || kind == PartKind::frozen;
  some_moved_from = some_moved_from || leaf.tensor->moved_from();
  if (kind == PartKind::parameter) leaves.push_back(*leaf.tensor = tape_.track(*leaf.tensor, name));
}

void PutGradients::operator()(const std::string&, PointLeaf leaf) {
  if (leaf.is_parameter()) {
    *leaf.tensor = std::move(gradients_[next_++]);
  } else if (leaf.tensor->defined()) {
    *leaf.tensor = no_gradient(*leaf.tensor);
  }
}

std::ptrdiff_t new_parameter(const std::vector<PointLeaf>& before, const std::vector<PointLeaf>& after) {
  if (before.size() != after.size()) {
    refuse("value_and_grad", "the function changed the number of the model's tensors from " +
                                 std::to_string(before.size()) + " to " + std::to_string(after.size()));
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].is_buffer || holds_floating(*before[i].tensor)) continue;
    if (holds_floating(*after[i].tensor)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

void refuse_new_parameter(const std::string& name) {
  refuse("value_and_grad", "the function put floating numbers into the part \"" + name +
                               "\", which had none: fill it before, or declare it a Buffer");
}

void refuse_moved_parts() {
  refuse("value_and_grad", "the function changed how many elements the model's vectors and optionals have");
}

void carry_back(const Tape& tape, const std::vector<PointLeaf>& from, const std::vector<PointLeaf>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_buffer && holds_floating(*to[i].tensor)) continue;
    const Tensor& value = *from[i].tensor;
    *to[i].tensor = value.defined() ? tape.below(value) : value;
  }
}

Tensor no_gradient(const Tensor& like) { return constant(like.shape(), 0.0, like.dtype()); }

Tensor check_scalar(const char* caller, const Tensor& value) {
  if (!value.defined()) refuse(caller, "the function returned an empty tensor");
  if (value.size() != 1) {
    refuse(caller, "the function must return one number, got shape " + value.shape().string());
  }
  if (!is_floating(value.dtype())) {
    refuse(caller, "the function must return a floating number, got " + std::string(name_of(value.dtype())));
  }
  return ones_like(value);
}

Tensor unit_seed(const Tensor& output, std::int64_t position) {
  Tensor seed = zeros({output.size()}, output.dtype());
  seed.set({position}, 1.0);
  return reshape(seed, output.shape());
}

Tensor join_rows(const std::vector<Tensor>& rows, const Shape& output, const Shape& point, DType dtype) {
  Shape shape = output;
  for (const std::int64_t d : point) shape.push_back(d);
  if (rows.empty()) return zeros(shape, dtype);
  return reshape(stack(rows, 0), shape);
}

Tensor inner_product(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  Tensor total;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor product = sum(a[i] * b[i]);
    total = total.defined() ? total + product : product;
  }
  return total.defined() ? total : tensor(0.0);
}

std::vector<Tensor> along_parameters(const char* caller, const std::vector<PointLeaf>& point,
                                     const std::vector<PointLeaf>& direction) {
  bool same = point.size() == direction.size();
  std::vector<Tensor> along;
  for (std::size_t i = 0; same && i < point.size(); ++i) {
    if (!point[i].is_parameter()) continue;
    same = direction[i].tensor->defined() && point[i].tensor->shape() == direction[i].tensor->shape();
    along.push_back(*direction[i].tensor);
  }
  if (!same) refuse(caller, "the direction must have the shapes of the point");
  return along;
}

}  // namespace likely::detail
