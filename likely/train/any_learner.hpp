// What the training engine knows of a learner: no types. Only for train/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/optim/average.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/train/losses.hpp"
#include "likely/train/options.hpp"

namespace likely::train::detail {

// One tensor of what a checkpoint keeps.
struct Slot {
  std::string name;
  Tensor* value;
  bool learned;  // a parameter or frozen
  // Whether it belongs to what is trained, or only to the training (an optimizer's memory, an average).
  bool of_model = true;
  // Whether it may be missing in a file though it is there now: what an optimizer remembers comes with its
  // first step.
  bool comes_later = false;
  // Whether it may have another number of rows in a file: what a learner gathers as it goes, such as a replay
  // buffer.
  bool may_grow = false;
};

// What steps make larger, such as "optimizer.steps": a count for each learned tensor, or one.
struct StepCounts {
  std::string name;
  std::vector<std::int64_t> counts;
  bool by_one = true;  // in every step of the training; or else as the learner likes
};

// A learning rate: the name of its optimizer, "" where there is only one.
struct Rate {
  std::string name;
  double* value;
  std::vector<double> others{};  // the optimizer's other options, in the order in which they are declared
};

// Which step is to be made.
struct StepPlace {
  std::int64_t step;  // counted from 0
  Rng noise;          // random keys of the n-th batch, counted from 0 over all epochs, come from fold_in(n)
  std::int64_t batches_before;  // used in all
  std::int64_t batches_left;    // in this epoch
};

// What came of it.
struct StepMade {
  Losses losses;             // means over the rows
  std::int64_t rows = 1;     // by which they are averaged over an epoch
  std::int64_t batches = 1;  // that were used
  bool converged = false;    // no further step makes it better
};

// Something to say about a learner in config.json.
struct Fact {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string> value;
  bool must_stay = true;  // for a training to go on
};

// A learner that has forgotten its type: fit.hpp and run.hpp make them, the engine drives them.
class AnyLearner {
 public:
  AnyLearner() = default;
  AnyLearner(const AnyLearner&) = delete;
  AnyLearner& operator=(const AnyLearner&) = delete;
  virtual ~AnyLearner() = default;

  // In whose name something is refused ("fit"), and of what ("the model and optimizer").
  virtual const char* caller() const = 0;
  virtual const char* described() const = 0;
  // Asked for once, where something is kept.
  virtual std::vector<Fact> facts() const = 0;
  // Whether every step tells one loss, which is called "loss".
  virtual bool tells_one_loss() const { return false; }
  // Whether its steps have rows, of which people like to know how many there are a second.
  virtual bool counts_rows() const { return true; }

  // An epoch has so many batches, and a step uses so many of them (its last one perhaps fewer).
  virtual std::int64_t batches() const = 0;
  virtual std::int64_t batches_per_step() const { return 1; }
  // What an epoch's order depends on is the key alone.
  virtual void open_epoch(const Rng& key, std::int64_t first_batch) = 0;
  virtual StepMade step(const StepPlace& place) = 0;
  virtual void close_epoch() = 0;

  virtual std::vector<Rate> rates() = 0;

