#include "likely/data/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "likely/core/create.hpp"
#include "likely/core/memory.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

Dataset numbered(std::int64_t rows) {
  return {reshape(arange(3 * rows).to(DType::f32), {rows, 3}), arange(rows)};
}

std::vector<Batch> collect(const Batches& batches) {
  std::vector<Batch> all;
  for (const Batch& batch : batches) all.push_back(batch);
  return all;
}

std::vector<std::int64_t> order_of(const Batches& batches) {
  std::vector<std::int64_t> order;
  for (const auto& [x, y] : batches) {
    for (const std::int64_t target : y.to_vector<std::int64_t>()) order.push_back(target);
  }
  return order;
}

void expect_same(const Batches& a, const Batches& b) {
  const std::vector<Batch> first = collect(a);
  const std::vector<Batch> second = collect(b);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(array_equal(first[i].x, second[i].x)) << "batch " << i;
    EXPECT_TRUE(array_equal(first[i].y, second[i].y)) << "batch " << i;
  }
}

TEST(Batches, InOrderAreConsecutiveRows) {
  const Dataset dataset = numbered(10);
  const Batches batches = dataset.batches(4);
  EXPECT_EQ(batches.size(), 3);
  const std::vector<Batch> all = collect(batches);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].size(), 4);
  EXPECT_EQ(all[2].size(), 2);
  EXPECT_EQ(order_of(batches), arange(10).to_vector<std::int64_t>());
  EXPECT_TRUE(array_equal(batches[2].x, dataset.range(8, 2).x));
}

TEST(Batches, LeaveOutASmallLastOneOnRequest) {
  EXPECT_EQ(numbered(10).batches(4, {.drop_last = true}).size(), 2);
  EXPECT_EQ(numbered(12).batches(4, {.drop_last = true}).size(), 3);
  EXPECT_EQ(numbered(3).batches(4, {.drop_last = true}).size(), 0);
  for (const Batch& batch : numbered(10).batches(4, Rng(1), {.drop_last = true})) EXPECT_EQ(batch.size(), 4);
}

TEST(Batches, ShuffledHoldEveryRowOnceInAnOrderOfTheKeyAlone) {
  const Dataset dataset = numbered(103);
  std::vector<std::int64_t> order = order_of(dataset.batches(10, Rng(5)));
  EXPECT_EQ(order, order_of(dataset.batches(10, Rng(5))));
  EXPECT_EQ(order, order_of(dataset.batches(7, Rng(5)))) << "the size only cuts the order";
  EXPECT_NE(order, order_of(dataset.batches(10, Rng(6))));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, arange(103).to_vector<std::int64_t>());
}

TEST(Batches, CanBeLoopedOverAgainAndPickedByNumber) {
  const Batches batches = numbered(20).batches(6, Rng(2));
  const std::vector<Batch> once = collect(batches);
  expect_same(batches, batches);
  for (std::int64_t i = 0; i < batches.size(); ++i) {
    EXPECT_TRUE(array_equal(batches[i].x, once[static_cast<std::size_t>(i)].x));
  }
}

TEST(Batches, GoOnWhereAnEpochWasInterrupted) {
  const Dataset noisy = numbered(20).augment([](const Batch& b, Rng rng) {
    return Batch{b.x + rng.normal(b.x.shape()), b.y};
  });
  const Batches batches = noisy.batches(6, Rng(2));
  const std::vector<Batch> all = collect(batches);
  const std::vector<Batch> rest = collect(batches.skip(1).skip(2));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_TRUE(array_equal(rest[0].x, all[3].x));
  EXPECT_TRUE(collect(batches.skip(4)).empty());
}

TEST(Batches, AugmentShuffledEpochsOnly) {
  const Dataset noisy = numbered(20).augment([](const Batch& b, Rng rng) {
    return Batch{b.x + rng.normal(b.x.shape()), b.y};
  });
  EXPECT_TRUE(array_equal(noisy.all().x, numbered(20).all().x));
  EXPECT_TRUE(array_equal(noisy.batches(20)[0].x, numbered(20).all().x));
  const Batches epoch = noisy.batches(5, Rng(1));
  expect_same(epoch, noisy.batches(5, Rng(1)));
  std::vector<Tensor> noises;
  for (std::int64_t i = 0; i < epoch.size(); ++i) {
    noises.push_back(epoch[i].x - numbered(20).batches(5, Rng(1))[i].x);
    for (std::size_t j = 0; j + 1 < noises.size(); ++j)
      EXPECT_FALSE(allclose(noises[j], noises.back(), 1e-3));
  }
}

TEST(Batches, AugmentationsAndMapsKeepTheirOrderAndHaveKeysOfTheirOwn) {
  const auto draw = [](const Batch& b, Rng rng) { return Batch{b.x + rng.normal(b.x.shape()), b.y}; };
  const auto twice = [](const Batch& b) { return Batch{b.x * 2.0, b.y}; };
  const Dataset zeros_only{zeros({4, 3}), arange(4)};
  const Batch once = zeros_only.augment(draw).batches(4, Rng(1))[0];
  const Batch then_doubled = zeros_only.augment(draw).map(twice).batches(4, Rng(1))[0];
  const Batch two_draws = zeros_only.augment(draw).augment(draw).batches(4, Rng(1))[0];
  EXPECT_TRUE(array_equal(then_doubled.x, once.x * 2.0));
  EXPECT_FALSE(allclose(two_draws.x, once.x * 2.0, 1e-3));
}

