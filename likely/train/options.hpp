// What a training is told: data, metrics, options.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"
#include "likely/data/feed.hpp"
#include "likely/optim/average.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/optim/schedule.hpp"
#include "likely/train/events.hpp"
#include "likely/train/reports.hpp"
#include "likely/train/terminal.hpp"

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
  Progress progress = Progress::automatic;     // what is shown on the standard error
  EventSink events{};                          // hears everything that happens (events.hpp)
  bool catch_interrupt = true;  // SIGINT and SIGTERM end the step, save and stop; a second one kills
};

}  // namespace likely::train
