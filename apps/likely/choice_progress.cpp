#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "apps/likely/choice_options.hpp"
#include "likely/core/tell.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::command {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

struct ChoiceProgress::State {
  bool silent;
  bool watched = isatty(STDERR_FILENO) == 1;
  bool line_open = false;
  bool shown = false;
  Clock::time_point begin = Clock::now();
  Clock::time_point drawn = begin;
  train::detail::CatchInterrupt interrupt{true};
};

ChoiceProgress::ChoiceProgress(bool silent) : state_(new State{silent}) {}

ChoiceProgress::~ChoiceProgress() {
  if (state_->line_open) tell("\r\033[K");
}

bool ChoiceProgress::operator()(const choice::StudyProgress& now) {
  // Quick work passes without a word.
  const double between = state_->watched ? 0.1 : 2.0;
  if (!state_->silent && seconds_since(state_->drawn) >= between) {
    const int digits = now.done < 0.1 ? 1 : 0;  // so that it moves from the beginning on
    const std::string done =
        std::isfinite(now.done) ? fmt::format(" {:.{}f} %", 100.0 * now.done, digits) : "";
    const std::string line =
        fmt::format("{}: {}{}, {:.0f} s", now.model, now.doing, done, seconds_since(state_->begin));
    tell(state_->watched ? fmt::format("\r{}\033[K", line) : fmt::format("{}\n", line));
    state_->line_open = state_->watched;
    state_->shown = true;
    state_->drawn = Clock::now();
  }
  return !state_->interrupt.arrived();
}

CancelTest ChoiceProgress::cancelled() const {
  return [state = state_.get()] { return state->interrupt.arrived(); };
}

void ChoiceProgress::finish() {
  if (state_->line_open) tell("\r\033[K");
  state_->line_open = false;
  if (state_->shown && !state_->silent) tell(fmt::format("{:.1f} s\n", seconds_since(state_->begin)));
}

}  // namespace likely::command
