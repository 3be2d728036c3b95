#include "likely/train/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/printable.hpp"

namespace likely::train::detail {

namespace {

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

std::string stage_line(const event::Stage& stage, double seconds) {
  std::string text = fmt::format("{}: {}", printable_line(stage.of), stage.doing);
  const int digits = stage.done < 0.1 ? 1 : 0;  // so that it moves from the beginning on
  if (std::isfinite(stage.done)) text += fmt::format(" {:.{}f} %", 100.0 * stage.done, digits);
  for (const auto& [name, value] : stage.numbers) text += fmt::format(", {} {:#.4g}", name, value);
  return text + fmt::format(", {:.0f} s", seconds);
}

std::string trial_line(const event::Trial& trial) {
  std::string text = fmt::format("trial {}:", trial.number);
  for (const auto& [name, value] : trial.settings) text += fmt::format(" {}={}", name, printable_line(value));
  return text + "  " +
         (trial.error.empty() ? fmt::format("{:.6g}", trial.value)
                              : "failed: " + printable_line(trial.error));
}

}  // namespace likely::train::detail
