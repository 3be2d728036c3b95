// The training loop itself, for any model: see fit.hpp for what it promises.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>

#include "likely/io/checksum.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/optim/clip.hpp"
#include "likely/train/blame.hpp"
#include "likely/train/checkpoint.hpp"
#include "likely/train/interrupt.hpp"
#include "likely/train/loss_figure.hpp"
#include "likely/train/metrics.hpp"
#include "likely/train/monitor.hpp"
#include "likely/train/progress.hpp"
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
  Run(Learner& learner, const Data& data, const Settings& settings, const std::vector<Measure>& measures)
      : learner_(learner),
        data_(data),
        settings_(settings),
        measures_(measures),
        monitor_(settings.monitor, measures, data.validation.has_value()),
        begin_(Clock::now()),
        saved_at_(begin_) {
    check_settings(data, settings);
    Rng rng(settings.seed);
    order_ = rng.split();
    noise_ = rng.split();
    position_.seed = settings.seed;
    for (const Slot& slot : learner.model_slots()) {
      if (!slot.learned) buffers_.push_back(slot.value);
    }
    batches_per_epoch_ = batches_of(0).size();
  }

  Outcome operator()() {
    if (!settings_.out.empty()) open_folder();
    const CatchInterrupt interrupt(settings_.catch_interrupt);
    ProgressDisplay progress(settings_.progress, settings_.epochs, total_steps(), position_.step);
    if (position_.step > 0) {
      const char* what = reason_to_end() ? "nothing is left to do in" : "continuing";
      progress.say(fmt::format("{} {} after step {}", what, where(), position_.step));
    }
    std::optional<Stopped> stopped;
    while (!stopped) {
      if (position_.batch == batches_per_epoch_) {
        stopped = end_epoch(progress);
        continue;
      }
      stopped = reason_to_end();
      if (!stopped) stopped = steps_of_an_epoch(progress, interrupt);
    }
    // Where the steps end within an epoch, what they reached is measured, too.
    const bool unmeasured = history_.empty() || history_.back().step != position_.step;
    if (*stopped == Stopped::finished && position_.batch > 0 && unmeasured) report_epoch(progress);
    if (position_.best_epoch == 0) learner_.keep_best();
    save();
    say_goodbye(progress, *stopped);
    draw_figures(progress);
    return {.history = history_,
            .stopped = *stopped,
            .epochs = position_.epoch + (position_.batch > 0 ? 1 : 0),
            .steps = position_.step,
            .best_value = position_.best_value,
            .best_epoch = position_.best_epoch};
  }

 private:
  data::Batches batches_of(std::int64_t epoch) const {
    const data::BatchOptions options{.drop_last = settings_.drop_last, .prefetch = settings_.prefetch};
    if (!settings_.shuffle) return data_.train.batches(settings_.batch, options);
    return data_.train.batches(settings_.batch, order_.fold_in(static_cast<std::uint64_t>(epoch)), options);
  }

  std::int64_t total_steps() const {
    if (settings_.epochs == 0) return settings_.steps;
    // Epochs without end are as many as can be counted.
    std::int64_t all = 0;
    if (__builtin_mul_overflow(settings_.epochs, steps_for(batches_per_epoch_), &all))
      all = std::numeric_limits<std::int64_t>::max();
    return settings_.steps == 0 ? all : std::min(settings_.steps, all);
  }

  std::string where() const { return fmt::format("\"{}\"", settings_.out.string()); }

  void open_folder() {
    folder_ = std::make_unique<RunFolder>(settings_.out);
    const bool there = folder_->holds_run();
    if (there && !settings_.resume) {
      refuse("fit", where() + " already holds a run: set resume to continue it, or choose another folder");
    }
    Settings named = settings_;
    named.monitor = monitor_.name();
    const std::string config = config_text(learner_, data_, named);
    if (there && std::filesystem::exists(folder_->config())) {
      const std::string then = folder_->read_config();
      io::check_seal("fit", folder_->config(), then);
      std::string all;
      for (const std::string& difference : differences(config, then)) {
        all += (all.empty() ? "" : "; ") + difference;
      }
      if (!all.empty()) refuse("fit", where() + " holds another run: " + all);
    }
    check_room();
    if (there && std::filesystem::exists(folder_->checkpoint())) {
      position_ = load_checkpoint({folder_->checkpoint(), folder_->best(), folder_->next_best()}, learner_,
                                  [&](const Position& position) { check_position(position); });
      learner_.set_learning_rate(position_.lr);
      folder_->open_metrics(position_.metrics_bytes);
      history_ = read_epochs(folder_->metrics());
      folder_->write_config(config);
      if (std::filesystem::exists(folder_->next_best())) settle_best();
      saved_step_ = position_.step;
      spent_before_ = position_.seconds;
    } else {
      // Before the first step, so that a folder that cannot be written is known now. A checkpoint would be
      // taken for something that has cost time, and for which an earlier run may go.
      folder_->write_config(config);
      folder_->open_metrics(0);
    }
  }

  // Every number of a place in the data follows from two of them.
  void check_position(const Position& position) const {
    const auto no_place = [&](const std::string& why) {
      refuse("fit", fmt::format("\"{}\": {}", folder_->checkpoint().string(), why));
    };
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
    folder_->check_metrics(position.metrics_bytes, position.metrics_checksum);
  }

  // How many steps so many batches of an epoch make.
  std::int64_t steps_for(std::int64_t batches) const {
    return batches / settings_.accumulate + (batches % settings_.accumulate > 0 ? 1 : 0);
  }

  // A checkpoint holds the model and up to two numbers a parameter of the optimizer, and there are two while
  // one is replaced; of the best model there are three.
  void check_room() const {
    std::int64_t bytes = 0;
    for (const Slot& slot : learner_.model_slots()) {
      if (!slot.value->defined()) continue;
      bytes += slot.value->size() * static_cast<std::int64_t>(size_of(slot.value->dtype()));
    }
    folder_->check_room(2 * 3 * bytes + 3 * bytes + 100'000);
  }

  std::optional<Stopped> reason_to_end() const {
    if (settings_.patience > 0 && position_.waited >= settings_.patience) return Stopped::early;
    if (position_.step >= total_steps()) return Stopped::finished;
    return std::nullopt;
  }

  std::optional<Stopped> steps_of_an_epoch(ProgressDisplay& progress, const CatchInterrupt& interrupt) {
    std::vector<data::Batch> together;  // the batches of one step
    for (const data::Batch& batch : batches_of(position_.epoch).skip(position_.batch)) {
      together.push_back(batch);
      ++position_.batch;
      const auto count = static_cast<std::int64_t>(together.size());
      if (count < settings_.accumulate && position_.batch < batches_per_epoch_) continue;
      const std::int64_t rows_before = position_.rows;
      StepReport report = make_step(together);
      together.clear();
      progress.step(report.epoch, report.step, position_.loss_sum / static_cast<double>(position_.rows),
                    position_.rows - rows_before);
      if (settings_.on_step) settings_.on_step(report);
      if (folder_ && settings_.log_every > 0 && position_.step % settings_.log_every == 0)
        folder_->append_metrics(line_of(report));
      if (settings_.checkpoint_every > 0 && position_.step % settings_.checkpoint_every == 0) save();
      if (interrupt.arrived()) return Stopped::interrupted;
      if (report.stop) return Stopped::by_callback;
      if (position_.step >= total_steps()) break;
    }
    return std::nullopt;
  }

  StepReport make_step(const std::vector<data::Batch>& together) {
    if (settings_.plateau != nullptr) learner_.set_learning_rate(settings_.plateau->lr());
    if (settings_.schedule) {
      const double lr = settings_.schedule(position_.step);
      if (!(lr >= 0.0 && std::isfinite(lr)))
        refuse("fit",
               fmt::format("the schedule gives {} as the learning rate of step {}", lr, position_.step));
      learner_.set_learning_rate(lr);
    }
    const double loss = differentiate(together);
    learner_.step();
    ++position_.step;
    position_.lr = learner_.learning_rate();
    return {.epoch = position_.epoch + 1, .step = position_.step, .loss = loss, .lr = position_.lr};
  }

  // Leaves the step's gradient with the learner and returns its loss: the means over all rows.
  double differentiate(const std::vector<data::Batch>& together) {
    std::vector<Tensor> sums;
    double loss_sum = 0.0;
    std::int64_t rows = 0;
    for (const data::Batch& batch : together) {
      const double loss = differentiate(batch);
      const std::int64_t more = batch.x.dim(0);
      loss_sum += loss * static_cast<double>(more);
      rows += more;
      ++position_.batches;
      if (together.size() == 1) break;
      const std::vector<Tensor*> gradient = learner_.gradient();
      sums.resize(gradient.size());
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const Tensor weighted = *gradient[i] * static_cast<double>(more);
        sums[i] = sums[i].defined() ? sums[i] + weighted : weighted;
      }
    }
    if (!sums.empty()) {
      const std::vector<Tensor*> gradient = learner_.gradient();
      for (std::size_t i = 0; i < gradient.size(); ++i) *gradient[i] = sums[i] / static_cast<double>(rows);
    }
    if (settings_.clip_norm > 0.0) optim::detail::clip_norm(learner_.gradient(), settings_.clip_norm);
    position_.loss_sum += loss_sum;
    position_.rows += rows;
    return loss_sum / static_cast<double>(rows);
  }

  double differentiate(const data::Batch& batch) {
    const Rng key = noise_.fold_in(static_cast<std::uint64_t>(position_.batches));
    return differentiate_finitely(
        learner_, batch, key, buffers_,
        {.step = position_.step + 1,
         .epoch = position_.epoch + 1,
         .checkpoint = saved_step_ ? folder_->checkpoint() : std::filesystem::path(),
         .checkpoint_step = saved_step_.value_or(0)});
  }

  // Measures the model as it is now.
  EpochReport report_epoch(ProgressDisplay& progress) {
    EpochReport report{.epoch = position_.epoch + 1,
                       .step = position_.step,
                       .loss = position_.loss_sum / static_cast<double>(position_.rows),
                       .lr = position_.lr,
                       .on_validation = data_.validation.has_value()};
    for (const Measure& measure : measures_) {
      const data::Dataset& rows = data_.validation ? *data_.validation : data_.train;
      report.measured.emplace_back(measure.name, mean_over_batches("fit", rows, settings_.batch, measure.of));
    }
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
    report.seconds = spent_before_ + seconds_since(begin_);
    if (folder_) folder_->append_metrics(line_of(report));
    history_.push_back(report);
    progress.epoch(report);
    if (settings_.on_epoch) settings_.on_epoch(report);
    return report;
  }

  std::optional<Stopped> end_epoch(ProgressDisplay& progress) {
    const EpochReport report = report_epoch(progress);
    ++position_.epoch;
    position_.batch = 0;
    position_.loss_sum = 0.0;
    position_.rows = 0;
    if (seconds_since(saved_at_) >= settings_.checkpoint_seconds) save();
    if (report.stop) return Stopped::by_callback;
    return std::nullopt;
  }

  // The best model first: a checkpoint must never speak of one that is not there. It does not replace the one
  // that the last checkpoint speaks of before there is a new one.
  void save() {
    if (!folder_) return;
    if (best_is_new_) save_best(folder_->next_best(), learner_, position_);
    position_.seconds = spent_before_ + seconds_since(begin_);
    position_.lr = learner_.learning_rate();
    position_.metrics_bytes = folder_->metrics_bytes();
    position_.metrics_checksum = folder_->metrics_checksum();
    save_checkpoint(folder_->checkpoint(), learner_, position_);
    if (best_is_new_) settle_best();
    best_is_new_ = false;
    saved_at_ = Clock::now();
    saved_step_ = position_.step;
  }

  // What the checkpoint speaks of takes its place.
  void settle_best() const {
    if (position_.best_epoch > 0) save_best(folder_->best(), learner_, position_);
    std::error_code still_there;  // then the next one that goes on removes it
    std::filesystem::remove(folder_->next_best(), still_there);
  }

  void say_goodbye(ProgressDisplay& progress, Stopped stopped) const {
    if (stopped == Stopped::interrupted) {
      progress.say(fmt::format("interrupted after step {}{}", position_.step,
                               folder_ ? ": saved in " + where() + ", set resume to continue" : ""));
    } else if (stopped == Stopped::early) {
      progress.say(fmt::format("stopped early: {} was best in epoch {} ({:.6g})", monitor_.described(),
                               position_.best_epoch, position_.best_value));
    }
  }

  // A training is not lost because its picture could not be drawn.
  void draw_figures(ProgressDisplay& progress) const {
    if (!folder_ || !settings_.figures || history_.size() < 2) return;
    try {
      draw_losses(folder_->figures(), history_);
    } catch (const std::exception& error) {
      progress.say(fmt::format("the losses could not be drawn: {}", error.what()));
    }
  }

  Learner& learner_;
  const Data& data_;
  const Settings& settings_;
  const std::vector<Measure>& measures_;
  Monitor monitor_;
  Rng order_{0};  // the order of epoch e comes from fold_in(e),
  Rng noise_{0};  // the keys of batch n, counted over all epochs, from fold_in(n)
  std::vector<Tensor*> buffers_;
  std::int64_t batches_per_epoch_ = 0;
  Position position_;
  std::vector<EpochReport> history_;
  std::unique_ptr<RunFolder> folder_;
  bool best_is_new_ = false;
  std::optional<std::int64_t> saved_step_;  // of the checkpoint, where there is one
  double spent_before_ = 0.0;
  Clock::time_point begin_;
  Clock::time_point saved_at_;
};

}  // namespace

Outcome run(Learner& learner, const Data& data, const Settings& settings,
            const std::vector<Measure>& measures) {
  return Run(learner, data, settings, measures)();
}

}  // namespace detail

}  // namespace likely::train
