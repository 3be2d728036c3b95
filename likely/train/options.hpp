// What a training is told and what it reports: options, metrics, callbacks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"
#include "likely/data/feed.hpp"
#include "likely/optim/average.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/optim/schedule.hpp"

namespace likely::train {

// What is learned from, and what is looked at after every epoch. Validation data choose the best model and
// the time to stop. Test data choose nothing: where there are no validation data they are measured and shown,
// and the best model is the last one.
struct Data {
  data::Dataset train;
  std::optional<data::Dataset> validation{};
  std::optional<data::Dataset> test{};
};

// The same where batches are of a type of one's own: any tree of tensors (data/feed.hpp).
//   train::Feeds{.train = windows, .validation = other_windows}
template <class BatchType>
struct Feeds {
  data::Feed<BatchType> train;
  std::optional<data::Feed<BatchType>> validation{};
  std::optional<data::Feed<BatchType>> test{};
};

namespace detail {

// What a metric says of itself: train::accuracy is to be high, train::mean_squared_error low.
template <class Function>
std::optional<bool> direction_of(const Function&) {
  if constexpr (requires { Function::kHigherIsBetter; }) {
    return Function::kHigherIsBetter;
  } else {
    return std::nullopt;
  }
}

}  // namespace detail

// A number that says how good a model is on a batch: one number, the mean over the rows. Over a whole data
// set the batches' numbers are averaged by their rows. Whether higher is better must be known of one that is
// monitored: {"F1", f1, true}, {"error", error_of, false}; those of metrics.hpp say it themselves.
template <class Model, class BatchType = data::Batch>
struct Metric {
  std::string name;
  std::function<Tensor(const Model&, const BatchType&)> of;
  std::optional<bool> higher_is_better;

  template <class Function>
  Metric(std::string called, Function function, std::optional<bool> higher = std::nullopt)
      : name(std::move(called)), higher_is_better(higher ? higher : detail::direction_of(function)) {
    of = std::move(function);
  }
};

enum class Progress : std::uint8_t {
  automatic,  // a bar on a terminal, else lines, at most one a second
  bar,        // one line, drawn again and again in its place
  lines,      // one line an epoch
  silent
};

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

// Refused before anything is trained: neither epochs nor steps, numbers below 0, batch or accumulate below 1,
// a monitor that is not measured, metrics without a name or with the same one, both a schedule and a plateau.
template <Tree Model, class BatchType = data::Batch>
struct FitOptions {
  std::int64_t epochs = 0;  // how long: what is reached first; 0 is no limit
  std::int64_t steps = 0;
  std::int64_t batch = 32;
  std::uint64_t seed = 0;
  bool shuffle = true;        // another order every epoch, or always the data's own
  bool drop_last = false;     // leave out an epoch's last batch if it is smaller than the others
  std::int64_t prefetch = 0;  // batches that a background thread prepares ahead: where rows take time to read
  std::int64_t accumulate = 1;  // batches whose gradients are averaged into one step
  // The learning rate of a step, counted from 0. Without one the optimizer keeps its own.
  optim::Schedule schedule{};
  // Or one that falls when what is monitored stops getting better (a higher-is-better metric is negated).
  optim::Plateau* plateau = nullptr;
  double clip_norm = 0.0;  // the largest norm of the whole gradient; 0 is no limit

  // Is shown the model after every step; then what is measured, and the best model, are the average's.
  optim::Average<Model>* average = nullptr;

  std::vector<Metric<Model, BatchType>> metrics{};
  // What decides which model is the best: "loss" (on the validation data, or else that of the training), or a
  // metric's name. Empty: the loss if it is measured, else the first metric. Where only test data are
  // measured, nothing decides, and a name is refused.
  std::string monitor{};
  std::int64_t patience = 0;  // stop after so many epochs without a better one; 0 is never

  std::function<void(StepReport&)> on_step{};
  std::function<void(EpochReport&)> on_epoch{};

  std::filesystem::path out{};  // the run folder; empty: nothing is written
  bool resume = false;          // continue what the run folder holds, or begin where it holds nothing
  // A checkpoint is written at the end, on Ctrl-C, at ends of epochs when the last is this old, and after so
  // many steps each (0: not).
  double checkpoint_seconds = 10.0;
  std::int64_t checkpoint_every = 0;
  std::int64_t log_every = 0;                  // also write a line of metrics after so many steps each
  bool figures = true;                         // draw the losses into the run folder at the end
  std::map<std::string, std::string> notes{};  // what else config.json should hold
  Progress progress = Progress::automatic;
  bool catch_interrupt = true;  // SIGINT and SIGTERM end the step, save and stop; a second one kills
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
