// fit on batches of other types, and with optimizers that work on all of the data.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::same_bits;
using testing::TemporaryFolder;

constexpr auto kSilent = train::Progress::silent;

// Sequences of unequal lengths, filled up with zeros.
struct Sequences {
  Tensor values;   // (sequences, longest)
  Tensor lengths;  // i64
  std::int64_t size() const { return values.dim(0); }
  LIKELY_PARTS(values, lengths)
};

// x_t = a x_{t-1} + noise.
struct Memory {
  Tensor a = zeros({}, DType::f64);
  LIKELY_PARTS(a)
};

Sequences draw_sequences(Rng rng, std::int64_t) {
  const std::int64_t longest = rng.split().randint(3, 12, {1}).to_vector<std::int64_t>()[0];
  const Tensor lengths = rng.split().randint(2, longest + 1, {5});
  const Tensor noise = rng.normal({5, longest}, 0.0, 1.0, DType::f64);
  std::vector<double> values(static_cast<std::size_t>(5 * longest), 0.0);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t t = 0; t < lengths.to_vector<std::int64_t>()[static_cast<std::size_t>(i)]; ++t) {
      const double before = t > 0 ? values[static_cast<std::size_t>(i * longest + t - 1)] : 0.0;
      values[static_cast<std::size_t>(i * longest + t)] = 0.7 * before + noise.at({i, t});
    }
  }
  return {tensor(values, {5, longest}), lengths};
}

constexpr auto kOneStepAhead = [](auto& model, const Sequences& batch) {
  const std::int64_t longest = batch.values.dim(1);
  const Tensor before = slice(batch.values, 1, {0, longest - 1}), now = slice(batch.values, 1, {1, longest});
  const Tensor inside = (arange(1, longest) < unsqueeze(batch.lengths, 1)).to(DType::f64);
  return sum(inside * square(now - model.a * before)) / sum(inside);
};

train::FitResult<Memory> learn_memory(Memory& model, optim::Adam& adam,
                                      const train::FitOptions<Memory, Sequences>& options) {
  return train::fit(model, adam,
                    train::Feeds{.train = data::feed(6, draw_sequences),
                                 .validation = std::optional(data::feed(2, draw_sequences))},
                    kOneStepAhead, options);
}

TEST(Feeds, EndWhereTheyEnd) {
  const auto next = data::feed(2, draw_sequences).open(Rng(1), 1);
  EXPECT_GT(next().values.size(), 0);
  testing::expect_refusal([&] { next(); }, "[feed] the epoch has no more batches");
  testing::expect_refusal([] { data::Feed<Sequences>(2, {}); },
                          "[feed] there is no function that makes the batches");
}

TEST(Feeds, AnOptimizerThatEvaluatesTheLossItselfNeedsAllRows) {
  Memory model;
  optim::Lbfgs lbfgs;
  testing::expect_refusal(
      [&] {
        train::fit(model, lbfgs, train::Feeds{.train = data::feed(6, draw_sequences)}, kOneStepAhead,
                   {.epochs = 2, .progress = kSilent});
      },
      "[fit] an optimizer that evaluates the loss itself needs all rows in one batch; the feed has 6 "
      "batches");
  EXPECT_GT(train::fit(model, lbfgs, train::Feeds{.train = data::feed(1, draw_sequences)}, kOneStepAhead,
                       {.epochs = 2, .progress = kSilent})
                .steps,
            0);
}

TEST(Feeds, BatchesOfUnequalSequencesTeachAModel) {
  Memory model;
  optim::Adam adam(model, {.lr = 0.05});
  const auto result = learn_memory(model, adam,
                                   {.epochs = 40,
                                    .metrics = {{"longest",
                                                 [](const Memory&, const Sequences& s) {
                                                   return tensor(static_cast<double>(s.values.dim(1)));
                                                 }}},
                                    .progress = kSilent});
  EXPECT_NEAR(model.a.item(), 0.7, 0.1);
  EXPECT_EQ(result.steps, 240);
  EXPECT_EQ(result.history.back().measured_on, train::MeasuredOn::validation);
}

TEST(Feeds, BatchesOfUnequalSequencesResumeBitForBit) {
  const TemporaryFolder folder;
  train::FitOptions<Memory, Sequences> options{.epochs = 2,
                                               .seed = 3,
                                               .accumulate = 2,
                                               .out = folder / "whole",
                                               .resume = true,
                                               .figures = false,
                                               .progress = kSilent};
  Memory whole;
  optim::Adam of_whole(whole, {.lr = 0.05});
  ASSERT_EQ(learn_memory(whole, of_whole, options).steps, 6);
  for (std::int64_t at = 1; at <= 6; ++at) {
    options.out = folder / std::to_string(at);
    for (const bool stops : {true, false}) {
      Memory model;
      optim::Adam adam(model, {.lr = 0.05});
      options.on_step = [&](train::StepReport& report) { report.stop = stops && report.step == at; };
      learn_memory(model, adam, options);
      if (stops) continue;
      EXPECT_TRUE(same_bits(model, whole)) << at;
      EXPECT_TRUE(same_bits(adam, of_whole)) << at;
    }
  }
}

