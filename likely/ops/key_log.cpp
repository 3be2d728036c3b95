#include "likely/ops/key_log.hpp"

namespace likely::detail {

namespace {

thread_local RecordKeys* recording = nullptr;
thread_local ReplayKeys* replaying = nullptr;

}  // namespace

RecordKeys::RecordKeys(KeyLog& log) : log_(log), outer_(recording) { recording = this; }
RecordKeys::~RecordKeys() { recording = outer_; }

ReplayKeys::ReplayKeys(const KeyLog& log) : log_(log), outer_(replaying) { replaying = this; }
ReplayKeys::~ReplayKeys() { replaying = outer_; }

Rng taken_key(Rng made) {
  if (replaying != nullptr && replaying->next_ < replaying->log_.keys.size())
    made = replaying->log_.keys[replaying->next_++];
  for (RecordKeys* record = recording; record != nullptr; record = record->outer_)
    record->log_.keys.push_back(made);
  return made;
}

}  // namespace likely::detail
