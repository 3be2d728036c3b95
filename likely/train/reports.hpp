// What a training reports: of a step, of an epoch, and why it stopped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace likely::train {

// Numbers by name, in the order of telling.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

// One step, as a callback sees it. Setting `stop` ends the training after this step.
struct StepReport {
  std::int64_t epoch;  // counted from 1
  std::int64_t step;   // steps made in all
  double loss;         // the first of `losses`; NaN where there are none
  double lr;           // the first of `rates`; NaN where there are none
  bool stop = false;
  NamedNumbers losses{};  // of fit: "loss"
  NamedNumbers rates{};   // of fit: "lr"; else by the names of the optimizers
};

// On what a model is measured after an epoch. In train::run the learner's metrics know that themselves.
enum class MeasuredOn : std::uint8_t { training, validation, test, by_learner };
// "training", "validation" or "test"; empty for what a learner measures.
std::string_view name_of(MeasuredOn on);

// One epoch. `measured` holds, by name, "loss" and the metrics on the validation data or else the test data,
// or where there are none, the metrics on the training data. Setting `stop` ends the training.
struct EpochReport {
  std::int64_t epoch;  // counted from 1
  std::int64_t step;   // steps made in all
  double loss;         // the mean over the epoch's rows, each as it was when its step was made
  double lr;           // of the last step
  NamedNumbers measured{};
  MeasuredOn measured_on = MeasuredOn::training;
  bool improved = false;  // whether what is monitored is the best so far
  double seconds = 0.0;   // spent in this training so far, over all its resumptions
  bool stop = false;
  NamedNumbers losses{};  // as in StepReport; `loss` and `lr` are the first of them
  NamedNumbers rates{};

  // One of those measured, or else of the losses. Refuses a name that is neither.
  double operator[](std::string_view name) const;
};

enum class Stopped : std::uint8_t {
  finished,     // all epochs or steps were made
  early,        // `patience` epochs without a better one
  interrupted,  // by a signal
  by_callback,
  converged  // an optimizer that works on all of the data found no better place
};

// "finished", "early", "interrupted", "by a callback" or "converged".
std::string_view name_of(Stopped stopped);

}  // namespace likely::train
