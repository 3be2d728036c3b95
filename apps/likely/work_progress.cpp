#include "apps/likely/work_progress.hpp"

#include <fmt/format.h>

#include <chrono>

#include "apps/likely/progress_line.hpp"
#include "likely/core/tell.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::command {

namespace {

using Clock = std::chrono::steady_clock;

// So long work may take without anybody asking how long it took.
constexpr double kQuick = 2.0;

}  // namespace

struct WorkProgress::State {
  bool silent;
  train::EventSink events;
  Clock::time_point begin = Clock::now();
  train::detail::CatchInterrupt interrupt{true};
};

WorkProgress::WorkProgress(bool silent) : state_(new State{silent, progress_line(silent)}) {}

WorkProgress::~WorkProgress() = default;

const train::EventSink& WorkProgress::events() const { return state_->events; }

CancelTest WorkProgress::cancelled() const {
  return [state = state_.get()] { return state->interrupt.arrived(); };
}

void WorkProgress::finish() {
  const double seconds = std::chrono::duration<double>(Clock::now() - state_->begin).count();
  state_->events(train::event::End{.seconds = seconds});
  if (!state_->silent && seconds >= kQuick) tell(fmt::format("{:.1f} s\n", seconds));
}

}  // namespace likely::command
