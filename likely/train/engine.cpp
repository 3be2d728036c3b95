// The training loop itself, for any learner: see fit.hpp and run.hpp for what it promises.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "likely/train/checkpoint.hpp"
#include "likely/train/finite_gradient.hpp"
#include "likely/train/interrupt.hpp"
#include "likely/train/loss_figure.hpp"
#include "likely/train/monitor.hpp"
#include "likely/train/open_run.hpp"
#include "likely/train/run_folder.hpp"
#include "likely/train/run_records.hpp"
#include "likely/train/teller.hpp"

namespace likely::train {

namespace detail {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Engine {
 public:
  Engine(AnyLearner& learner, const LoopOptions& options, const std::vector<Measure>& measures, MeasuredOn on)
      : learner_(learner),
        options_(options),
        measures_(measures),
        measured_on_(on),
        monitor_(learner.caller(), options.monitor, measures, on),
        teller_(options),
        begin_(Clock::now()),
        saved_at_(begin_) {
    check_loop_options(learner.caller(), options);
    if (!monitor_.monitors() && (options.patience > 0 || options.plateau != nullptr))
      refuse(std::string(options.patience > 0 ? "patience" : "a plateau") + " needs something to monitor: " +
             (on == MeasuredOn::test ? "validation data" : "a metric or the name of a loss"));
    check_schedules();
    Rng rng(options.seed);
    order_ = rng.split();
    noise_ = rng.split();
    position_.seed = options.seed;
    if (learner.tells_one_loss()) position_.losses = {{.name = "loss"}};
    batches_per_epoch_ = learner.batches();
    for (const Slot& slot : learner.slots()) {
      if (slot.learned) learned_at_start_[slot.name] = described(*slot.value);
    }
  }

