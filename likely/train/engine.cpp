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

#include "likely/io/checksum.hpp"
#include "likely/train/checkpoint.hpp"
#include "likely/train/finite_gradient.hpp"
#include "likely/train/interrupt.hpp"
#include "likely/train/loss_figure.hpp"
#include "likely/train/monitor.hpp"
#include "likely/train/run_folder.hpp"
#include "likely/train/run_records.hpp"

namespace likely::train {

namespace detail {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Run {
 public:
  Run(AnyLearner& learner, const Settings& settings, const std::vector<Measure>& measures, MeasuredOn on)
      : learner_(learner),
        settings_(settings),
        measures_(measures),
        measured_on_(on),
        monitor_(learner.caller(), settings.monitor, measures, on),
        begin_(Clock::now()),
        saved_at_(begin_) {
    check_settings(learner.caller(), settings);
    if (!monitor_.monitors() && (settings.patience > 0 || settings.plateau != nullptr))
      refuse(std::string(settings.patience > 0 ? "patience" : "a plateau") + " needs something to monitor: " +
             (on == MeasuredOn::test ? "validation data" : "a metric or the name of a loss"));
    check_schedules();
    Rng rng(settings.seed);
    order_ = rng.split();
    noise_ = rng.split();
    position_.seed = settings.seed;
    if (learner.tells_one_loss()) position_.losses = {{.name = "loss"}};
    batches_per_epoch_ = learner.batches();
    for (const Slot& slot : learner.slots()) {
      if (slot.learned) learned_at_start_[slot.name] = described(*slot.value);
    }
  }

