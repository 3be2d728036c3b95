#include "likely/core/memory.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/memory_limit.hpp"
#include "likely/core/threads.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

// Blocks go straight back to the system under AddressSanitizer, so that it sees a use after their end.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kCaches = false;
#else
constexpr bool kCaches = true;
#endif

TEST(Memory, EveryBlockIsAligned) {
  for (std::int64_t n = 0; n < 5000; n += 37) {
    for (const DType dtype : {DType::f32, DType::f64, DType::boolean}) {
      const Tensor x = Tensor::uninitialized({n}, dtype);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.raw()) % 64, 0U) << n;
    }
  }
  const Tensor large = Tensor::uninitialized({1 << 20});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.raw()) % 64, 0U);
}

TEST(Memory, ReportsUseAndPeak) {
  const std::int64_t before = memory_report().in_use;
  reset_peak_memory();
  EXPECT_EQ(memory_report().peak, before);
  {
    const Tensor x = zeros({1000});
    const std::int64_t held = memory_report().in_use - before;
    EXPECT_GE(held, 4000);
    EXPECT_LE(held, 5000);  // blocks are at most a quarter larger than asked for
    const Tensor view = x.view({10}, {1}, 5);
    const Tensor copy = x;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(memory_report().in_use - before, held);
  }
  EXPECT_EQ(memory_report().in_use, before);
  EXPECT_GE(memory_report().peak, before + 4000);
  reset_peak_memory();
  EXPECT_EQ(memory_report().peak, before);
}

TEST(Memory, ABlockIsUsedAgainUntilTrimmed) {
  trim_memory();
  EXPECT_EQ(memory_report().cached, 0);
  const void* first = nullptr;
  {
    const Tensor x = Tensor::uninitialized({12345});
    first = x.raw();
  }
  if (kCaches) {
    EXPECT_GE(memory_report().cached, 12345 * 4);
    const Tensor again = Tensor::uninitialized({12345});
    EXPECT_EQ(again.raw(), first);
  }
  trim_memory();
  EXPECT_EQ(memory_report().cached, 0);
}

// Blocks of some hundred kilobytes stand side by side on shared pages: in any order of coming and going, on
// several threads, none may touch another.
TEST(Memory, MediumBlocksDoNotOverlap) {
  const auto work = [](int seed) {
    std::vector<Tensor> kept;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t size = 20000 + 7919 * ((i * 31 + seed) % 50);
      kept.push_back(full({size}, i + 100 * seed));
      if (i % 3 == 2) kept.erase(kept.begin() + i / 4);
      if (i % 20 == 19) trim_memory();
    }
    bool right = true;
    for (const Tensor& x : kept) {
      const float* const values = x.data<float>();
      for (std::int64_t at = 1; at < x.size(); ++at) right = right && values[at] == values[0];
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values) % 64, 0U);
    }
    for (std::size_t i = 1; i < kept.size(); ++i) right = right && kept[i].at({0}) > kept[i - 1].at({0});
    EXPECT_TRUE(right);
    kept.clear();
    trim_memory();
  };
  std::thread other(work, 2);
  work(1);
  other.join();
  work(3);
}

TEST(Memory, TensorsMayEndOnAnotherThread) {
  const std::int64_t before = memory_report().in_use;
  std::vector<Tensor> made;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) made.push_back(full({100}, i));
  }).join();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(made[static_cast<std::size_t>(i)].at({99}), i);
  std::thread([&] { made.clear(); }).join();
  EXPECT_EQ(memory_report().in_use, before);
}

