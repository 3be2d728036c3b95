// Stochastic-gradient Langevin dynamics: gradient descent with so much noise that it draws from a posterior.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/optim/groups.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim {

// Refused: lr, temperature, weight_decay < 0, examples < 1, and what is not a number.
struct LangevinOptions {
  double lr = 1e-3;
  std::int64_t examples = 1;  // how many examples the loss is the mean of
  double temperature = 1.0;   // 1 draws from the posterior, 0 goes downhill
  double weight_decay = 0.0;  // adds weight_decay * parameter to the gradient: a normal prior of variance
                              // 1 / (examples weight_decay)
};

// For a loss that is minus the mean log-likelihood of `examples` examples (and minus the log-prior divided by
// their number), each step
//   parameter <- parameter - lr gradient + sqrt(2 lr temperature / examples) noise
// is one of Welling and Teh (2011) with step size epsilon = 2 lr / examples. For small lr the parameters
// visit each place as often as the posterior (9.11) says, so that the mean of predictions along the way is
// the Bayesian prediction (9.12). Smaller steps take longer to get about and make a smaller error.
//
//   optim::Langevin langevin(model, {.lr = 1e-3, .examples = 5000}, rng.split());
//   langevin.step(model, gradient);
//
// The noise follows from the rng and the number of steps alone. Parts that are frozen, and buffers, stay as
// they are. Refuses, by its name and before anything is changed, a part whose shape or type is no longer what
// it was when the optimizer was made, and a gradient that does not fit.
class Langevin {
 public:
  LangevinOptions options;  // may be changed between steps
  Buffer steps;             // how many were made; i64

  template <Tree Model>
  Langevin(const Model& model, const LangevinOptions& chosen, Rng rng) : Langevin(model, chosen, {}, rng) {}
  template <Tree Model>
  Langevin(const Model& model, const LangevinOptions& chosen, const Groups& groups, Rng rng)
      : Langevin(chosen, detail::leaf_settings("Langevin", model, groups), rng) {}

  template <Tree Model>
  void step(Model& model, const Model& gradient) {
    step(pair_leaves("Langevin", model, gradient, settings_));
  }

  // What of its parts cannot be (tree/misfit.hpp).
  std::string misfit() const;
  // How many steps it has made: one number, whichever tensors learned.
  std::vector<std::int64_t> steps_made(const std::vector<bool>& learned) const;
  // What its groups say of tensors, by their places in the model; empty where they say nothing.
  std::string groups_text() const { return detail::groups_text(settings_); }
  LIKELY_PARTS(steps)

 private:
  Langevin(const LangevinOptions& chosen, std::vector<detail::LeafSetting> settings, Rng rng);
  void step(const std::vector<Leaf>& leaves);

  std::vector<detail::LeafSetting> settings_;
  Rng rng_;
};

}  // namespace likely::optim
