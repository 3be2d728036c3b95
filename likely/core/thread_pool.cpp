#include "likely/core/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "likely/core/memory.hpp"

namespace likely::detail {

namespace {

thread_local bool in_region = false;

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// How long a thread without work stays awake: longer than the gap between two operations of a training step,
// shorter than anybody who shares the machine would mind.
constexpr auto kStayAwake = std::chrono::microseconds(100);

// The tiles that one runner starts with, on a cache line of their own.
struct alignas(64) Share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

// Which region is open, and how many workers are inside it, in one word, so that a worker enters only while
// the region that it saw is open: region number << 17 | open << 16 | workers inside.
constexpr std::uint64_t kOneWorker = 1;
constexpr std::uint64_t kWorkers = 0xffff;
constexpr std::uint64_t kOpen = 1U << 16;
constexpr std::uint64_t kOneRegion = 1U << 17;

// Behind every tile.
constexpr std::int64_t kNone = INT64_MAX;

class Pool {
 public:
  bool run(std::int64_t tiles, int runners, void* body, TileCall call) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    run_region(tiles, grow(runners), body, call);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
  }

  void run_on_workers(void (*job)()) {
    if (in_region) return;
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    struct Meeting {
      void (*job)();
      std::int64_t all;
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<std::int64_t> arrived{0};
    };
    Meeting meeting{job, static_cast<std::int64_t>(shares_.size())};
    if (meeting.all < 2) return;
    // A tile for each runner, which keeps it until all have one: so each thread gets exactly one.
    run_region(meeting.all, static_cast<int>(meeting.all), &meeting, [](void* body, std::int64_t) {
      auto& here = *static_cast<Meeting*>(body);
      if (std::this_thread::get_id() != here.caller) here.job();
      ++here.arrived;
      while (here.arrived < here.all) sched_yield();
    });
  }

 private:
  // Called with the lock held.
  void run_region(std::int64_t tiles, int runners, void* body, TileCall call) {
    runners_ = runners;
    body_ = body;
    call_ = call;
    for (int i = 0; i < runners; ++i) {
      Share& share = *shares_[static_cast<std::size_t>(i)];
      share.next.store(tiles * i / runners, std::memory_order_relaxed);
      share.end = tiles * (i + 1) / runners;
    }
    state_.fetch_add(kOneRegion | kOpen, std::memory_order_release);
    state_.notify_all();
    work(0);
    state_.fetch_and(~kOpen, std::memory_order_acq_rel);
    wait_for_workers();
    failed_tile_.store(kNone, std::memory_order_relaxed);
  }

  // So many runners, or as many as the system gives threads for. Called with the lock held and no region
  // open.
  int grow(int runners) {
    runners = std::min(runners, static_cast<int>(kWorkers));
    while (shares_.size() < static_cast<std::size_t>(runners)) {
      const int number = static_cast<int>(shares_.size());
      shares_.push_back(std::make_unique<Share>());
      if (number == 0) continue;
      try {
        std::thread([this, number] { serve(number); }).detach();
      } catch (const std::system_error&) {
        shares_.pop_back();
        return number;
      }
    }
    return runners;
  }

  // Runs what is left of all tiles, beginning with the runner's own.
  void work(int runner) {
    in_region = true;
    for (int i = 0; i < runners_; ++i) {
      Share& share = *shares_[static_cast<std::size_t>((runner + i) % runners_)];
      for (;;) {
        const std::int64_t tile = share.next.fetch_add(1, std::memory_order_relaxed);
        if (tile >= share.end) break;
        if (tile < failed_tile_.load(std::memory_order_relaxed)) run_tile(tile);
      }
    }
    in_region = false;
  }

  void run_tile(std::int64_t tile) {
    try {
      call_(body_, tile);
    } catch (...) {
      const std::lock_guard lock(failure_);
      if (tile > failed_tile_.load(std::memory_order_relaxed)) return;
      failed_tile_.store(tile, std::memory_order_relaxed);
      error_ = std::current_exception();
    }
  }

  // Every tile has been taken: what remains is in the hands of workers that are running.
  void wait_for_workers() {
    for (int spins = 0; (state_.load(std::memory_order_acquire) & kWorkers) != 0; ++spins) {
      if (spins < 2000) {
        pause_briefly();
      } else {
        sched_yield();
      }
    }
  }

  // A worker's life.
  [[noreturn]] void serve(int number) {
    std::uint64_t seen = 0;
    for (;;) {
      trim_if_asked();
      std::uint64_t state = wait_for_region(seen);
      seen = state & ~(kWorkers | kOpen);
      if (!enter(state, seen)) continue;
      if (number < runners_) work(number);
      state_.fetch_sub(kOneWorker, std::memory_order_release);
    }
  }

  // Waits until a region later than `seen` has been opened.
  std::uint64_t wait_for_region(std::uint64_t seen) {
    const auto later = [&](std::uint64_t state) { return (state & ~(kWorkers | kOpen)) != seen; };
    std::uint64_t state = state_.load(std::memory_order_acquire);
    if (later(state)) return state;
    const auto sleepy = std::chrono::steady_clock::now() + kStayAwake;
    do {
      for (int i = 0; i < 32; ++i) {
        pause_briefly();
        state = state_.load(std::memory_order_acquire);
        if (later(state)) return state;
      }
    } while (std::chrono::steady_clock::now() < sleepy);
    while (!later(state)) {
      state_.wait(state, std::memory_order_acquire);
      state = state_.load(std::memory_order_acquire);
    }
    return state;
  }

  // False if the region has been closed, or another opened, in the meantime.
  bool enter(std::uint64_t state, std::uint64_t region) {
    while ((state & kOpen) != 0 && (state & ~(kWorkers | kOpen)) == region) {
      if (state_.compare_exchange_weak(state, state + kOneWorker, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  std::mutex busy_;
  alignas(64) std::atomic<std::uint64_t> state_{0};
  // What the open region does; written only while none is.
  alignas(64) int runners_ = 0;
  void* body_ = nullptr;
  TileCall call_ = nullptr;
  std::vector<std::unique_ptr<Share>> shares_;
  // The first tile of the open region that threw so far, and what. Read once a tile, written almost never.
  alignas(64) std::atomic<std::int64_t> failed_tile_{kNone};
  std::mutex failure_;
  std::exception_ptr error_;
};

// Never destroyed: its threads sleep in it when the program ends. A forked child has none of the threads, and
// gets a pool of its own.
std::atomic<Pool*>& pool() {
  static std::atomic<Pool*> current = [] {
    pthread_atfork(nullptr, nullptr, [] { pool().store(new Pool, std::memory_order_release); });
    return new Pool;
  }();
  return current;
}

}  // namespace

bool run_in_pool(std::int64_t tiles, int runners, void* body, TileCall call) {
  return pool().load(std::memory_order_acquire)->run(tiles, runners, body, call);
}

void run_on_idle_workers(void (*job)()) { pool().load(std::memory_order_acquire)->run_on_workers(job); }

bool inside_pool_region() { return in_region; }

}  // namespace likely::detail
