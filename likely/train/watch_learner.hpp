// WatchLearner: finds what a learner trains with and does not name among its parts. Internal to train/.
#pragma once

#include <cstddef>
#include <set>

namespace likely::train::detail {

// While it lives, descend() and every optimizer's step in the same thread refuse a model or an optimizer that
// is a member of the learner and none of its parts: a checkpoint would not hold it, and a training that is
// resumed would go on with another one without a word.
class WatchLearner {
 public:
  WatchLearner(const void* learner, std::size_t bytes, std::set<const void*> parts);
  ~WatchLearner();
  WatchLearner(const WatchLearner&) = delete;
  WatchLearner& operator=(const WatchLearner&) = delete;

  bool holds_unnamed(const void* member) const;

 private:
  const std::byte* begin_;
  const std::byte* end_;
  std::set<const void*> parts_;
  const WatchLearner* outer_;
};

// What descend is about to change. `what`: "model" or "optimizer".
void check_named(const void* member, const char* what);

}  // namespace likely::train::detail