// Bytes of this process that are in memory.
std::int64_t resident() {
  std::ifstream file("/proc/self/statm");
  std::int64_t whole = 0, pages = 0;
  file >> whole >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// One thread makes tensors and hands them over, another ends them; at most 8 are on the way. Gives the bytes
// that are in memory when all have gone by.
std::int64_t hand_over(int rounds, const Shape& shape) {
  std::mutex mutex;
  std::deque<Tensor> line;
  std::atomic<bool> done = false;
  std::thread taker([&] {
    for (;;) {
      const bool last = done;
      std::deque<Tensor> taken;
      {
        const std::lock_guard lock(mutex);
        taken.swap(line);
      }
      if (taken.empty() && last) return;
      if (taken.empty()) std::this_thread::yield();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        if (line.size() < 8) {
          line.push_back(full(shape, i));
          break;
        }
      }
      std::this_thread::yield();
    }
  }
  const std::int64_t most = resident();
  done = true;
  taker.join();
  return most;
}

// Each of 10,000 tensors is 40 kB; only those on the way may be in memory, whoever ends them.
TEST(Memory, WhatOneThreadMakesAndAnotherEndsIsUsedAgain) {
  trim_memory();
  const MemoryReport before = memory_report();
  const std::int64_t resident_before = resident();
  const std::int64_t most = hand_over(10'000, {10'000});
  const MemoryReport after = memory_report();
  EXPECT_EQ(after.in_use, before.in_use);
  EXPECT_LE(after.cached - before.cached, 40 * 40'000);
  EXPECT_LE(after.peak - before.peak, 40 * 40'000);
  if (kCaches) {
    EXPECT_LE(most - resident_before, 64 << 20);
  }
}

TEST(Memory, LastsLongerThanItsThread) {
  const Tensor first = zeros({1});  // else this thread would begin by taking over what the next one leaves
  const std::int64_t before = memory_report().in_use;
  std::vector<Tensor> made;
  std::thread([&] {
    const SerialTiles
        alone;  // a thread of the pool, born here, would take over what the first leaves, and stay
    for (int i = 0; i < 10; ++i) made.push_back(full({50'000 * (i + 1)}, i));
  }).join();
  const std::int64_t cached = memory_report().cached;
  EXPECT_GE(memory_report().in_use - before, 55 * 200'000);
  // Another thread takes over what the first left, while its tensors are still in use.
  std::thread([] {
    const SerialTiles alone;
    for (int i = 0; i < 10; ++i) full({50'000 * (i + 1)}, -1.0);
  }).join();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(made[static_cast<std::size_t>(i)].at({49'999}), i);
  made.clear();
  EXPECT_EQ(memory_report().in_use, before);
  EXPECT_EQ(memory_report().cached, cached) << "what belongs to a thread that has ended goes to the system";
}

TEST(Memory, ThreadsThatComeAndGoLeaveNothing) {
  trim_memory();
  const MemoryReport before = memory_report();
  const std::int64_t resident_before = resident();
  Tensor kept = zeros({100});
  for (int i = 0; i < 1'000; ++i) {
    std::thread([&] {
      kept = full({5'000 + 100 * (i % 7)}, i);
      const Tensor more = kept.copy();
    }).join();
    EXPECT_EQ(kept.at({17}), i);
  }
  kept = Tensor();
  EXPECT_EQ(memory_report().in_use, before.in_use);
  if (!kCaches) return;
  EXPECT_LE(memory_report().cached - before.cached, 1'000);
  EXPECT_LE(resident() - resident_before, 64 << 20);
}

TEST(Memory, TrimmingReachesOtherThreads) {
  if (!kCaches) GTEST_SKIP() << "nothing is kept under AddressSanitizer";
  const int threads_before = threads();
  set_threads(3);
  trim_memory();
  const std::int64_t before = memory_report().cached;
  std::atomic<int> arrived = 0;
  parallel_tiles(3, 1e9, [&](std::int64_t) {
    full({100'000}, 1.0);
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // each of three threads has one tile
  });
  EXPECT_GE(memory_report().cached - before, 3 * 400'000);
  trim_memory();
  EXPECT_EQ(memory_report().cached, before) << "threads of parallel_tiles wait for work";

  std::atomic<int> step = 0;
  const auto wait_for = [&](int wanted) {
    while (step < wanted) std::this_thread::yield();
  };
  std::thread other([&] {
    full({100'000}, 1.0);
    step = 1;
    wait_for(2);
    full({10}, 1.0);
    step = 3;
    wait_for(4);
  });
  wait_for(1);
  EXPECT_GE(memory_report().cached - before, 400'000);
  trim_memory();
  step = 2;
  wait_for(3);
  EXPECT_LE(memory_report().cached - before, 1'000) << "with the next tensor that the thread made";
  step = 4;
  other.join();
  set_threads(threads_before);
}

TEST(Memory, TrimmingInsideARegionDoesNotWaitForIt) {
  const int threads_before = threads();
  set_threads(3);
  parallel_tiles(30, 1e9, [](std::int64_t) {
    const Tensor x = full({20'000}, 1.0);
    trim_memory();
    EXPECT_EQ(x.at({19'999}), 1.0);
  });
  set_threads(threads_before);
}

TEST(Memory, ALimitHoldsForWhatIsTakenInAll) {
  const auto take = [](std::int64_t bytes) { return zeros({bytes / 8}, DType::f64); };
  {
    const MemoryLimit limit(10'000);
    take(4000);  // given up at once, and counted
    const Tensor kept = take(4000);
    EXPECT_FALSE(limit.exceeded());
    testing::expect_refusal([&] { take(4000); }, "[tensor] out of memory: 4000 bytes wanted");
    EXPECT_TRUE(limit.exceeded());
    take(80);  // what is small enough may still be had
    // Another thread has none.
    std::thread([&] { EXPECT_EQ(take(1'000'000).size(), 125'000); }).join();
  }
  EXPECT_EQ(take(1'000'000).size(), 125'000);
  // More than anybody may have, and many that are empty.
  const MemoryLimit outer(1'000'000);
  testing::expect_refusal([&] { zeros({std::int64_t{1} << 50}, DType::f32); },
                          "[tensor] out of memory: 4503599627370496 bytes wanted");
  EXPECT_TRUE(outer.exceeded());
  {
    const MemoryLimit inner(5'000'000);
    EXPECT_FALSE(inner.exceeded());
    EXPECT_THROW(take(2'000'000), Error);  // the outer one's
    take(600'000);
  }
  EXPECT_TRUE(outer.exceeded());
  EXPECT_THROW(take(600'000), Error);
  EXPECT_THROW(
      {
        for (int i = 0; i < 10'000; ++i) zeros({0});
      },
      Error);
}

TEST(Memory, RefusesMoreThanThereIs) {
  testing::expect_refusal(
      [] {
        Tensor::uninitialized({INT64_MAX / 2, 4});
      },
      "[tensor] out of memory: shape (4611686018427387903, 4) has too many elements");
  testing::expect_refusal([] { Tensor::uninitialized({std::int64_t{1} << 50}); },
                          "[tensor] out of memory: 4503599627370496 bytes wanted");
}

}  // namespace
}  // namespace likely