TEST(Feeds, OfADatasetAreItsBatches) {
  const data::Dataset rows = testing::three_classes(10, 1);
  const Rng key(7);
  const data::Feed<data::Batch> feed = data::feed(rows, {.batch = 4});
  EXPECT_EQ(feed.batches(), 3);
  for (std::int64_t first = 0; first <= 3; ++first) {
    const auto next = feed.open(key, first);
    for (std::int64_t i = first; i < 3; ++i)
      EXPECT_TRUE(array_equal(next().x, rows.batches(4, key)[i].x)) << first << " " << i;
    expect_refusal([&] { next(); }, "[feed] the epoch has no more batches");
  }
  expect_refusal([&] { data::feed(rows, {.batch = 11, .drop_last = true}); },
                 "[feed] an epoch needs at least one batch, got 0");
}

struct Plane {
  Tensor weight = zeros({3}, DType::f64);
  LIKELY_PARTS(weight)
};
data::Dataset rows_of_plane() {
  const Tensor x = Rng(1).normal({30, 3}, 0.0, 1.0, DType::f64);
  return {x, matmul(x, tensor({1.0, -2.0, 0.5})) + Rng(2).normal({30}, 0.0, 0.3, DType::f64)};
}
constexpr auto kLogCosh = [](auto& model, const data::Batch& batch) {
  const Tensor residual = matmul(batch.x, model.weight) - batch.y;
  return mean(softplus(2.0 * residual) - residual - std::log(2.0));
};

train::FitResult<Plane> fit_plane(Plane& model, train::FitOptions<Plane> options) {
  optim::Lbfgs lbfgs;
  options.progress = kSilent;
  options.figures = false;
  return train::fit(model, lbfgs, {.train = rows_of_plane()}, kLogCosh, options);
}

TEST(WholeData, LbfgsConvergesInTheEngine) {
  Plane model;
  const auto result = fit_plane(model, {.epochs = 1000, .batch = 4});
  EXPECT_EQ(result.stopped, train::Stopped::converged);
  EXPECT_LT(result.steps, 40);
  EXPECT_EQ(std::ssize(result.history), result.steps);
  const auto slope = grad(model, [&](const Plane& m) { return kLogCosh(m, rows_of_plane().all()); });
  EXPECT_LT(max(abs(slope.weight)).item(), 1e-6);
  // The same as without the engine.
  Plane alone;
  optim::Lbfgs lbfgs;
  const data::Batch all = rows_of_plane().all();
  while (!lbfgs.step(alone, [&](const Plane& m) { return kLogCosh(m, all); }).converged) continue;
  EXPECT_TRUE(array_equal(model.weight, alone.weight));
}

TEST(WholeData, LbfgsResumesBitForBit) {
  const TemporaryFolder folder;
  Plane whole;
  const auto result = fit_plane(whole, {.epochs = 1000, .out = folder / "whole", .resume = true});
  ASSERT_GT(result.steps, 4);
  for (std::int64_t at = 1; at <= result.steps; ++at) {
    const auto here = folder / std::to_string(at);
    Plane first;
    fit_plane(first, {.epochs = 1000,
                      .on_step = [&](train::StepReport& report) { report.stop = report.step == at; },
                      .out = here,
                      .resume = true});
    Plane second;
    const auto resumed = fit_plane(second, {.epochs = 1000, .out = here, .resume = true});
    EXPECT_TRUE(same_bits(second, whole)) << at;
    EXPECT_EQ(resumed.steps, result.steps) << at;
    EXPECT_EQ(resumed.stopped, train::Stopped::converged) << at;
    EXPECT_EQ(resumed.history.size(), result.history.size()) << at;
  }
}

TEST(WholeData, RefusesWhatNeedsOneGradient) {
  Plane model;
  expect_refusal([&] { fit_plane(model, {.epochs = 1, .accumulate = 2}); },
                 "[fit] an optimizer that evaluates the loss itself cannot accumulate gradients");
  expect_refusal([&] { fit_plane(model, {.epochs = 1, .clip_norm = 1.0}); },
                 "[fit] an optimizer that evaluates the loss itself cannot clip its gradients");
}

}  // namespace
}  // namespace likely
