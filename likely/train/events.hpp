// Events: what happens while something is trained, fitted or tried, told to whoever wants to know.
//
//   const train::EventSink sink = [](const train::Event& event) {
//     if (const auto* epoch = std::get_if<train::event::Epoch>(&event)) show(epoch->report);
//   };
//   train::fit(model, adam, data, loss, {.epochs = 20, .events = sink});
//
// terminal.hpp shows them, event_file.hpp keeps them as lines of JSON.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "likely/train/reports.hpp"

namespace likely::train {

namespace event {

// A run of a recipe begins, or goes on; End is its last event.
struct Begin {
  std::string recipe;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> settings{};
  std::filesystem::path data{};  // empty: the recipe's own
  std::filesystem::path out{};   // the run folder
  bool resumed = false;
};

// A training begins, or goes on; Trained is its last event. A run may have none, or several.
struct Training {
  std::filesystem::path out{};  // its folder; empty: nothing is written
  std::int64_t epochs = 0;      // in all; 0 where only the steps are limited
  std::int64_t steps = 0;       // in all
  std::int64_t step = 0;        // made before; what was told of later ones is told again
  bool counts_rows = true;      // or else its steps have no rows
  bool is_done = false;         // nothing is left to do
};

// A step was made.
struct Step {
  std::int64_t epoch = 0;  // counted from 1
  std::int64_t step = 0;   // made in all
  std::int64_t rows = 0;   // that it learned from
  NamedNumbers losses{};   // of this step
  NamedNumbers means{};    // over the epoch's rows so far
  NamedNumbers rates{};    // learning rates
};

// An epoch has ended, and what was reached was measured.
struct Epoch {
  EpochReport report;
};

// A training has ended.
struct Trained {
  Stopped stopped = Stopped::finished;
  std::int64_t step = 0;        // steps made in all
  std::filesystem::path out{};  // where its checkpoint is; empty: nowhere
  std::string monitored{};      // what decided which epoch was the best; empty: nothing
  std::int64_t best_epoch = 0;  // 0: none
  double best_value = std::numeric_limits<double>::quiet_NaN();
};

// Long work other than a training is at this place. The last one has `done` 1.
struct Stage {
  std::string of;                                          // "rw-dual", "folds"
  std::string doing;                                       // "sampling"
  double done = std::numeric_limits<double>::quiet_NaN();  // 0 ... 1; NaN where nobody knows
  NamedNumbers numbers{};                                  // what has been reached
};

// A trial of a sweep has ended.
struct Trial {
  std::int64_t number = 0;                        // counted from 1
  std::map<std::string, std::string> settings{};  // those that are swept
  std::string figure{};                           // what decides; empty where no trial has succeeded yet
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string error{};  // why it failed; empty where it did not
};

// A number that says what a run reached.
struct Metric {
  std::string name;
  double value = std::numeric_limits<double>::quiet_NaN();
  std::optional<bool> higher_is_better{};  // nothing: neither
};

// Something that a model made: words, a picture or both.
struct Sample {
  std::string name;
  std::string text{};
  std::filesystem::path picture{};  // without its ending, as event::Picture; empty: none
};

// A picture was drawn.
struct Picture {
  std::filesystem::path path;  // without its ending: it is there as .png and .svg
};

// Something went wrong, or differently, that is no reason to fail.
struct Warning {
  std::string text;
};

// The run has ended.
struct End {
  Stopped stopped = Stopped::finished;
  double seconds = 0.0;
  std::string error{};  // why it failed; empty where it did not
};

}  // namespace event

using Event =
    std::variant<event::Begin, event::Training, event::Step, event::Epoch, event::Trained, event::Stage,
                 event::Trial, event::Metric, event::Sample, event::Picture, event::Warning, event::End>;

// Is told every event, by one thread at a time, and soon done with it: the work waits. What it throws ends
// the work. An empty one is told nothing.
using EventSink = std::function<void(const Event&)>;

}  // namespace likely::train
