#include "likely/nn/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace likely {
namespace {

// The keys are those that the Rng itself would hand out.
TEST(Training, HandsOutTheSplitsOfItsRng) {
  Rng rng(7);
  rng.split();
  const Training training(rng);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(training.split(), rng.split()) << i;
}

TEST(Training, GivesThreadsDifferentKeys) {
  const Training training{Rng(7)};
  std::vector<std::vector<Rng>> keys(4);
  std::vector<std::thread> threads;
  for (std::vector<Rng>& mine : keys) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) mine.push_back(training.split());
    });
  }
  for (std::thread& thread : threads) thread.join();
  Rng rng(7);
  std::vector<Rng> found, expected = rng.split(800);
  for (const std::vector<Rng>& mine : keys) found.insert(found.end(), mine.begin(), mine.end());
  for (const Rng& key : expected) EXPECT_EQ(std::ranges::count(found, key), 1);
}

}  // namespace
}  // namespace likely
