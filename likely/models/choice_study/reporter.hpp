// How a study tells where it is, and hears that it is to stop. Internal to choice_study/.
#pragma once

#include <atomic>
#include <functional>

#include "likely/core/cancel.hpp"
#include "likely/models/choice_study/study.hpp"

namespace likely::choice {

// Keeps references to what it is given.
class Reporter {
 public:
  Reporter(const std::function<bool(const StudyProgress&)>& progress, const CancelTest& cancelled)
      : progress_(progress), cancelled_(cancelled) {}
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Throws Cancelled when it is to stop, and tells nothing then. To be called by one thread at a time:
  // another one may hear that it is to stop after this one has asked, but then nobody tells any more.
  void operator()(const StudyProgress& now) {
    if (is_to_stop()) throw Cancelled();
    if (progress_ && !progress_(now)) stopped_ = true;
    if (is_to_stop()) throw Cancelled();
  }
  // For the estimators: their other threads have to hear of it, too.
  CancelTest cancelled() const {
    return [this] { return is_to_stop(); };
  }

 private:
  bool is_to_stop() const { return stopped_ || (cancelled_ && cancelled_()); }

  const std::function<bool(const StudyProgress&)>& progress_;
  const CancelTest& cancelled_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace likely::choice
