#include "likely/train/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"

namespace likely::train::detail {

namespace {

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

// 1234567 -> "1,234,567".
std::string grouped(double number) {
  const std::string digits = fmt::format("{:.0f}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string epoch_of(const ProgressState& state) {
  if (state.epochs > 0) return fmt::format("epoch {}/{}", state.epoch, state.epochs);
  return fmt::format("epoch {}", state.epoch);
}

std::string numbers_of(const ProgressState& state) {
  std::string text;
  for (const auto& [name, loss] : state.losses)
    text += fmt::format("{}{} {:#.4g}", text.empty() ? "" : " ", name, loss);
  for (std::size_t i = 0; i < state.measured.size(); ++i) {
    if (i == 0 && !text.empty()) text += state.held_out ? "  held out:" : " ";
    text += fmt::format(" {} {:#.4g}", state.measured[i].first, state.measured[i].second);
  }
  return text;
}

std::string rate_of(const ProgressState& state) {
  return state.rows_per_second > 0 ? fmt::format("{} {}/s  ", grouped(state.rows_per_second), state.rows)
                                   : "";
}

std::string time_of(const ProgressState& state) {
  if (state.step >= state.steps) return fmt::format("in {}  ", clock_time(state.seconds));
  return state.rows_per_second > 0 ? fmt::format("{} left  ", clock_time(state.seconds_left)) : "";
}

// With a bar of so many characters, or none.
std::string line_with(const ProgressState& state, int bar, bool with_rate) {
  const double share = state.steps > 0
                           ? std::min(1.0, static_cast<double>(state.step) / static_cast<double>(state.steps))
                           : 0.0;
  const int done = static_cast<int>(share * bar);
  std::string drawn(static_cast<std::size_t>(done), '=');
  if (done < bar) drawn += '>';
  drawn.resize(static_cast<std::size_t>(bar), ' ');
  if (bar > 0) drawn = fmt::format(" [{}]", drawn);
  return fmt::format("{}{} {:3}%  {}{}{}", epoch_of(state), drawn, static_cast<int>(100 * share),
                     time_of(state), with_rate ? rate_of(state) : "", numbers_of(state));
}

}  // namespace

std::string clock_time(double seconds) {
  if (!(seconds < 360000.0)) return "100+ hours";
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(0.0, seconds)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string progress_line(const ProgressState& state, int width) {
  std::string text;
  for (const auto& [bar, with_rate] :
       {std::pair(24, true), std::pair(10, true), std::pair(10, false), std::pair(0, false)}) {
    text = line_with(state, bar, with_rate);
    if (static_cast<int>(text.size()) <= width) return text;
  }
  text.resize(static_cast<std::size_t>(std::max(0, width)));
  return text;
}

std::string epoch_line(const ProgressState& state) {
  return fmt::format("{}  step {}  {}{}", epoch_of(state), state.step, rate_of(state), numbers_of(state));
}

ProgressDisplay::ProgressDisplay(Progress wanted, std::int64_t epochs, std::int64_t steps,
                                 std::int64_t first_step, bool counts_rows)
    : how_(wanted), first_step_(first_step), begin_(Clock::now()), drawn_(begin_) {
  if (how_ == Progress::automatic) {
    how_ = isatty(STDERR_FILENO) != 0 ? Progress::bar : Progress::lines;
    between_lines_ = std::chrono::seconds(1);
  }
  state_.epochs = epochs;
  state_.step = first_step;
  state_.steps = steps;
  if (!counts_rows) state_.rows = "steps";
}

ProgressDisplay::~ProgressDisplay() { end_line(); }

void ProgressDisplay::step(std::int64_t epoch, std::int64_t step, const std::vector<LossSum>& losses,
                           std::int64_t rows) {
  if (how_ == Progress::silent) return;
  state_.epoch = epoch;
  state_.step = step;
  rows_ += rows;
  const Clock::time_point now = Clock::now();
  state_.seconds = std::chrono::duration<double>(now - begin_).count();
  if (state_.seconds > 0.2) {
    state_.rows_per_second = static_cast<double>(rows_) / state_.seconds;
    state_.seconds_left =
        state_.seconds * static_cast<double>(state_.steps - step) / static_cast<double>(step - first_step_);
  }
  if (how_ == Progress::bar && now - drawn_ > std::chrono::milliseconds(100)) {
    drawn_ = now;
    state_.losses.clear();
    for (const LossSum& loss : losses) {
      if (loss.rows > 0) state_.losses.emplace_back(loss.name, loss.mean());
    }
    draw();
  }
}

void ProgressDisplay::epoch(const EpochReport& report) {
  state_.epoch = report.epoch;
  state_.step = report.step;
  state_.losses = report.losses;
  state_.measured = report.measured;
  state_.held_out = report.measured_on == MeasuredOn::validation || report.measured_on == MeasuredOn::test;
  if (how_ == Progress::bar) draw();
  const Clock::time_point now = Clock::now();
  const bool first_or_last =
      report.epoch == 1 || report.epoch == state_.epochs || report.step == state_.steps;
  if (how_ == Progress::lines && (first_or_last || now - drawn_ >= between_lines_)) {
    drawn_ = now;
    tell(fmt::format("{}\n", epoch_line(state_)));
  }
}

void ProgressDisplay::draw() {
  // The last column stays free: some terminals wrap when it is written.
  tell(fmt::format("\r{}\x1b[K", progress_line(state_, terminal_width() - 1)));
  line_open_ = true;
}

void ProgressDisplay::end_line() {
  if (line_open_) tell("\n");
  line_open_ = false;
}

void ProgressDisplay::say(const std::string& sentence) {
  end_line();
  if (how_ != Progress::silent) tell(fmt::format("{}\n", printable(sentence)));
}

}  // namespace likely::train::detail
