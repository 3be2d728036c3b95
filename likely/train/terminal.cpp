#include "likely/train/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"
#include "likely/train/progress.hpp"

namespace likely::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

class Terminal {
 public:
  explicit Terminal(Progress how) : how_(how) {
    if (how_ != Progress::automatic) return;
    how_ = isatty(STDERR_FILENO) != 0 ? Progress::bar : Progress::lines;
    between_epochs_ = 1.0;
  }
  ~Terminal() { end_line(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void show(const event::Training& training) {
    end_line();
    state_ = {.epochs = training.epochs, .step = training.step, .steps = training.steps};
    if (!training.counts_rows) state_.rows = "steps";
    first_step_ = training.step;
    rows_ = 0;
    begin_ = drawn_ = Clock::now();
    if (training.step > 0)
      say(fmt::format("{} \"{}\" after step {}", training.is_done ? "nothing is left to do in" : "continuing",
                      training.out.string(), training.step));
  }

  void show(const event::Step& step) {
    state_.epoch = step.epoch;
    state_.step = step.step;
    rows_ += step.rows;
    const Clock::time_point now = Clock::now();
    state_.seconds = seconds_between(begin_, now);
    if (state_.seconds > 0.2) {
      state_.rows_per_second = static_cast<double>(rows_) / state_.seconds;
      state_.seconds_left = state_.seconds * static_cast<double>(state_.steps - step.step) /
                            static_cast<double>(step.step - first_step_);
    }
    if (how_ != Progress::bar || seconds_between(drawn_, now) <= kBetweenLooks) return;
    drawn_ = now;
    state_.losses = step.means;
    draw_training();
  }

  void show(const event::Epoch& epoch) {
    const EpochReport& report = epoch.report;
    state_.epoch = report.epoch;
    state_.step = report.step;
    state_.losses = report.losses;
    state_.measured = report.measured;
    state_.held_out = report.measured_on == MeasuredOn::validation || report.measured_on == MeasuredOn::test;
    if (how_ == Progress::bar) {
      draw_training();
      return;
    }
    const Clock::time_point now = Clock::now();
    const bool first_or_last =
        report.epoch == 1 || report.epoch == state_.epochs || report.step == state_.steps;
    if (!first_or_last && seconds_between(drawn_, now) < between_epochs_) return;
    drawn_ = now;
    tell(fmt::format("{}\n", detail::epoch_line(state_)));
  }

  void show(const event::Trained& trained) {
    end_line();
    if (trained.stopped == Stopped::interrupted) {
      say(fmt::format("interrupted after step {}{}", trained.step,
                      trained.out.empty()
                          ? ""
                          : fmt::format(": saved in \"{}\", set resume to continue", trained.out.string())));
    } else if (trained.stopped == Stopped::early) {
      say(fmt::format("stopped early: {} was best in epoch {} ({:.6g})", trained.monitored,
                      trained.best_epoch, trained.best_value));
    }
  }

  void show(const event::Stage& stage) {
    if (stage.done >= 1.0) {
      end_line();
      return;
    }
    const Clock::time_point now = Clock::now();
    if (!stage_begun_) stage_begun_ = drawn_ = now;
    if (seconds_between(drawn_, now) < (how_ == Progress::bar ? kBetweenLooks : kBetweenStages)) return;
    drawn_ = now;
    const std::string line = detail::stage_line(stage, seconds_between(*stage_begun_, now));
    if (how_ == Progress::bar) {
      draw(line, Open::stage);
    } else {
      tell(fmt::format("{}\n", line));
    }
  }

  void show(const event::Trial& trial) {
    end_line();
    tell(fmt::format("{}\n", detail::trial_line(trial)));
  }
  void show(const event::Sample& sample) {
    const bool both = !sample.text.empty() && !sample.picture.empty();
    say(fmt::format("{}: {}{}{}", sample.name, sample.text, both ? ", " : "", sample.picture.string()));
  }
  void show(const event::Warning& warning) { say(warning.text); }
  void show(const event::End&) { end_line(); }
  // Those who show a report at the end show them there.
  void show(const event::Begin&) {}
  void show(const event::Metric&) {}
  void show(const event::Picture&) {}

 private:
  enum class Open : std::uint8_t { nothing, training, stage };

  void draw_training() { draw(detail::progress_line(state_, terminal_width() - 1), Open::training); }

  void draw(std::string line, Open what) {
    // The last column stays free: some terminals wrap when it is written.
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(0, terminal_width() - 1))));
    tell(fmt::format("\r{}\x1b[K", line));
    open_ = what;
  }

  // What came of a training stays; where other work was is of no use once it is done.
  void end_line() {
    if (open_ == Open::training) tell("\n");
    if (open_ == Open::stage) tell("\r\x1b[K");
    open_ = Open::nothing;
  }

  // A sentence, on a line of its own.
  void say(const std::string& sentence) {
    end_line();
    tell(fmt::format("{}\n", printable(sentence)));
  }

  static constexpr double kBetweenLooks = 0.1;   // seconds between two looks of a line
  static constexpr double kBetweenStages = 2.0;  // and between two lines about other work

  Progress how_;
  double between_epochs_ = 0.0;  // seconds, at the least, but for the first and the last epoch
  Open open_ = Open::nothing;
  Clock::time_point drawn_ = Clock::now();
  // Of a training.
  detail::ProgressState state_{};
  std::int64_t first_step_ = 0;
  std::int64_t rows_ = 0;
  Clock::time_point begin_ = drawn_;
  // Of other work.
  std::optional<Clock::time_point> stage_begun_;
};

}  // namespace

EventSink terminal(Progress how) {
  if (how == Progress::silent) return {};
  return [shown = std::make_shared<Terminal>(how)](const Event& event) {
    std::visit([&](const auto& one) { shown->show(one); }, event);
  };
}

}  // namespace likely::train
