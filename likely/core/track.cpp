#include "likely/core/track.hpp"

#include <atomic>
#include <mutex>
#include <unordered_set>

#include "likely/core/tensor.hpp"

namespace likely::detail {

namespace {

// One or two tapes a thread record at a time, but those inside another count until the outermost ends: there
// may be thousands.
struct Recordings {
  std::mutex mutex;
  std::uint64_t next = 1;
  std::unordered_set<std::uint64_t> open;
};

Recordings& recordings() {
  static Recordings all;
  return all;
}

std::atomic<const TapeServices*> tape_services{nullptr};

}  // namespace

std::uint64_t begin_recording() {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  all.open.insert(all.next);
  return all.next++;
}

void end_recording(std::uint64_t tape) {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  all.open.erase(tape);
}

bool is_recording(std::uint64_t tape) {
  Recordings& all = recordings();
  const std::lock_guard lock(all.mutex);
  return all.open.contains(tape);
}

void set_tape_services(const TapeServices& services) {
  // Only once: every tape of every thread comes by.
  if (tape_services.load(std::memory_order_relaxed) == &services) return;
  tape_services.store(&services, std::memory_order_release);
}

bool is_differentiated(const Tensor& x) {
  const TapeServices* services = tape_services.load(std::memory_order_acquire);
  return services != nullptr && services->is_differentiated(x);
}

Tensor copy_tracked(const Tensor& x) { return tape_services.load(std::memory_order_acquire)->copy(x); }

Tensor cast_tracked(const Tensor& x, DType dtype) {
  return tape_services.load(std::memory_order_acquire)->cast(x, dtype);
}

Tensor select_tracked(const Tensor& x, std::int64_t index) {
  return tape_services.load(std::memory_order_acquire)->select(x, index);
}

}  // namespace likely::detail
