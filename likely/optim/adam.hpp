// Adam and AdamW: steps scaled by running means of the gradient and of its square.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/groups.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim {

// Refused: lr, eps, weight_decay < 0, betas outside [0, 1), and what is not a number.
struct AdamOptions {
  static constexpr const char* kName = "Adam";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.0;  // adds weight_decay * parameter to the gradient, or,
  bool decoupled = false;     // as AdamW does, takes lr * weight_decay * parameter off the parameter instead
};

struct AdamWOptions {
  static constexpr const char* kName = "AdamW";
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  static constexpr bool decoupled = true;  // NOLINT(readability-identifier-naming)
};

// Adam and AdamW. With t counting a parameter's steps from 1 (6.15-6.17; Kingma and Ba, 2015):
//   mean      <- beta1 mean + (1 - beta1) gradient
//   square    <- beta2 square + (1 - beta2) gradient^2
//   parameter <- parameter - lr (mean / (1 - beta1^t)) / (sqrt(square / (1 - beta2^t)) + eps)
//
//   optim::Adam adam(model, {.lr = 1e-3});
//   adam.step(model, gradient);
//
// Writes in place where nobody else holds a parameter's memory. Parts that are frozen, and buffers, stay as
// they are. Refuses, by its name and before anything is changed, a part whose shape or type is no longer what
// it was when the optimizer was made, and a gradient that does not fit.
template <class Options>
class BasicAdam {
 public:
  Options options;             // may be changed between steps
  Buffer steps;                // how many steps each tensor of the model has made, i64
  std::vector<Buffer> mean;    // one a tensor of the model; empty where nothing was learned yet
  std::vector<Buffer> square;  // the same

  template <Tree Model>
  explicit BasicAdam(const Model& model, const Options& chosen = {}, const Groups& groups = {})
      : BasicAdam(chosen, detail::leaf_settings(Options::kName, model, groups)) {}

  template <Tree Model>
  void step(Model& model, const Model& gradient) {
    step(pair_leaves(Options::kName, model, gradient, settings_));
  }

  // "likely::optim::Adam", by which config.json knows it.
  static std::string type_name() { return std::string("likely::optim::") + Options::kName; }
  // What of its parts does not fit the model it was made for (tree/misfit.hpp).
  std::string misfit() const;
  // What is not remembered of tensors that steps have changed, in the same words: `learned`, one for each
  // tensor of the model, says which those are.
  std::string missing_state(const std::vector<bool>& learned) const;
  // How many steps each of these tensors has made.
  std::vector<std::int64_t> steps_made(const std::vector<bool>& learned) const;
  // What its groups say of tensors, by their places in the model; empty where they say nothing.
  std::string groups_text() const { return detail::groups_text(settings_); }
  LIKELY_PARTS(steps, mean, square)

 private:
  BasicAdam(const Options& chosen, std::vector<detail::LeafSetting> settings);
  void step(const std::vector<Leaf>& leaves);

  std::vector<detail::LeafSetting> settings_;
};

using Adam = BasicAdam<AdamOptions>;
// Adam after parameter <- parameter - lr weight_decay parameter: decay that the scaling of the steps does not
// touch (Loshchilov and Hutter, 2019; 9.13).
using AdamW = BasicAdam<AdamWOptions>;

extern template class BasicAdam<AdamOptions>;
extern template class BasicAdam<AdamWOptions>;

}  // namespace likely::optim
