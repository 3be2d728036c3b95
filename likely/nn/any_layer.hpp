// A layer whose type is known only when the program runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/nn/sequential.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::nn {

namespace detail {

template <class Handle>
using LeafVisit = std::function<void(const std::string& name, Handle& tensor, bool is_buffer)>;

// What walks and calls ask of a layer whose type they do not see: each is the typed walk, done behind a
// virtual function.
class HeldLayer {
 public:
  HeldLayer() = default;
  HeldLayer(const HeldLayer&) = delete;
  HeldLayer& operator=(const HeldLayer&) = delete;
  virtual ~HeldLayer() = default;

  virtual std::unique_ptr<HeldLayer> clone() const = 0;
  // layer = other's; false, and nothing done, where that is of another type or cannot be assigned.
  virtual bool assign(const HeldLayer& other) = 0;
  virtual const std::type_info& type() const = 0;

  virtual Tensor call(const Tensor& x) const = 0;
  virtual Tensor train(const Tensor& x, const Training& training) = 0;

  virtual void for_each_leaf(const LeafVisit<Tensor>& visit) = 0;
  virtual void for_each_leaf(const LeafVisit<const Tensor>& visit) const = 0;
  virtual std::string misfit() const = 0;
  virtual void find_layer(const LayerError& error, const std::string& path,
                          likely::detail::LayerSearch& search) const = 0;
  virtual bool find_owner(const TensorError& error, const std::string& path,
                          likely::detail::TensorOwner& owner) const = 0;
  virtual void find_trained_layer(const std::string& path, std::string& found) const = 0;
  virtual void find_unnamed(const std::string& path, std::string& found) const = 0;
};

[[noreturn]] void refuse_without_training();

template <class Layer>
class Held final : public HeldLayer {
 public:
  explicit Held(Layer chosen) : layer(std::move(chosen)) {}

  Layer layer;

  std::unique_ptr<HeldLayer> clone() const override { return std::make_unique<Held>(layer); }
  bool assign(const HeldLayer& other) override {
    if constexpr (std::is_copy_assignable_v<Layer>) {
      if (other.type() != typeid(Layer)) return false;
      layer = static_cast<const Held&>(other).layer;
      return true;
    } else {
      return false;
    }
  }
  const std::type_info& type() const override { return typeid(Layer); }

  Tensor call(const Tensor& x) const override {
    if constexpr (is_list<Layer> || requires { layer(x); }) {
      return forward(layer, x);
    } else {
      return inside_layer(layer, []() -> Tensor { refuse_without_training(); });
    }
  }
  Tensor train(const Tensor& x, const Training& training) override { return forward(layer, x, training); }

  void for_each_leaf(const LeafVisit<Tensor>& visit) override {
    likely::detail::walk_tree<true>({}, layer, visit);
  }
  void for_each_leaf(const LeafVisit<const Tensor>& visit) const override {
    likely::detail::walk_tree<true>({}, layer, visit);
  }
  std::string misfit() const override { return likely::misfit(layer); }
  void find_layer(const LayerError& error, const std::string& path,
                  likely::detail::LayerSearch& search) const override {
    likely::detail::find_layer(error, path, layer, search);
  }
  bool find_owner(const TensorError& error, const std::string& path,
                  likely::detail::TensorOwner& owner) const override {
    return likely::detail::find_owner(error, path, layer, owner);
  }
  void find_trained_layer(const std::string& path, std::string& found) const override {
    detail::find_trained_layer(path, layer, found);
  }
  void find_unnamed(const std::string& path, std::string& found) const override {
    detail::find_unnamed(path, layer, found);
  }
};

template <class Layer>
constexpr bool called_as_layer() {
  if constexpr (is_list<Layer>) {
    return called_as_layer<typename Layer::value_type>();
  } else {
    return Trains<Layer> || requires(const Layer& layer, const Tensor& x) { Tensor(layer(x)); };
  }
}

}  // namespace detail

