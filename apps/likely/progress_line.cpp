#include "apps/likely/progress_line.hpp"

#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "likely/train/terminal.hpp"

namespace likely::command {

train::EventSink progress_line(bool quiet) {
  // Those of a run come with its report.
  return [shown = quiet ? train::EventSink() : train::terminal(),
          in_run = false](const train::Event& event) mutable {
    if (std::holds_alternative<train::event::Begin>(event)) in_run = true;
    if (std::holds_alternative<train::event::End>(event)) in_run = false;
    if (const auto* warning = std::get_if<train::event::Warning>(&event)) {
      if (!in_run) warn({warning->text});
    } else if (shown) {
      shown(event);
    }
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
