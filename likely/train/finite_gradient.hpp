// A gradient that is finite, or the name of what made it otherwise. Only for train/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/autodiff/dependence.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/autodiff/trace.hpp"
#include "likely/core/error.hpp"
#include "likely/core/parts.hpp"
#include "likely/tree/tree.hpp"

namespace likely::train {

// What is thrown where a loss or a gradient is not finite: "the loss is NaN", and the operation and the layer
// that made it so. The model is as it was before the step.
class NotFinite : public Error {
 public:
  NotFinite(const std::string& message, std::string what_is, std::string cause);
  const std::string& what_is() const { return what_is_; }
  const std::string& cause() const { return cause_; }

 private:
  std::string what_is_, cause_;
};

namespace detail {

// A loss of a model, without types: what is differentiated once more, under the tracer, where something is
// not finite.
class Differentiable {
 public:
  Differentiable() = default;
  Differentiable(const Differentiable&) = delete;
  Differentiable& operator=(const Differentiable&) = delete;
  virtual ~Differentiable() = default;

  // The loss; keeps the gradient.
  virtual Tensor differentiate() = 0;
  // The gradient's tensors at the learned parameters.
  virtual std::vector<Tensor*> gradient() = 0;
  // What a loss may write to: the parts that are not learned.
  virtual std::vector<Tensor*> buffers() = 0;
  // Numbers that the loss starts from and that are not finite: "the batch's x"; empty for none.
  virtual std::string not_finite() = 0;
};

// The first tensor of a tree that holds a number that is not finite, by its name; empty for none.
bool holds_only_finite(const Tensor& tensor);
template <Tree T>
std::string first_not_finite(const T& tree) {
  std::string found;
  for_each_named_leaf(tree, [&](const std::string& name, const Tensor& tensor, PartKind) {
    if (found.empty() && !holds_only_finite(tensor)) found = name;
  });
  return found;
}

// The loss, whose gradient the function then holds. If one of them is not finite, or the loss is refused
// because of numbers on its way that are not, does the same again under the tracer, with the same random
// keys, and throws NotFinite with the operation and the layer. The buffers are then as they were before.
// `steps_before`: how many gradients were taken before this one, where the tracer should count them.
double differentiate_finitely(Differentiable& function,
                              std::int64_t steps_before = TraceNonFinite::kStepsNotCounted);

// loss(model) of one model.
template <class Model, class Loss>
class DifferentiableLoss : public Differentiable {
 public:
  DifferentiableLoss(Model& model, Loss& loss) : model_(model), loss_(loss) {}

  Tensor differentiate() override {
    depends_ = false;
    auto result = value_and_grad(model_, [&](auto&... parts) -> Tensor {
      return likely::detail::watched_loss(loss_, depends_, parts...);
    });
    gradient_ = std::move(result.gradient);
    return std::move(result.value);
  }
  std::vector<Tensor*> gradient() override {
    std::vector<bool> learned;
    for_each_leaf(model_, [&](Tensor&, PartKind kind) { learned.push_back(kind == PartKind::parameter); });
    std::vector<Tensor*> parts = likely::detail::leaf_pointers(*gradient_);
    std::vector<Tensor*> at_learned;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (learned[i]) at_learned.push_back(parts[i]);
    }
    return at_learned;
  }
  std::vector<Tensor*> buffers() override {
    std::vector<Tensor*> found;
    for_each_leaf(model_, [&](Tensor& tensor, PartKind kind) {
      if (kind == PartKind::buffer) found.push_back(&tensor);
    });
    return found;
  }
  std::string not_finite() override {
    const std::string part = first_not_finite(model_);
    return part.empty() ? part : "the model's " + part;
  }

  const Model& whole_gradient() const { return *gradient_; }
  // Refuses a loss that uses none of the parameters, where there are any to be learned.
  void check_dependence(const char* caller) {
    if (!depends_ && !likely::detail::parameter_pointers(model_).empty())
      likely::detail::refuse_independent_loss(caller);
  }

 private:
  Model& model_;
  Loss& loss_;
  std::optional<Model> gradient_;
  bool depends_ = false;
};

}  // namespace detail

}  // namespace likely::train