  // Everything that changes in a training.
  virtual std::vector<Slot> slots() = 0;
  // What the names of the model's slots begin with, and what people need not be told.
  virtual std::string_view model_prefix() const { return ""; }
  virtual std::vector<Slot> best_slots() = 0;
  virtual void keep_best() = 0;
  // What of these slots cannot be what it is there for, beginning with its name; empty where nothing is wrong
  // (tree/misfit.hpp).
  virtual std::string misfit() const = 0;
  virtual std::string best_misfit() const = 0;
  // What an optimizer does not remember though it has made steps, in the same words.
  virtual std::string missing_state() const = 0;
  // Of the optimizers that count, and of the average.
  virtual std::vector<StepCounts> step_counts() const { return {}; }
};

// Something measured after an epoch.
struct Measure {
  std::string name;
  std::function<double()> of;
  std::optional<bool> higher_is_better;  // nothing where it was not said
};

// The options without the learner's type; see FitOptions and RunOptions. Lists are theirs, which outlive a
// training.
struct LoopOptions {
  std::int64_t epochs, steps;
  std::uint64_t seed;
  const std::map<std::string, optim::Schedule>& schedules;  // by the names of rates
  optim::Plateau* plateau;
  std::string monitor;
  std::int64_t patience;
  std::function<void(StepReport&)> on_step;
  std::function<void(EpochReport&)> on_epoch;
  std::filesystem::path out;
  bool resume;
  double checkpoint_seconds;
  std::int64_t checkpoint_every, log_every;
  bool figures;
  const std::map<std::string, std::string>& notes;
  Progress progress;
  EventSink events;
  bool catch_interrupt;
};

// Those of FitOptions or RunOptions; one that is forgotten here does not compile.
template <class Options>
LoopOptions loop_options_of(const Options& options, const std::map<std::string, optim::Schedule>& schedules,
                            optim::Plateau* plateau) {
  return {.epochs = options.epochs,
          .steps = options.steps,
          .seed = options.seed,
          .schedules = schedules,
          .plateau = plateau,
          .monitor = options.monitor,
          .patience = options.patience,
          .on_step = options.on_step,
          .on_epoch = options.on_epoch,
          .out = options.out,
          .resume = options.resume,
          .checkpoint_seconds = options.checkpoint_seconds,
          .checkpoint_every = options.checkpoint_every,
          .log_every = options.log_every,
          .figures = options.figures,
          .notes = options.notes,
          .progress = options.progress,
          .events = options.events,
          .catch_interrupt = options.catch_interrupt};
}

// Refuses numbers below `least`.
void check_at_least(const char* caller, const char* name, std::int64_t value, std::int64_t least);
// Refuses what FitOptions says is refused and every learner has in common.
void check_loop_options(const char* caller, const LoopOptions& options);

// What grows these lists is compiled once, and not by everybody who trains.
void add_slot(std::vector<Slot>& slots, const std::string& prefix, const std::string& name, Tensor& tensor,
              PartKind kind);
void add_fact(std::vector<Fact>& facts, Fact fact);
void add_measure(std::vector<Measure>& measures, Measure measure);
void add_step_counts(std::vector<StepCounts>& all, const std::string& name, std::vector<std::int64_t> counts,
                     bool by_one = true);
void add_learned(std::vector<bool>& learned, const Tensor& tensor, PartKind kind);
// What must be as it was for a training to go on, in words: "average" and "plateau", with `prefix` in front.
void add_average(std::vector<Fact>& facts, const std::string& prefix, const optim::AverageOptions* average);
void add_plateau(std::vector<Fact>& facts, const std::string& prefix, const optim::PlateauOptions* plateau);
// Slots of what is no part of the model.
void add_state(std::vector<Slot>& slots, const std::vector<Slot>& state, bool comes_later);

// The schedule of the only optimizer, where there is one.
std::map<std::string, optim::Schedule> schedules_of(const optim::Schedule& schedule);

// What a training returns, without what was trained.
struct Outcome {
  std::vector<EpochReport> history;
  Stopped stopped = Stopped::finished;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  double best_value = 0.0;
  std::int64_t best_epoch = 0;
};

// FitResult or RunResult.
template <class Result, class Best>
Result result_from(Best best, Outcome&& outcome) {
  return {.best = std::move(best),
          .best_value = outcome.best_value,
          .best_epoch = outcome.best_epoch,
          .history = std::move(outcome.history),
          .stopped = outcome.stopped,
          .epochs = outcome.epochs,
          .steps = outcome.steps};
}

// "likely::optim::Adam" for what the compiler calls it.
std::string readable_type(const char* name);

// Trains.
Outcome train_learner(AnyLearner& learner, const LoopOptions& options, const std::vector<Measure>& measures,
                      MeasuredOn measured_on);

}  // namespace likely::train::detail
