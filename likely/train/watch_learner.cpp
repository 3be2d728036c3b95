#include "likely/train/watch_learner.hpp"

#include <string>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/optim/step_watch.hpp"

namespace likely::train::detail {

namespace {

// Of this thread, and only during the first step of a run.
thread_local const WatchLearner* watching = nullptr;

// Of an optimizer that makes a step, by descend or by hand.
void check_stepping(const void* optimizer) { check_named(optimizer, "optimizer"); }

}  // namespace

WatchLearner::WatchLearner(const void* learner, std::size_t bytes, std::set<const void*> parts)
    : begin_(static_cast<const std::byte*>(learner)),
      end_(begin_ + bytes),
      parts_(std::move(parts)),
      outer_(std::exchange(watching, this)) {
  optim::detail::exchange_step_watch(check_stepping);
}

WatchLearner::~WatchLearner() {
  watching = outer_;
  if (outer_ == nullptr) optim::detail::exchange_step_watch(nullptr);
}

bool WatchLearner::holds_unnamed(const void* member) const {
  const auto* place = static_cast<const std::byte*>(member);
  return place >= begin_ && place < end_ && !parts_.contains(member);
}

void check_named(const void* member, const char* what) {
  if (watching == nullptr || !watching->holds_unnamed(member)) return;
  refuse("run",
         std::string("step trains with the ") + what +
             ", which is a member of the learner and not named in its LIKELY_PARTS: no checkpoint would "
             "hold it");
}

}  // namespace likely::train::detail
