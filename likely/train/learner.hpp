// What the training engine knows of a model, its optimizer and its loss: no types. Internal to train/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/data/data.hpp"
#include "likely/nn/training.hpp"
#include "likely/train/options.hpp"

namespace likely::train::detail {

// One tensor of what a checkpoint keeps.
struct Slot {
  std::string name;
  Tensor* value;
  bool learned;  // a parameter or frozen
  // Whether it may be missing in a file though it is there now: what an optimizer remembers comes with its
  // first step.
  bool comes_later = false;
};

// A model with its optimizer and loss. fit.hpp makes one for each type of model; the engine drives it.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  // The loss of a batch; keeps the gradient.
  virtual Tensor differentiate(const data::Batch& batch, const Training& training) = 0;
  // The gradient's tensors at the learned parameters.
  virtual std::vector<Tensor*> gradient() = 0;
  // Updates the model by the gradient, and forgets the gradient; shows the model to its average.
  virtual void step() = 0;

  virtual double learning_rate() const = 0;
  virtual void set_learning_rate(double lr) = 0;

  virtual std::vector<Slot> model_slots() = 0;
  // What else changes: "optimizer.<part>", "average.<part>", "plateau.<part>".
  virtual std::vector<Slot> state_slots() = 0;
  virtual std::vector<Slot> best_slots() = 0;
  virtual void keep_best() = 0;
  // What of these slots cannot be what it is there for, beginning with its name; empty where nothing is wrong
  // (tree/misfit.hpp).
  virtual std::string misfit() const = 0;
  virtual std::string best_misfit() const = 0;

  virtual std::string model_type() const = 0;
  virtual std::string optimizer_type() const = 0;
};

// Something measured on the validation data.
struct Measure {
  std::string name;
  std::function<Tensor(const data::Batch&)> of;
  bool higher_is_better;
};

// The options without the model's type; see FitOptions.
struct Settings {
  std::int64_t epochs, steps, batch;
  std::uint64_t seed;
  bool shuffle, drop_last;
  std::int64_t prefetch, accumulate;
  optim::Schedule schedule;
  optim::Plateau* plateau;
  double clip_norm;
  std::string monitor;
  std::int64_t patience;
  std::function<void(StepReport&)> on_step;
  std::function<void(EpochReport&)> on_epoch;
  std::filesystem::path out;
  bool resume;
  double checkpoint_seconds;
  std::int64_t checkpoint_every, log_every;
  bool figures;
  std::map<std::string, std::string> notes;
  Progress progress;
  bool catch_interrupt;
};

// Refuses what FitOptions says is refused, except what concerns the metrics, and data without rows.
void check_settings(const Data& data, const Settings& settings);

// What fit returns, without the best model.
struct Outcome {
  std::vector<EpochReport> history;
  Stopped stopped = Stopped::finished;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  double best_value = 0.0;
  std::int64_t best_epoch = 0;
};

// "likely::optim::Adam" for what the compiler calls it.
std::string readable_type(const char* name);

// Trains. `measures` are taken on the validation data, or on the training data where there are none.
Outcome run(Learner& learner, const Data& data, const Settings& settings,
            const std::vector<Measure>& measures);

}  // namespace likely::train::detail
