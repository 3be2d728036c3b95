// The one progress line of the command.
#pragma once

#include "likely/train/events.hpp"

namespace likely::command {

// A sink that shows what happens on the standard error; an empty one where nothing is to be shown. Warnings
// are not among it: they come with the report, also where nobody wants to see progress.
train::EventSink progress_line(bool quiet);
// Of a sweep: a line a trial.
train::EventSink trial_lines(bool quiet);

}  // namespace likely::command
