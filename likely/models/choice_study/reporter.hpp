// How a study tells where it is, and hears that it is to stop. Internal to choice_study/.
#pragma once

#include "likely/core/cancel.hpp"
#include "likely/train/events.hpp"

namespace likely::choice {

// Keeps references to what it is given.
class Reporter {
 public:
  Reporter(const train::EventSink& events, const CancelTest& cancelled)
      : events_(events), cancelled_(cancelled) {}
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Throws Cancelled when it is to stop, and tells nothing then. To be called by one thread at a time:
  // another one may hear that it is to stop after this one has asked, but then nobody tells any more.
  void operator()(const train::event::Stage& now) const {
    give_up_if(cancelled_);
    if (events_) events_(now);
    give_up_if(cancelled_);
  }
  // For the estimators: their other threads have to hear of it, too.
  const CancelTest& cancelled() const { return cancelled_; }

 private:
  const train::EventSink& events_;
  const CancelTest& cancelled_;
};

}  // namespace likely::choice
