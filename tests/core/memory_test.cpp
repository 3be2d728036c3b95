#include "likely/core/memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "likely/core/create.hpp"
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
