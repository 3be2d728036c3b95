#include "likely/nn/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/dropout.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/refusal.hpp"

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

// The backward pass of a checkpoint runs its function again, with the keys of the first time: the units that
// were dropped, and only they, have no gradient.
TEST(Training, LayersInACheckpointDropTheSameUnitsAgain) {
  const auto dropped = [](bool in_checkpoint, std::uint64_t seed) {
    const Training training{Rng(seed)};
    Tensor seen;
    const Tensor x = ones({64}, DType::f64);
    const Tensor gradient = grad(x, [&](const Tensor& t) {
      training.split();  // a layer before it
      const auto layers = [&](const Tensor& u) {
        return nn::Dropout(0.25)(nn::Dropout(0.5)(u, training) * 3.0, training);
      };
      const Tensor y = in_checkpoint ? checkpoint(layers, t) : layers(t);
      seen = stop_gradient(y);
      return sum(nn::Dropout(0.5)(y, training));  // and one behind it
    });
    for (std::int64_t i = 0; i < 64; ++i) {
      if (seen.at({i}) == 0.0) {
        EXPECT_EQ(gradient.at({i}), 0.0) << i;
      }
    }
    return gradient.to_vector<double>();
  };
  for (const std::uint64_t seed : {1U, 2U, 3U}) EXPECT_EQ(dropped(true, seed), dropped(false, seed));
  EXPECT_NE(dropped(true, 1), dropped(true, 2));
}

TEST(Training, LayersInNestedCheckpointsAndHigherDerivativesDropTheSameUnits) {
  const auto second = [](bool in_checkpoint) {
    const Training training{Rng(5)};
    const auto inner = [&](const Tensor& u) { return nn::Dropout(0.5)(u * u * u, training); };
    const auto both = [&](const Tensor& u) {
      return nn::Dropout(0.25)(in_checkpoint ? checkpoint(inner, u) : inner(u), training);
    };
    const auto loss = [&](const Tensor& t) { return sum(in_checkpoint ? checkpoint(both, t) : both(t)); };
    return grad(linspace(0.5, 2.0, 32, DType::f64),
                [&](const Tensor& outer) { return sum(square(grad(outer, loss))); });
  };
  EXPECT_EQ(second(true).to_vector<double>(), second(false).to_vector<double>());
  EXPECT_GT(max(abs(second(true))).item(), 1.0);
}

TEST(Training, ACheckpointThatDrawsFromACapturedRngIsRefused) {
  Rng rng(3);
  testing::expect_refusal(
      [&] {
        grad(ones({8}), [&](const Tensor& t) {
          return sum(checkpoint([&](const Tensor& u) { return u * rng.uniform({8}); }, t));
        });
      },
      "[checkpoint] the function gave another result when it was called again for the gradient: it must not "
      "draw from an Rng that it captured (hand it a copy, or a Training)");
}

}  // namespace
}  // namespace likely
