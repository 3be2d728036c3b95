#include "likely/core/track.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace likely::detail {

namespace {

// Few tapes record at a time: one or two a thread.
struct Recordings {
  std::mutex mutex;
  std::uint64_t next = 1;
  std::vector<std::uint64_t> open;
};

Recordings& recordings() {
  static Recordings all;
  return all;
}

}  // namespace

std::uint64_t begin_recording() {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  all.open.push_back(all.next);
  return all.next++;
}

void end_recording(std::uint64_t tape) {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  std::erase(all.open, tape);
}

bool is_recording(std::uint64_t tape) {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  return std::ranges::find(all.open, tape) != all.open.end();
}

}  // namespace likely::detail
