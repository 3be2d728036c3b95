// descend: one step of an optimizer down the gradient of a loss. What fit does in each step, and what a
// learner of one's own (run.hpp) is made of:
//
//   const double loss = train::descend(generator, adam, [&](Generator& g) { return -mean(critic(g(noise)));
//   });
#pragma once

#include <concepts>
#include <type_traits>

#include "likely/core/parts.hpp"
#include "likely/optim/clip.hpp"
#include "likely/optim/loss_function.hpp"
#include "likely/train/finite_gradient.hpp"
#include "likely/train/watch_learner.hpp"

namespace likely::train {

namespace detail {

template <class Model>
struct AnyLoss {
  Tensor operator()(const Model&) const;
};
// step(model, loss): evaluates the loss as often as it likes, on all of the data.
template <class Optimizer, class Model>
concept StepsByLoss = requires(Optimizer& optimizer, Model& model, const AnyLoss<Model>& loss) {
  { optimizer.step(model, loss) } -> std::same_as<optim::Minimum>;
  optimizer.options.lr = 0.1;
};
// step(model, gradient): one gradient is all it asks for.
template <class Optimizer, class Model>
concept StepsByGradient =
    !StepsByLoss<Optimizer, Model> && requires(Optimizer & optimizer, Model& model, const Model& gradient) {
  optimizer.step(model, gradient);
  optimizer.options.lr = 0.1;
};

void check_clip_norm(const char* caller, double clip_norm);

// The step, once the gradient is complete: nowhere else is one handed to an optimizer.
template <class Model, class Optimizer, class Function>
void step_down(Model& model, Optimizer& optimizer, Function& function, double clip_norm) {
  if (clip_norm > 0.0) optim::clip_norm(function.gradient(), clip_norm);
  optimizer.step(model, function.whole_gradient());
}

}  // namespace detail

// Refused: clip_norm < 0, and any with an optimizer that evaluates the loss itself (Lbfgs).
struct DescendOptions {
  double clip_norm = 0.0;  // the largest norm of the whole gradient; 0 is no limit
};

// Takes the gradient of loss(model), one number, and lets the optimizer make a step; returns the loss before
// it (with an optimizer that evaluates the loss itself, such as Lbfgs, the loss after it). What the loss
// writes to the model's buffers stays. A loss or gradient that is not finite is an Error that names the
// operation and the layer that made it, and leaves the model as it was. Refuses a loss that uses none of the
// model's parameters, as one does that captured the model and leaves its argument alone.
template <Tree Model, class Optimizer, class Loss>
double descend(Model& model, Optimizer& optimizer, Loss&& loss, const DescendOptions& options = {}) {
  detail::check_clip_norm("descend", options.clip_norm);
  detail::check_named(&model, "model");
  detail::check_named(&optimizer, "optimizer");
  if constexpr (detail::StepsByGradient<Optimizer, Model>) {
    detail::DifferentiableLoss<Model, std::remove_reference_t<Loss>> function(model, loss);
    const double value = detail::differentiate_finitely(function);
    function.check_dependence("descend");
    detail::step_down(model, optimizer, function, options.clip_norm);
    return value;
  } else {
    static_assert(detail::StepsByLoss<Optimizer, Model>,
                  "an optimizer has step(model, gradient) or step(model, loss), and options.lr");
    if (options.clip_norm > 0.0) refuse("descend", "this optimizer cannot clip its gradients");
    return optimizer.step(model, loss).loss;
  }
}

}  // namespace likely::train
