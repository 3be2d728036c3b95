#include "apps/likely/progress_line.hpp"

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
    if (std::holds_alternative<train::event::Trial>(event)) shown(event);
  };
}

}  // namespace likely::command
