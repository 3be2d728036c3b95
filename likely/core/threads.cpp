#include "likely/core/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "likely/core/error.hpp"
#include "likely/core/thread_pool.hpp"

namespace likely {

namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{omp_get_max_threads()};
  return count;
}

// A region costs about 1 us when its threads are awake and several times that when they sleep.
constexpr double kWorthAThread = 20'000.0;

// How many SerialTiles are alive on this thread.
constinit thread_local int serial_tiles = 0;

}  // namespace

void set_threads(int n) {
  if (n < 1) refuse("set_threads", "the number of threads must be at least 1, got " + std::to_string(n));
  thread_count().store(n, std::memory_order_relaxed);
}

int threads() { return thread_count().load(std::memory_order_relaxed); }

bool inside_parallel_region() { return detail::inside_pool_region(); }

int threads_for(double nanoseconds) {
  const bool alone =
      nanoseconds < kWorthAThread || serial_tiles > 0 || inside_parallel_region() || omp_in_parallel() != 0;
  return alone ? 1 : threads();
}

void detail::run_tiles(std::int64_t tiles, double nanoseconds, void* body,
                       void (*call)(void*, std::int64_t)) {
  const int runners = static_cast<int>(std::min<std::int64_t>(tiles, threads_for(nanoseconds)));
  if (runners <= 1 || !run_in_pool(tiles, runners, body, call)) {
    for (std::int64_t tile = 0; tile < tiles; ++tile) call(body, tile);
  }
}

SerialTiles::SerialTiles() { ++serial_tiles; }
SerialTiles::~SerialTiles() { --serial_tiles; }

SerialLibraries::SerialLibraries() : saved_(omp_get_max_threads()) {
  if (saved_ != 1) omp_set_num_threads(1);
}

SerialLibraries::~SerialLibraries() {
  if (saved_ != 1) omp_set_num_threads(saved_);
}

}  // namespace likely