// Any layer that Sequential takes, as a value of one type:
//
//   std::vector<nn::AnyLayer> layers;
//   layers.push_back(nn::Linear(40, 100, rng.split()));
//   layers.push_back(nn::Relu{});
//
// It is the tree that the layer is: names, buffers, frozen marks, gradients, optimizers, files and the names
// in errors are those of the layer itself. A copy is a layer of its own. Assigning one that holds the same
// type assigns that, which leaves frozen marks where they are; one of another type takes its place, marks and
// all.
//
// One that was moved from has no parts; a call refuses it, and so does whatever asks misfit() (save, load,
// checkpoints). In training, a layer that is const refuses to change its buffers when it is called, since the
// compiler cannot know.
class AnyLayer {
 public:
  template <class Layer>
  requires(!std::is_same_v<Layer, AnyLayer> && Tree<Layer> && detail::called_as_layer<Layer>())
      AnyLayer(Layer layer)  // NOLINT(google-explicit-constructor): so that lists of layers read as such
      : held_(std::make_unique<detail::Held<Layer>>(std::move(layer))) {}

  AnyLayer(const AnyLayer& other) : held_(other.held_ ? other.held_->clone() : nullptr) {}
  AnyLayer(AnyLayer&& other) noexcept = default;
  AnyLayer& operator=(const AnyLayer& other);
  AnyLayer& operator=(AnyLayer&& other);  // NOLINT(performance-noexcept-move-constructor): may copy a vector
  ~AnyLayer() = default;

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training);
  Tensor operator()(const Tensor& x, const Training& training) const;

  // The type of the layer. Refuses one that was moved from.
  const std::type_info& type() const;
  // The layer itself, or nullptr where it is of another type.
  template <class Layer>
  Layer* get_if() {
    return is<Layer>() ? &static_cast<detail::Held<Layer>&>(*held_).layer : nullptr;
  }
  template <class Layer>
  const Layer* get_if() const {
    return is<Layer>() ? &static_cast<const detail::Held<Layer>&>(*held_).layer : nullptr;
  }
  bool moved_from() const { return held_ == nullptr; }

  // What walks over trees ask (core/parts.hpp, core/layer_error.hpp, tree/misfit.hpp, trained_layers.hpp).
  // All tensors of the layer are parts, whose names have dots where it is made of others.
  static auto likely_part_types() { return likely::detail::TypeList<Tensor>{}; }
  template <class Visitor>
  void visit_parts(Visitor&& visit) {
    if (held_) held_->for_each_leaf(leaf_visit<Tensor, Buffer>(visit));
  }
  template <class Visitor>
  void visit_parts(Visitor&& visit) const {
    if (held_) std::as_const(*held_).for_each_leaf(leaf_visit<const Tensor, const Buffer>(visit));
  }
  std::string misfit() const { return held_ ? held_->misfit() : "layer was moved from"; }
  void find_layer(const LayerError& error, const std::string& path,
                  likely::detail::LayerSearch& search) const {
    if (held_) held_->find_layer(error, path, search);
  }
  bool find_owner(const TensorError& error, const std::string& path,
                  likely::detail::TensorOwner& owner) const {
    return held_ && held_->find_owner(error, path, owner);
  }
  void find_trained_layer(const std::string& path, std::string& found) const {
    if (held_) held_->find_trained_layer(path, found);
  }
  void find_unnamed(const std::string& path, std::string& found) const {
    if (held_) held_->find_unnamed(path, found);
  }

 private:
  template <class Layer>
  bool is() const {
    return held_ && held_->type() == typeid(Layer);
  }
  // A part that is a Buffer is one to the visitor.
  template <class Handle, class BufferHandle, class Visitor>
  static detail::LeafVisit<Handle> leaf_visit(Visitor& visit) {
    return [&visit](const std::string& name, Handle& tensor, bool is_buffer) {
      if (is_buffer) {
        visit(std::string_view(name), static_cast<BufferHandle&>(tensor));
      } else {
        visit(std::string_view(name), tensor);
      }
    };
  }
  void check_held() const;

  std::unique_ptr<detail::HeldLayer> held_;
};

}  // namespace likely::nn