TEST(Batches, PrefetchedAreTheSame) {
  const Dataset dataset = numbered(1000)
                              .augment([](const Batch& b, Rng rng) {
                                return Batch{b.x + rng.normal(b.x.shape()), b.y};
                              })
                              .map([](const Batch& b) {
                                return Batch{b.x * 3.0, b.y};
                              });
  for (const std::int64_t ahead : {1, 2, 5, 1000}) {
    expect_same(dataset.batches(7, Rng(9)), dataset.batches(7, Rng(9), {.prefetch = ahead}));
    expect_same(dataset.batches(7), dataset.batches(7, {.prefetch = ahead}));
  }
}

TEST(Batches, PrefetchingStopsWhereTheLoopDoes) {
  std::atomic<int> made{0};
  const Dataset dataset = numbered(10'000).map([&](Batch b) {
    ++made;
    return b;
  });
  for (const Batch& batch : dataset.batches(1, Rng(1), {.prefetch = 3})) {
    EXPECT_EQ(batch.size(), 1);
    break;
  }
  const int after = made;  // the thread has ended with the loop
  EXPECT_LE(after, 6);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, after);
}

TEST(Batches, PrefetchingCarriesErrorsToTheirBatch) {
  const Dataset dataset = numbered(100).map([](Batch b) {
    if (b.y.at({0}) == 50.0) refuse("map", "row 50 is broken");
    return b;
  });
  int seen = 0;
  expect_refusal(
      [&] {
        for (const Batch& batch : dataset.batches(10, {.prefetch = 4})) {
          EXPECT_EQ(batch.y.at({0}), 10.0 * seen);
          ++seen;
        }
      },
      "[map] row 50 is broken");
  EXPECT_EQ(seen, 5);
}

TEST(Batches, PrefetchingKeepsNoMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer every block goes back at once";
#endif
  const Dataset dataset(zeros({2000, 1000}));
  const std::int64_t before = memory_report().cached;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const Batch& batch : dataset.batches(10, Rng(1), {.prefetch = 2})) EXPECT_EQ(batch.size(), 10);
  }
  // 600 batches of 40 kB went by.
  EXPECT_LE(memory_report().cached - before, 200'000);
}

// However many batches are prepared ahead, memory that came back is used for the next ones: 10,000 batches of
// 8 kB take no more than those that can be on the way.
TEST(Batches, PrefetchingFarAheadUsesTheSameMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer every block goes back at once";
#endif
  const Dataset dataset(zeros({10'000, 200}));
  const auto most_used = [&](std::int64_t ahead) {
    trim_memory();
    const MemoryReport before = memory_report();
    std::int64_t most = 0, seen = 0;
    for (int epoch = 0; epoch < 10; ++epoch) {
      for (const Batch& batch : dataset.batches(10, Rng(1), {.prefetch = ahead})) {
        seen += batch.size();
        const MemoryReport now = memory_report();
        most = std::max(most, now.cached + now.in_use - before.cached - before.in_use);
      }
    }
    EXPECT_EQ(seen, 100'000);
    EXPECT_EQ(memory_report().in_use, before.in_use);
    return most;
  };
  const std::int64_t shortest = most_used(1);
  EXPECT_LE(shortest, 20 * 10'240);
  // A report may count twice what the other thread is just taking back.
  for (const std::int64_t ahead : {16, 64})
    EXPECT_LE(most_used(ahead) - shortest, 2 * ahead * 10'240) << ahead;
}

TEST(Batches, PrefetchingGivesItsErrorAgain) {
  const Dataset dataset = numbered(100).map([](Batch b) {
    if (b.y.at({0}) == 20.0) throw 42;  // NOLINT(hicpp-exception-baseclass)
    return b;
  });
  const auto batches = dataset.batches(10, {.prefetch = 4});
  auto batch = batches.begin();
  ++batch;
  for (int again = 0; again < 3; ++again) EXPECT_THROW(++batch, int);
}

TEST(Batches, OfNothingAreNone) {
  EXPECT_EQ(numbered(0).batches(5).size(), 0);
  EXPECT_TRUE(collect(numbered(0).batches(5, Rng(1), {.prefetch = 2})).empty());
}

TEST(Batches, RefuseWhatCannotBe) {
  expect_refusal([] { numbered(5).batches(0); }, "[batches] a batch needs at least one row, got size 0");
  expect_refusal([] { numbered(5).batches(1, Rng(1), {.prefetch = -1}); },
                 "[batches] prefetch must not be negative, got -1");
  expect_refusal([] { numbered(5).batches(2)[3]; }, "[batches] batch 3 is out of range for 3");
  expect_refusal([] { numbered(5).batches(2).skip(4); }, "[batches] cannot skip 4 of 3 batches");
}

}  // namespace
}  // namespace likely::data