  Outcome operator()() {
    teller_.begin();
    try {
      return train();
    } catch (...) {
      try {
        // A run without a step would stand in the way of the next one.
        if (folder_ && opened_.began_here && position_.step == 0) folder_->take_back();
        if (folder_) teller_.tell_of(*folder_);
      } catch (...) {  // what went wrong first is what is told
      }
      throw;
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { likely::refuse(learner_.caller(), why); }

  Outcome train() {
    if (!options_.out.empty()) open_folder();
    const CatchInterrupt interrupt(options_.catch_interrupt);
    teller_.tell(event::Training{.out = options_.out,
                                 .epochs = options_.epochs,
                                 .steps = total_steps(),
                                 .step = position_.step,
                                 .counts_rows = learner_.counts_rows(),
                                 .is_done = reason_to_end().has_value()});
    std::optional<Stopped> stopped;
    while (!stopped) {
      if (position_.batch == batches_per_epoch_) {
        stopped = end_epoch();
        continue;
      }
      stopped = reason_to_end();
      if (!stopped) stopped = steps_of_an_epoch(interrupt);
    }
    // Where the steps end within an epoch, what they reached is measured, too.
    const bool unmeasured = history_.empty() || history_.back().step != position_.step;
    const bool ended = *stopped == Stopped::finished || *stopped == Stopped::converged;
    if (ended && position_.batch > 0 && unmeasured) report_epoch();
    if (position_.best_epoch == 0) learner_.keep_best();
    save();
    // Nothing was monitored: what there is at the end is what came of it.
    if (folder_ && ended && !monitor_.monitors()) save_best(folder_->best(), learner_, position_);
    teller_.tell_end(*stopped, position_, monitor_.monitors() ? monitor_.described() : "");
    draw_figures();
    if (folder_) teller_.tell_of(*folder_);
    return {.history = history_,
            .stopped = *stopped,
            .epochs = position_.epoch + (position_.batch > 0 ? 1 : 0),
            .steps = position_.step,
            .best_value = position_.best_epoch > 0 ? position_.best_value : std::nan(""),
            .best_epoch = position_.best_epoch};
  }

  void check_schedules() {
    for (const auto& [name, schedule] : options_.schedules) {
      std::string known;
      bool found = false;
      for (const Rate& rate : learner_.rates()) {
        found = found || rate.name == name;
        known += (known.empty() ? "" : ", ") + rate.name;
      }
      if (!found)
        refuse(fmt::format("there is a schedule for \"{}\", which is no optimizer; what is: {}", name,
                           known.empty() ? "nothing" : known));
    }
  }

  std::int64_t total_steps() const {
    if (options_.epochs == 0) return options_.steps;
    // Epochs without end are as many as can be counted.
    std::int64_t all = 0;
    if (__builtin_mul_overflow(options_.epochs, steps_for(learner_, batches_per_epoch_), &all))
      all = std::numeric_limits<std::int64_t>::max();
    return options_.steps == 0 ? all : std::min(options_.steps, all);
  }

  void open_folder() {
    folder_ = std::make_unique<RunFolder>(learner_.caller(), options_.out);
    teller_.tell_of(*folder_);
    LoopOptions named = options_;
    named.monitor = monitor_.name();
    open_run(*folder_, learner_, named, position_, opened_);
    if (opened_.resumed) {
      saved_step_ = position_.step;
      spent_before_ = position_.seconds;
      history_ = std::move(opened_.history);
    }
    teller_.tell_of(*folder_);
  }

  std::string shown_checkpoint() const { return folder_->shown(folder_->checkpoint()).string(); }
  void note_rates() {
    position_.rates.clear();
    for (const Rate& rate : learner_.rates()) position_.rates.emplace_back(rate.name, *rate.value);
  }
  NamedNumbers rates() const {
    NamedNumbers named;
    for (const Rate& rate : learner_.rates())
      named.emplace_back(rate.name.empty() ? "lr" : rate.name, *rate.value);
    return named;
  }
  static double first_of(const NamedNumbers& numbers) {
    return numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : numbers.front().second;
  }
  NamedNumbers mean_losses() const {
    NamedNumbers means;
    for (const LossSum& loss : position_.losses) {
      if (loss.rows > 0) means.emplace_back(loss.name, loss.mean());
    }
    return means;
  }

  std::optional<Stopped> reason_to_end() const {
    if (options_.patience > 0 && position_.waited >= options_.patience) return Stopped::early;
    if (position_.converged) return Stopped::converged;
    if (position_.step >= total_steps()) return Stopped::finished;
    return std::nullopt;
  }

  std::optional<Stopped> steps_of_an_epoch(const CatchInterrupt& interrupt) {
    learner_.open_epoch(order_.fold_in(static_cast<std::uint64_t>(position_.epoch)), position_.batch);
    std::optional<Stopped> stopped;
    while (!stopped && !position_.converged && position_.batch < batches_per_epoch_ &&
           position_.step < total_steps()) {
      const StepMade made = make_step();
      if (teller_.is_heard())
        teller_.tell_step(made, position_, teller_.tells_rates() ? rates() : NamedNumbers());
      const bool stop = report_step(made);
      if (options_.checkpoint_every > 0 && position_.step % options_.checkpoint_every == 0) save();
      if (interrupt.arrived()) {
        stopped = Stopped::interrupted;
      } else if (stop) {
        stopped = Stopped::by_callback;
      }
    }
    learner_.close_epoch();
    return stopped;
  }

  StepMade make_step() {
    choose_rates();
    StepMade made = step_finitely();
    position_.batch += made.batches;
    position_.batches += made.batches;
    position_.rows += made.rows;
    position_.converged = made.converged;
    ++position_.step;
    for (const NamedLoss& loss : made.losses) add_loss(loss, made.rows);
    return made;
  }

  // Whether the callback wants to stop.
  bool report_step(const StepMade& made) {
    const bool logged = folder_ && options_.log_every > 0 && position_.step % options_.log_every == 0;
    if (!logged && !options_.on_step) return false;
    StepReport report{.epoch = position_.epoch + 1, .step = position_.step, .loss = 0.0, .lr = 0.0};
    for (const NamedLoss& loss : made.losses) report.losses.emplace_back(loss.name, loss.value);
    report.rates = rates();
    report.loss = first_of(report.losses);
    report.lr = first_of(report.rates);
    if (options_.on_step) options_.on_step(report);
    if (logged) folder_->append_metrics(line_of(report));
    return report.stop;
  }

  void choose_rates() {
    if (options_.plateau == nullptr && options_.schedules.empty()) return;
    for (const Rate& rate : learner_.rates()) {
      if (options_.plateau != nullptr) *rate.value = options_.plateau->lr();
      const auto schedule = options_.schedules.find(rate.name);
      if (schedule == options_.schedules.end()) continue;
      const double lr = schedule->second(position_.step);
      if (!(lr >= 0.0 && std::isfinite(lr)))
        refuse(fmt::format("the schedule gives {} as the learning rate of step {}", lr, position_.step));
      *rate.value = lr;
    }
  }

  // Where a loss or a gradient is not finite, says when that was and what is left.
  StepMade step_finitely() {
    StepMade made;
    try {
      made = learner_.step({.step = position_.step,
                            .noise = noise_,
                            .batches_before = position_.batches,
                            .batches_left = batches_per_epoch_ - position_.batch});
    } catch (const NotFinite& error) {
      std::string left = learner_.tells_one_loss() ? "the model is as it was before this step" : "";
      const std::string saved = where_saved();
      left += (left.empty() || saved.empty() ? "" : "; ") + saved;
      throw NotFinite(fmt::format("[{}] {} {}: {}{}", learner_.caller(), error.what_is(), this_step(),
                                  error.cause(), left.empty() ? "" : " (" + left + ")"),
                      error.what_is(), error.cause());
    }
    check_names(made.losses);
    for (const NamedLoss& loss : made.losses) {
      if (std::isfinite(loss.value)) continue;
      const std::string saved = where_saved();
      refuse(fmt::format("the loss \"{}\" is {} {}{}", loss.name, std::isnan(loss.value) ? "NaN" : "infinite",
                         this_step(), saved.empty() ? "" : " (" + saved + ")"));
    }
    return made;
  }
  std::string this_step() const {
    return fmt::format("at step {} (epoch {})", position_.step + 1, position_.epoch + 1);
  }
  std::string where_saved() const {
    if (!saved_step_) return "";
    return fmt::format("the checkpoint of step {} is in \"{}\"", *saved_step_, shown_checkpoint());
  }

  // Numbers of one name would be added up, or one would hide the other.
  void check_names(const Losses& losses) const {
    for (auto loss = losses.begin(); loss != losses.end(); ++loss) {
      if (loss->name.empty()) refuse("a loss has no name");
      const auto same = [&](const auto& other) { return other.name == loss->name; };
      if (std::any_of(losses.begin(), loss, same) ||
          (!learner_.tells_one_loss() && std::any_of(measures_.begin(), measures_.end(), same)))
        refuse(fmt::format("two things are called \"{}\": losses and metrics need names of their own",
                           loss->name));
    }
  }

  void add_loss(const NamedLoss& loss, std::int64_t rows) {
    LossSum* found = nullptr;
    for (LossSum& known : position_.losses) {
      if (known.name == loss.name) found = &known;
    }
    if (found == nullptr) found = &position_.losses.emplace_back(LossSum{.name = loss.name});
    found->sum += loss.value * static_cast<double>(rows);
    found->rows += rows;
  }

  // A step may lead beyond what numbers can be, and the last one has no loss after it that would tell.
  // A part that is another than it was could be saved, and never be loaded again.
  void check_learned() const {
    for (const Slot& slot : learner_.slots()) {
      const auto at_start = learned_at_start_.find(slot.name);
      if (slot.learned && at_start != learned_at_start_.end() && at_start->second != described(*slot.value))
        refuse(fmt::format("{} is {} after step {}, and was {} at the beginning",
                           slot.name.substr(learner_.model_prefix().size()), described(*slot.value),
                           position_.step, at_start->second));
      if (!slot.learned || slot.value->frozen() || holds_only_finite(*slot.value)) continue;
      const std::string name = slot.name.substr(learner_.model_prefix().size());
      const std::string saved = where_saved();
      const std::string what = fmt::format("{} holds numbers that are not finite", name);
      throw NotFinite(
          fmt::format("[{}] {} after step {}{}: is the learning rate too large?", learner_.caller(), what,
                      position_.step, saved.empty() ? "" : " (" + saved + ")"),
          what, "the step");
    }
  }

  static std::string described(const Tensor& tensor) {
    if (tensor.moved_from()) return "moved from";
    if (!tensor.defined()) return "empty";
    return fmt::format("{} {}", name_of(tensor.dtype()), tensor.shape().string());
  }

  // Measures the model as it is now.
  EpochReport report_epoch() {
    check_learned();
    EpochReport report{.epoch = position_.epoch + 1,
                       .step = position_.step,
                       .loss = 0.0,
                       .lr = 0.0,
                       .measured_on = measured_on_,
                       .losses = mean_losses(),
                       .rates = rates()};
    report.loss = first_of(report.losses);
    report.lr = first_of(report.rates);
    for (const Measure& measure : measures_) report.measured.emplace_back(measure.name, measure.of());
    if (monitor_.monitors()) look_for_best(report);
    report.seconds = spent_before_ + seconds_since(begin_);
    if (folder_) folder_->append_metrics(line_of(report));
    history_.push_back(report);
    teller_.tell(event::Epoch{report});
    if (options_.on_epoch) options_.on_epoch(report);
    return report;
  }

  void look_for_best(EpochReport& report) {
    const double value = monitor_.value(report);
    report.improved =
        position_.best_epoch == 0 ? !std::isnan(value) : monitor_.better(value, position_.best_value);
    if (report.improved) {
      position_.best_value = value;
      position_.best_epoch = report.epoch;
      position_.waited = 0;
      learner_.keep_best();
      best_is_new_ = true;
    } else {
      ++position_.waited;
    }
    if (options_.plateau != nullptr) options_.plateau->observe(monitor_.higher_is_better() ? -value : value);
  }

  std::optional<Stopped> end_epoch() {
    const EpochReport report = report_epoch();
    ++position_.epoch;
    position_.batch = 0;
    position_.rows = 0;
    for (LossSum& loss : position_.losses) loss = {.name = loss.name};
    if (seconds_since(saved_at_) >= options_.checkpoint_seconds) save();
    if (report.stop) return Stopped::by_callback;
    return std::nullopt;
  }

  // The best model first: a checkpoint must never speak of one that is not there. It does not replace the one
  // that the last checkpoint speaks of before there is a new one.
  void save() {
    if (!folder_) return;
    check_learned();
    folder_->check_place();
    if (best_is_new_) save_best(folder_->next_best(), learner_, position_);
    position_.seconds = spent_before_ + seconds_since(begin_);
    note_rates();
    position_.metrics_bytes = folder_->metrics_bytes();
    position_.metrics_checksum = folder_->metrics_checksum();
    save_checkpoint(folder_->checkpoint(), learner_, position_);
    if (best_is_new_) settle_best(*folder_, learner_, position_);
    best_is_new_ = false;
    saved_at_ = Clock::now();
    saved_step_ = position_.step;
    teller_.tell_of(*folder_);
  }

  // A training is not lost because its picture could not be drawn.
  void draw_figures() const {
    if (!folder_ || !options_.figures || history_.size() < 2) return;
    try {
      draw_losses(folder_->figures(), history_);
    } catch (const std::exception& error) {
      teller_.tell(event::Warning{fmt::format("the losses could not be drawn: {}", error.what())});
    }
  }

  AnyLearner& learner_;
  const LoopOptions& options_;
  const std::vector<Measure>& measures_;
  MeasuredOn measured_on_;
  Monitor monitor_;
  Rng order_{0};  // the order of epoch e comes from fold_in(e),
  Rng noise_{0};  // the keys of batch n, counted over all epochs, from fold_in(n)
  std::int64_t batches_per_epoch_ = 0;
  std::map<std::string, std::string> learned_at_start_;  // type and shape
  Position position_;
  std::vector<EpochReport> history_;
  std::unique_ptr<RunFolder> folder_;
  OpenedRun opened_;
  Teller teller_;
  bool best_is_new_ = false;
  std::optional<std::int64_t> saved_step_;  // of the checkpoint, where there is one
  double spent_before_ = 0.0;
  Clock::time_point begin_;
  Clock::time_point saved_at_;
};

}  // namespace

Outcome train_learner(AnyLearner& learner, const LoopOptions& options, const std::vector<Measure>& measures,
                      MeasuredOn measured_on) {
  return Engine(learner, options, measures, measured_on)();
}

}  // namespace detail

}  // namespace likely::train
