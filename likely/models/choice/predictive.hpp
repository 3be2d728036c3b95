// Posterior predictive checks: do choices drawn from the fitted model look like those that were made?
//
//   const auto check = choice::predictive_check(model, trials, choice::parameter_draws(posterior),
//   rng.split()); check.observed.rates, check.expected, check.low, check.high;      // learning curves
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "likely/models/choice/hierarchical_bayes.hpp"
#include "likely/models/choice/simulate.hpp"

namespace likely::choice {

// How often each option was chosen, along the trials.
struct LearningCurve {
  int options = 0;
  std::vector<double> trial;   // the mean of those in each bin, counted from 1
  std::vector<double> rates;   // bins x options, over all subjects who got that far
  std::vector<double> counts;  // choices in each bin
};
// Refuses bin < 1 and no trials.
LearningCurve learning_curve(const Trials& trials, std::int64_t bin = 1);

// Refused: bin < 1, interval outside (0, 1).
struct PredictiveOptions {
  std::int64_t bin = 10;  // trials that make one point
  double interval = 0.95;
  // The task, where it can be played anew: choices then bring outcomes of their own, and the check is of the
  // whole course of learning. Without it every choice is drawn given the choices and outcomes before it that
  // were observed, as hBayesDM does.
  std::optional<Bandit> task = std::nullopt;
};

struct PredictiveCheck {
  LearningCurve observed;
  // Of the drawn choices, bins x options: their mean rate and the interval's ends.
  std::vector<double> expected, low, high;
  double covered = 0.0;  // the fraction of the observed rates that lie inside
  // The mean probability of what was chosen, given what came before: of each subject, over the draws. Empty
  // where the task is played anew.
  std::vector<double> hit_rate;
};

// `draws`: everybody's unconstrained parameters, subjects x parameters each. Refuses no draws and draws of
// another size.
PredictiveCheck predictive_check(const Model& model, const Trials& trials,
                                 const std::vector<std::vector<double>>& draws, const Rng& rng,
                                 const PredictiveOptions& options = {});

// So many draws of a posterior, evenly taken.
std::vector<std::vector<double>> parameter_draws(const HierarchicalPosterior& posterior,
                                                 std::int64_t most = 200);

}  // namespace likely::choice
