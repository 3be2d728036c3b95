#include "apps/likely/progress_line.hpp"

#include "apps/likely/flags.hpp"
#include "likely/train/terminal.hpp"

namespace likely::command {

train::EventSink progress_line(bool quiet) {
  if (quiet) return {};
  return [shown = train::terminal()](const train::Event& event) {
    if (!std::holds_alternative<train::event::Warning>(event)) shown(event);
  };
}

train::EventSink trial_lines(bool quiet) {
  if (quiet) return {};
  return [shown = train::terminal()](const train::Event& event) {
    const auto* ended = std::get_if<train::event::Trial>(&event);
    if (ended == nullptr) return;
    train::event::Trial trial = *ended;
    trial.error = with_flags(trial.error);
    shown(trial);
  };
}

}  // namespace likely::command
