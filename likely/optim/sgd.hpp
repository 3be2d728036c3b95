// Stochastic gradient descent, with momentum.
#pragma once

#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/groups.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim {

// Refused: lr, weight_decay < 0, momentum outside [0, 1), nesterov without momentum, and what is not a
// number.
struct SgdOptions {
  double lr = 1e-2;
  double momentum = 0.0;
  bool nesterov = false;      // look one step ahead
  double weight_decay = 0.0;  // adds weight_decay * parameter to the gradient
};

// With g = gradient + weight_decay * parameter:
//   velocity  <- momentum * velocity + g              (the first time: velocity <- g)
//   parameter <- parameter - lr * velocity            (nesterov: lr * (g + momentum * velocity))
// (6.3, 6.11, 6.12: the textbook puts a factor 1 - momentum before g, so its rate alpha is our
// lr = alpha (1 - momentum).) Without momentum there is no velocity.
//
//   optim::Sgd sgd(model, {.lr = 0.1, .momentum = 0.9});
//   sgd.step(model, gradient);
//
// Writes in place where nobody else holds a parameter's memory. Parts that are frozen, and buffers, stay as
// they are. Refuses, by its name and before anything is changed, a part whose shape or type is no longer what
// it was when the optimizer was made, and a gradient that does not fit.
class Sgd {
 public:
  SgdOptions options;            // may be changed between steps
  std::vector<Buffer> velocity;  // one a tensor of the model; empty where nothing was learned yet

  template <Tree Model>
  explicit Sgd(const Model& model, const SgdOptions& chosen = {}, const Groups& groups = {})
      : Sgd(chosen, detail::leaf_settings("Sgd", model, groups)) {}

  template <Tree Model>
  void step(Model& model, const Model& gradient) {
    step(pair_leaves("Sgd", model, gradient, settings_));
  }

  // What of its parts does not fit the model it was made for (tree/misfit.hpp).
  std::string misfit() const;
  // What is not remembered of tensors that steps have changed, in the same words: `learned`, one for each
  // tensor of the model, says which those are.
  std::string missing_state(const std::vector<bool>& learned) const;
  // What its groups say of tensors, by their places in the model; empty where they say nothing.
  std::string groups_text() const { return detail::groups_text(settings_); }
  LIKELY_PARTS(velocity)

 private:
  Sgd(const SgdOptions& chosen, std::vector<detail::LeafSetting> settings);
  void step(const std::vector<Leaf>& leaves);

  std::vector<detail::LeafSetting> settings_;
};

}  // namespace likely::optim
