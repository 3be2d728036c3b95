// RMSprop and Adagrad: steps divided by the size of past gradients.
#pragma once

#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/groups.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim {

// Refused: lr, eps, weight_decay < 0, decay and momentum outside [0, 1), and what is not a number. The
// defaults are those of Hinton's lecture (2012), where PyTorch has decay ("alpha") 0.99 and lr 0.01.
struct RmspropOptions {
  double lr = 1e-3;
  double decay = 0.9;  // of the mean square
  double eps = 1e-8;
  double momentum = 0.0;
  bool centred = false;       // divide by the deviation from the mean gradient (Graves, 2013)
  double weight_decay = 0.0;  // adds weight_decay * parameter to the gradient
};

//   square    <- decay square + (1 - decay) gradient^2
//   velocity  <- momentum velocity + gradient / (sqrt(square - mean^2) + eps)
//   parameter <- parameter - lr velocity
// where mean is the running mean of the gradient if centred and 0 if not.
//
// Writes in place where nobody else holds a parameter's memory. Parts that are frozen, and buffers, stay as
// they are. Refuses, by its name and before anything is changed, a part whose shape or type is no longer what
// it was when the optimizer was made, and a gradient that does not fit.
class Rmsprop {
 public:
  RmspropOptions options;        // may be changed between steps
  std::vector<Buffer> square;    // one a tensor of the model; empty where nothing was learned yet
  std::vector<Buffer> mean;      // the same, where centred
  std::vector<Buffer> velocity;  // the same, with momentum

  template <Tree Model>
  explicit Rmsprop(const Model& model, const RmspropOptions& chosen = {}, const Groups& groups = {})
      : Rmsprop(chosen, detail::leaf_settings("Rmsprop", model, groups)) {}

  template <Tree Model>
  void step(Model& model, const Model& gradient) {
    step(pair_leaves("Rmsprop", model, gradient, settings_));
  }

  // What of its parts does not fit the model it was made for (tree/misfit.hpp).
  std::string misfit() const;
  // What is not remembered of tensors that steps have changed, in the same words: `learned`, one for each
  // tensor of the model, says which those are.
  std::string missing_state(const std::vector<bool>& learned) const;
  // What its groups say of tensors, by their places in the model; empty where they say nothing.
  std::string groups_text() const { return detail::groups_text(settings_); }
  LIKELY_PARTS(square, mean, velocity)

 private:
  Rmsprop(const RmspropOptions& chosen, std::vector<detail::LeafSetting> settings);
  void step(const std::vector<Leaf>& leaves);

  std::vector<detail::LeafSetting> settings_;
};

// Refused: lr, eps, weight_decay < 0, and what is not a number.
struct AdagradOptions {
  double lr = 1e-2;
  double eps = 1e-10;
  double weight_decay = 0.0;  // adds weight_decay * parameter to the gradient
};

//   square    <- square + gradient^2
//   parameter <- parameter - lr gradient / (sqrt(square) + eps)
// (Duchi, Hazan and Singer, 2011.) Otherwise as Rmsprop.
class Adagrad {
 public:
  AdagradOptions options;
  std::vector<Buffer> square;

  template <Tree Model>
  explicit Adagrad(const Model& model, const AdagradOptions& chosen = {}, const Groups& groups = {})
      : Adagrad(chosen, detail::leaf_settings("Adagrad", model, groups)) {}

  template <Tree Model>
  void step(Model& model, const Model& gradient) {
    step(pair_leaves("Adagrad", model, gradient, settings_));
  }

  std::string misfit() const;
  std::string missing_state(const std::vector<bool>& learned) const;
  // What its groups say of tensors, by their places in the model; empty where they say nothing.
  std::string groups_text() const { return detail::groups_text(settings_); }
  LIKELY_PARTS(square)

 private:
  Adagrad(const AdagradOptions& chosen, std::vector<detail::LeafSetting> settings);
  void step(const std::vector<Leaf>& leaves);

  std::vector<detail::LeafSetting> settings_;
};

}  // namespace likely::optim
