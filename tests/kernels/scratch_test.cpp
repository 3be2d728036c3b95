#include "likely/kernels/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "likely/core/memory.hpp"
#include "likely/core/threads.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::kernels {
namespace {

TEST(Scratch, IsKeptUntilItIsTrimmedOnAllThreads) {
  const int threads_before = threads();
  set_threads(3);
  trim_memory();
  const std::int64_t before = memory_report().cached;
  std::atomic<int> arrived = 0;
  parallel_tiles(3, 1e9, [&](std::int64_t tile) {
    // One in ordinary memory, one on shared pages.
    for (const std::int64_t count : {1'000, 100'000}) {
      const auto slot = count == 1'000 ? ScratchSlot::order_items : ScratchSlot::order_values;
      auto* const values = scratch<std::int64_t>(slot, count);
      std::fill_n(values, count, tile);
      EXPECT_EQ(scratch<std::int64_t>(slot, count - 5), values) << "large enough already";
    }
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // each of three threads has one tile
  });
  EXPECT_GE(memory_report().cached - before, 3 * 808'000);
  trim_memory();
  EXPECT_EQ(memory_report().cached, before);
  std::fill_n(scratch<double>(ScratchSlot::order_values, 10), 10, 1.0);
  set_threads(threads_before);
}

TEST(Scratch, GoesWithItsThread) {
  const std::int64_t before = memory_report().cached;
  std::thread([] { *scratch<double>(ScratchSlot::order_items, 100'000) = 1.0; }).join();
  EXPECT_EQ(memory_report().cached, before);
}

TEST(Scratch, RefusesMoreThanThereIs) {
  testing::expect_refusal([] { scratch<double>(ScratchSlot::order_items, std::int64_t{1} << 44); },
                          "[kernel] out of memory: 140737488355328 bytes wanted");
  testing::expect_refusal([] { scratch<double>(ScratchSlot::order_items, INT64_MAX); },
                          "[kernel] out of memory: 18446744073709551615 bytes wanted");
  testing::expect_refusal([] { scratch<char>(ScratchSlot::order_items, -1); },
                          "[kernel] out of memory: 18446744073709551615 bytes wanted");
  EXPECT_NE(scratch<double>(ScratchSlot::order_items, 100), nullptr);
}

}  // namespace
}  // namespace likely::kernels
