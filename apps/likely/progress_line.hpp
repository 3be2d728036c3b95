// The one progress line of the command.
#pragma once

#include "likely/train/events.hpp"

namespace likely::command {

// A sink that shows what happens on the standard error. Warnings about the folder are told at once, also
// where nobody wants to see progress: the command may fail after it has changed something there. Those of a
// run come with its report.
train::EventSink progress_line(bool quiet);
// Of a sweep: a line a trial.
train::EventSink trial_lines(bool quiet);

}  // namespace likely::command
