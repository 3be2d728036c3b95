// Making choices instead of explaining them: simulated subjects in simulated tasks, and what a model expects
// trial by trial.
//
//   choice::Bandit task;
//   task.probabilities = {0.2, 0.8};
//   const choice::Trials made = choice::simulate(choice::named_model("rw"), {{0.3, 5.0}}, task, Rng(1));
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"
#include "likely/ops/rng.hpp"

namespace likely::choice {

// A task with an option a number of `probabilities`: each pays `reward` with its probability, else
// `otherwise`. Refused: fewer than 2 or more than kMostOptions options, probabilities outside [0, 1], drift
// outside 0 ... 1e300, amounts that are not finite, trials or blocks < 1, offered outside 2 ... options.
struct Bandit {
  std::vector<double> probabilities{0.3, 0.7};
  std::int64_t trials = 200;  // in each block
  std::int64_t blocks = 1;
  double reward = 1.0;
  double otherwise = 0.0;
  // Each probability takes a normal step of this standard deviation a trial, reflected at `lowest` and
  // `highest`.
  double drift = 0.0;
  double lowest = 0.0, highest = 1.0;
  // After so many trials of a block the probabilities trade places (reversal learning); 0: never.
  std::int64_t reversal = 0;
  // How many options a trial offers, drawn evenly; 0: all.
  int offered = 0;
  // Gains and losses apart: instead of `otherwise` a loss of `loss` with a probability of its own for each
  // option.
  std::vector<double> loss_probabilities{};
  double loss = -1.0;
};

// One subject for each list of natural parameters. Subject s draws from rng.fold_in(s), so that more subjects
// do not change the first. Refuses parameters out of their range and a model with another number of options.
// Cancelled is asked at each group of subjects.
Trials simulate(const Model& model, const std::vector<std::vector<double>>& parameters, const Bandit& task,
                const Rng& rng, const CancelTest& cancelled = nullptr);

// Choices drawn anew where everything else is as it was: for posterior predictive checks of tasks that cannot
// be simulated. Outcomes, cues and options offered stay those of the trials, whatever is chosen: an outcome
// belongs to its trial, so this is right for cues to predict, and a rough check elsewhere. Parameters as in
// simulate.
Trials simulate_choices(const Model& model, const std::vector<std::vector<double>>& parameters,
                        const Trials& trials, const Rng& rng);

// What a model expects of one subject, trial by trial.
struct Expectations {
  std::int64_t trials = 0;
  int options = 0, cues = 0;
  std::vector<double> values;         // trials x cues, before the outcome
  std::vector<double> probabilities;  // trials x options
  std::vector<double> errors;         // lambda - the value expected; NaN for a model of your own
};
// For natural parameters of one subject. Refuses a subject that is not there.
Expectations expectations(const Model& model, const std::vector<double>& parameters, const Trials& trials,
                          std::int64_t subject);

}  // namespace likely::choice
