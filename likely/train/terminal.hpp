// What a person sees of what happens: one line, on the standard error.
#pragma once

#include <cstdint>

#include "likely/train/events.hpp"

namespace likely::train {

enum class Progress : std::uint8_t {
  automatic,  // a bar on a terminal, else lines, at most one a second
  bar,        // one line, drawn again and again in its place
  lines,      // one line an epoch
  silent
};

// A sink that shows events: of a training a bar or lines of epochs, of other long work what is being done and
// how far it is, sentences on lines of their own. Quick work passes without a line. It writes to the standard
// error, so that a program's own output stays its own. A line that is open is ended by event::End, and when
// the last copy of the sink goes. Silent: an empty sink.
EventSink terminal(Progress how = Progress::automatic);

}  // namespace likely::train
