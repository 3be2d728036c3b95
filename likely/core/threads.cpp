#include "likely/core/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "likely/core/error.hpp"
#include "likely/core/thread_pool.hpp"

// OpenMP's own question, answered only where the program brings that library: likely itself does without.
extern "C" int omp_in_parallel() __attribute__((weak));  // NOLINT(readability-identifier-naming)

namespace likely {

namespace {

bool inside_openmp_region() { return omp_in_parallel != nullptr && omp_in_parallel() != 0; }

// The processors this process may use.
int processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What the variable says that all programs with threads heed: a number, or a list whose first counts.
// Anything else says nothing.
int threads_at_first() {
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const std::string_view text = variable == nullptr ? "" : variable;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool understood =
      error == std::errc() && count >= 1 && (end == text.data() + text.size() || *end == ',');
  return understood ? count : processors();
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{threads_at_first()};
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
      nanoseconds < kWorthAThread || serial_tiles > 0 || inside_parallel_region() || inside_openmp_region();
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

}  // namespace likely