  Outcome operator()() {
    shown_ = terminal(settings_.progress);
    try {
      return train();
    } catch (...) {
      try {
        // A run without a step would stand in the way of the next one.
        if (folder_ && began_here_ && position_.step == 0) folder_->take_back();
        tell_of_folder();
      } catch (...) {  // what went wrong first is what is told
      }
      throw;
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { likely::refuse(learner_.caller(), why); }

  Outcome train() {
    if (!settings_.out.empty()) open_folder();
    const CatchInterrupt interrupt(settings_.catch_interrupt);
    tell(event::Training{.out = settings_.out,
                         .epochs = settings_.epochs,
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
    tell_end(*stopped);
    draw_figures();
    tell_of_folder();
    return {.history = history_,
            .stopped = *stopped,
            .epochs = position_.epoch + (position_.batch > 0 ? 1 : 0),
            .steps = position_.step,
            .best_value = position_.best_epoch > 0 ? position_.best_value : std::nan(""),
            .best_epoch = position_.best_epoch};
  }

  void check_schedules() {
    for (const auto& [name, schedule] : settings_.schedules) {
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
    if (settings_.epochs == 0) return settings_.steps;
    // Epochs without end are as many as can be counted.
    std::int64_t all = 0;
    if (__builtin_mul_overflow(settings_.epochs, steps_for(batches_per_epoch_), &all))
      all = std::numeric_limits<std::int64_t>::max();
    return settings_.steps == 0 ? all : std::min(settings_.steps, all);
  }

  std::string shown_checkpoint() const { return folder_->shown(folder_->checkpoint()).string(); }
  std::string where() const { return fmt::format("\"{}\"", settings_.out.string()); }

  void open_folder() {
    folder_ = std::make_unique<RunFolder>(learner_.caller(), settings_.out);
    tell_of_folder();
    const bool there = folder_->holds_run();
    if (there && !settings_.resume) {
      refuse(where() + " already holds a run: set resume to continue it, or choose another folder");
    }
    Settings named = settings_;
    named.monitor = monitor_.name();
    const std::vector<Fact> facts = learner_.facts();
    const std::string config = config_text(learner_, facts, named);
    if (there && std::filesystem::exists(folder_->config())) {
      const std::string then = io::read_sealed(learner_.caller(), folder_->shown(folder_->config()));
      std::string all;
      for (const std::string& difference : differences(keys_that_stay(facts), config, then)) {
        all += (all.empty() ? "" : "; ") + difference;
      }
      if (!all.empty()) refuse(where() + " holds another run: " + all);
    }
    check_room();
    began_here_ = !there;
    if (there && std::filesystem::exists(folder_->checkpoint())) {
      position_ = load_checkpoint({folder_->shown(folder_->checkpoint()), folder_->shown(folder_->best()),
                                   folder_->shown(folder_->next_best())},
                                  learner_, [&](const Position& position) { check_position(position); });
      set_rates();
      folder_->open_metrics(position_.metrics_bytes);
      history_ = read_epochs(learner_.caller(), folder_->shown(folder_->metrics()));
      folder_->write_config(config);
      if (is_best_model(folder_->next_best())) settle_best();
      saved_step_ = position_.step;
      spent_before_ = position_.seconds;
    } else {
      // Before the first step, so that a folder that cannot be written is known now. A checkpoint would be
      // taken for something that has cost time, and for which an earlier run may go.
      folder_->write_config(config);
      folder_->open_metrics(0);
    }
    if (there && !is_best_model(folder_->next_best())) folder_->free_next_best();
    tell_of_folder();
  }

  // Every number of a place in the data follows from two of them.
  void check_position(const Position& position) const {
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
    if (position.seed != settings_.seed)
      no_place(fmt::format("its seed is {}, that of this training {}", position.seed, settings_.seed));
    if (position.batch > batches_per_epoch_)
      no_place(fmt::format("batch is {}, an epoch has {}", position.batch, batches_per_epoch_));
    // By division: a product might be too large for a number.
    const auto follows = [&](std::int64_t count, std::int64_t of_this_epoch, std::int64_t per_epoch) {
      const std::int64_t before = count - of_this_epoch;
      return before >= 0 && before % per_epoch == 0 && before / per_epoch == position.epoch;
    };
    const std::int64_t steps = steps_for(position.batch);
    if (!follows(position.batches, position.batch, batches_per_epoch_) ||
        !follows(position.step, steps, steps_for(batches_per_epoch_))) {
      no_place(fmt::format("epoch {}, batch {}, batches {} and step {} are no place of one training",
                           position.epoch, position.batch, position.batches, position.step));
    }
    check_metrics(learner_.caller(), folder_->shown(folder_->metrics()), position.metrics_bytes,
                  position.metrics_checksum);
  }

  // How many steps so many batches of an epoch make.
  std::int64_t steps_for(std::int64_t batches) const {
    const std::int64_t each = learner_.batches_per_step();
    return batches / each + (batches % each > 0 ? 1 : 0);
  }

  // A checkpoint holds the model and up to two numbers a parameter of the optimizer, and there are two while
  // one is replaced; of the best model there are three.
  void check_room() const {
    std::int64_t model = 0, best = 0;
    for (const Slot& slot : learner_.slots()) {
      if (slot.of_model) model += bytes_of(*slot.value);
    }
    for (const Slot& slot : learner_.best_slots()) best += bytes_of(*slot.value);
    folder_->check_room(2 * 3 * model + 3 * best + 100'000);
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
    if (settings_.patience > 0 && position_.waited >= settings_.patience) return Stopped::early;
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
      tell_step(made);
      const bool stop = report_step(made);
      if (settings_.checkpoint_every > 0 && position_.step % settings_.checkpoint_every == 0) save();
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
    const bool logged = folder_ && settings_.log_every > 0 && position_.step % settings_.log_every == 0;
    if (!logged && !settings_.on_step) return false;
    StepReport report{.epoch = position_.epoch + 1, .step = position_.step, .loss = 0.0, .lr = 0.0};
    for (const NamedLoss& loss : made.losses) report.losses.emplace_back(loss.name, loss.value);
    report.rates = rates();
    report.loss = first_of(report.losses);
    report.lr = first_of(report.rates);
    if (settings_.on_step) settings_.on_step(report);
    if (logged) folder_->append_metrics(line_of(report));
    return report.stop;
  }

  void choose_rates() {
    if (settings_.plateau == nullptr && settings_.schedules.empty()) return;
    for (const Rate& rate : learner_.rates()) {
      if (settings_.plateau != nullptr) *rate.value = settings_.plateau->lr();
      const auto schedule = settings_.schedules.find(rate.name);
      if (schedule == settings_.schedules.end()) continue;
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
    tell(event::Epoch{report});
    if (settings_.on_epoch) settings_.on_epoch(report);
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
    if (settings_.plateau != nullptr)
      settings_.plateau->observe(monitor_.higher_is_better() ? -value : value);
  }

  std::optional<Stopped> end_epoch() {
    const EpochReport report = report_epoch();
    ++position_.epoch;
    position_.batch = 0;
    position_.rows = 0;
    for (LossSum& loss : position_.losses) loss = {.name = loss.name};
    if (seconds_since(saved_at_) >= settings_.checkpoint_seconds) save();
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
    if (best_is_new_) settle_best();
    best_is_new_ = false;
    saved_at_ = Clock::now();
    saved_step_ = position_.step;
    tell_of_folder();
  }

  // What the checkpoint speaks of takes its place.
  void settle_best() const {
    if (position_.best_epoch > 0) save_best(folder_->best(), learner_, position_);
    folder_->drop_next_best();
  }

  bool somebody_listens() const { return shown_ || settings_.events; }

  void tell(const Event& event) const {
    if (shown_) shown_(event);
    if (settings_.events) settings_.events(event);
  }

  // What was done to what others have there, as soon as it is known.
  void tell_of_folder() {
    if (!folder_) return;
    while (told_ < folder_->told().size()) tell(event::Warning{folder_->told()[told_++]});
    while (kept_ < folder_->kept().size()) tell(event::Warning{text_of(folder_->kept()[kept_++])});
  }

  // One event for all steps: a small step takes less time than to make the names of its losses anew.
  void tell_step(const StepMade& made) {
    if (!somebody_listens()) return;
    auto& step = std::get<event::Step>(step_made_);
    step.epoch = position_.epoch + 1;
    step.step = position_.step;
    step.rows = made.rows;
    const auto put = [](NamedNumbers& numbers, std::size_t place, const std::string& name, double value) {
      if (place == numbers.size()) numbers.emplace_back();
      numbers[place].first = name;
      numbers[place].second = value;
    };
    step.losses.resize(std::min(step.losses.size(), made.losses.size()));
    for (std::size_t i = 0; i < made.losses.size(); ++i)
      put(step.losses, i, made.losses[i].name, made.losses[i].value);
    std::size_t means = 0;
    for (const LossSum& loss : position_.losses) {
      if (loss.rows > 0) put(step.means, means++, loss.name, loss.mean());
    }
    step.means.resize(means);
    if (settings_.events) step.rates = rates();  // the line has no room for them
    tell(step_made_);
  }

  void tell_end(Stopped stopped) const {
    const bool has_best = position_.best_epoch > 0;
    tell(event::Trained{.stopped = stopped,
                        .step = position_.step,
                        .out = settings_.out,
                        .monitored = monitor_.monitors() ? monitor_.described() : "",
                        .best_epoch = position_.best_epoch,
                        .best_value = has_best ? position_.best_value : std::nan("")});
  }

  // A training is not lost because its picture could not be drawn.
  void draw_figures() const {
    if (!folder_ || !settings_.figures || history_.size() < 2) return;
    try {
      draw_losses(folder_->figures(), history_);
    } catch (const std::exception& error) {
      tell(event::Warning{fmt::format("the losses could not be drawn: {}", error.what())});
    }
  }

  AnyLearner& learner_;
  const Settings& settings_;
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
  bool began_here_ = false;          // and did not go on with a run that was there
  std::size_t told_ = 0, kept_ = 0;  // how much of what it says of itself was told
  EventSink shown_;
  Event step_made_ = event::Step{};
  bool best_is_new_ = false;
  std::optional<std::int64_t> saved_step_;  // of the checkpoint, where there is one
  double spent_before_ = 0.0;
  Clock::time_point begin_;
  Clock::time_point saved_at_;
};

}  // namespace

Outcome train_learner(AnyLearner& learner, const Settings& settings, const std::vector<Measure>& measures,
                      MeasuredOn measured_on) {
  return Run(learner, settings, measures, measured_on)();
}

}  // namespace detail

}  // namespace likely::train
