#include "likely/nn/any_layer.hpp"

#include <vector>

namespace likely::nn {

namespace {

// Where the numbers of a layer are: memory that is written to while another holds it becomes other memory.
std::vector<const void*> places_of(const AnyLayer& layer) {
  std::vector<const void*> places;
  for_each_leaf(layer, [&](const Tensor& tensor, PartKind) {
    places.push_back(tensor.defined() ? tensor.raw() : nullptr);
  });
  return places;
}

void copy_marks(const detail::HeldLayer& from, detail::HeldLayer& to) {
  std::vector<bool> marks;
  from.for_each_leaf(
      [&](const std::string&, const Tensor& tensor, bool) { marks.push_back(tensor.frozen()); });
  std::size_t i = 0;
  to.for_each_leaf([&](const std::string&, Tensor& tensor, bool) {
    if (i < marks.size()) tensor.set_frozen(marks[i++]);
  });
}

}  // namespace

void detail::refuse_without_training() {
  refuse("AnyLayer", "this layer can only be called with a Training, layer(x, training)");
}

void AnyLayer::check_held() const {
  if (!held_) refuse("AnyLayer", "this layer was moved from");
}

AnyLayer& AnyLayer::operator=(const AnyLayer& other) {
  if (this == &other) return *this;
  if (!held_ || !other.held_ || !held_->assign(*other.held_)) {
    std::unique_ptr<detail::HeldLayer> copy = other.held_ ? other.held_->clone() : nullptr;
    if (held_ && copy && held_->type() == copy->type()) copy_marks(*held_, *copy);
    held_ = std::move(copy);
  }
  return *this;
}

// NOLINTNEXTLINE(performance-noexcept-move-constructor): may copy a vector
AnyLayer& AnyLayer::operator=(AnyLayer&& other) {
  if (this == &other) return *this;
  std::unique_ptr<detail::HeldLayer> taken = std::move(other.held_);
  if (!held_ || !taken || !held_->assign(*taken)) {
    if (held_ && taken && held_->type() == taken->type()) copy_marks(*held_, *taken);
    held_ = std::move(taken);
  }
  return *this;
}

Tensor AnyLayer::operator()(const Tensor& x) const {
  check_held();
  return std::as_const(*held_).call(x);
}

Tensor AnyLayer::operator()(const Tensor& x, const Training& training) {
  check_held();
  return held_->train(x, training);
}

Tensor AnyLayer::operator()(const Tensor& x, const Training& training) const {
  AnyLayer copy = *this;
  Tensor y = copy(x, training);
  if (places_of(copy) != places_of(*this)) {
    refuse("AnyLayer",
           "this layer changes its buffers in training (as BatchNorm does): call a model that is "
           "not const");
  }
  return y;
}

const std::type_info& AnyLayer::type() const {
  check_held();
  return held_->type();
}

}  // namespace likely::nn
