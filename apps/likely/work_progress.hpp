// How a command that takes its time tells how far it is, and that Ctrl-C ends it.
#pragma once

#include <memory>

#include "likely/core/cancel.hpp"
#include "likely/train/events.hpp"

namespace likely::command {

// The progress line of work (progress_line.hpp). Ctrl-C is noted from its beginning on, and stops what
// asks for it: make it before anything that takes long or leaves files behind.
class WorkProgress {
 public:
  explicit WorkProgress(bool silent);
  ~WorkProgress();
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

  // For the work.
  const train::EventSink& events() const;
  // Whether Ctrl-C came, for work that asks; lives as long as this.
  CancelTest cancelled() const;
  // Ends the line, and says how long it took, if it took long.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace likely::command
