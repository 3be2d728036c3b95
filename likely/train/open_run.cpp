#include "likely/train/open_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "likely/io/checksum.hpp"
#include "likely/train/run_records.hpp"

namespace likely::train::detail {

namespace {

class Opening {
 public:
  Opening(RunFolder& folder, AnyLearner& learner, const LoopOptions& options, Position& position,
          OpenedRun& found)
      : folder_(folder), learner_(learner), options_(options), position_(position), found_(found) {}

  void operator()() {
    const bool there = folder_.holds_run();
    if (there && !options_.resume) {
      refuse(where() + " already holds a run: set resume to continue it, or choose another folder");
    }
    const std::vector<Fact> facts = learner_.facts();
    const std::string config = config_text(learner_, facts, options_);
    if (there && std::filesystem::exists(folder_.config())) {
      const std::string then = io::read_sealed(learner_.caller(), folder_.shown(folder_.config()));
      std::string all;
      for (const std::string& difference : differences(keys_that_stay(facts), config, then)) {
        all += (all.empty() ? "" : "; ") + difference;
      }
      if (!all.empty()) refuse(where() + " holds another run: " + all);
    }
    check_room();
    found_.began_here = !there;
    if (there && std::filesystem::exists(folder_.checkpoint())) {
      position_ = load_checkpoint({folder_.shown(folder_.checkpoint()), folder_.shown(folder_.best()),
                                   folder_.shown(folder_.next_best())},
                                  learner_, [&](const Position& position) { check_position(position); });
      set_rates();
      folder_.open_metrics(position_.metrics_bytes);
      found_.history = read_epochs(learner_.caller(), folder_.shown(folder_.metrics()));
      folder_.write_config(config);
      if (is_best_model(folder_.next_best())) settle_best(folder_, learner_, position_);
      found_.resumed = true;
    } else {
      // Before the first step, so that a folder that cannot be written is known now. A checkpoint would be
      // taken for something that has cost time, and for which an earlier run may go.
      folder_.write_config(config);
      folder_.open_metrics(0);
    }
    if (there && !is_best_model(folder_.next_best())) folder_.free_next_best();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { likely::refuse(learner_.caller(), why); }
  std::string shown_checkpoint() const { return folder_.shown(folder_.checkpoint()).string(); }
  std::string where() const { return fmt::format("\"{}\"", options_.out.string()); }

  // Every number of a place in the data follows from two of them.
  void check_position(const Position& position) const {
    const std::int64_t batches = learner_.batches();
    const auto no_place = [&](const std::string& why) {
      refuse(fmt::format("\"{}\": {}", shown_checkpoint(), why));
    };
    const auto not_said = [&](const std::string& what) {
      refuse(fmt::format("\"{}\" is not a checkpoint of a training: it does not say its {}",
                         shown_checkpoint(), what));
    };
    if (learner_.tells_one_loss() && (position.losses.size() != 1 || position.losses[0].name != "loss"))
      not_said("loss_sum");
    for (const Rate& rate : learner_.rates()) {
      const bool said = std::any_of(position.rates.begin(), position.rates.end(),
                                    [&](const auto& saved) { return saved.first == rate.name; });
      if (!said) not_said(rate.name.empty() ? "lr" : "lr." + rate.name);
    }
    if (position.seed != options_.seed)
      no_place(fmt::format("its seed is {}, that of this training {}", position.seed, options_.seed));
    if (position.batch > batches)
      no_place(fmt::format("batch is {}, an epoch has {}", position.batch, batches));
    // By division: a product might be too large for a number.
    const auto follows = [&](std::int64_t count, std::int64_t of_this_epoch, std::int64_t per_epoch) {
      const std::int64_t earlier = count - of_this_epoch;
      return earlier >= 0 && earlier % per_epoch == 0 && earlier / per_epoch == position.epoch;
    };
    const std::int64_t steps = steps_for(learner_, position.batch);
    if (!follows(position.batches, position.batch, batches) ||
        !follows(position.step, steps, steps_for(learner_, batches))) {
      no_place(fmt::format("epoch {}, batch {}, batches {} and step {} are no place of one training",
                           position.epoch, position.batch, position.batches, position.step));
    }
    check_metrics(learner_.caller(), folder_.shown(folder_.metrics()), position.metrics_bytes,
                  position.metrics_checksum);
  }

  // A checkpoint holds the model and up to two numbers a parameter of the optimizer, and there are two while
  // one is replaced; of the best model there are three.
  void check_room() const {
    std::int64_t model = 0, best = 0;
    for (const Slot& slot : learner_.slots()) {
      if (slot.of_model) model += bytes_of(*slot.value);
    }
    for (const Slot& slot : learner_.best_slots()) best += bytes_of(*slot.value);
    folder_.check_room(2 * 3 * model + 3 * best + 100'000);
  }
  static std::int64_t bytes_of(const Tensor& tensor) {
    return tensor.defined() ? tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype())) : 0;
  }

  // As they were when the checkpoint was written.
  void set_rates() {
    for (const Rate& rate : learner_.rates()) {
      for (const auto& [name, value] : position_.rates) {
        if (name == rate.name) *rate.value = value;
      }
    }
  }

  RunFolder& folder_;
  AnyLearner& learner_;
  const LoopOptions& options_;
  Position& position_;
  OpenedRun& found_;
};

}  // namespace

std::int64_t steps_for(const AnyLearner& learner, std::int64_t batches) {
  const std::int64_t each = learner.batches_per_step();
  return batches / each + (batches % each > 0 ? 1 : 0);
}

void open_run(RunFolder& folder, AnyLearner& learner, const LoopOptions& options, Position& position,
              OpenedRun& found) {
  Opening(folder, learner, options, position, found)();
}

void settle_best(RunFolder& folder, AnyLearner& learner, const Position& position) {
  if (position.best_epoch > 0) save_best(folder.best(), learner, position);
  folder.drop_next_best();
}

}  // namespace likely::train::detail
