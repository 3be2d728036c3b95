// The loop itself: what it computes, when it stops, what it tells, what it refuses.
#include "likely/train/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::kCrossEntropy;
using testing::same_bits;
using testing::SmallNetwork;
using testing::three_classes;
using Options = train::FitOptions<SmallNetwork>;

constexpr auto kSilent = train::Progress::silent;

template <class Optimizer>
void expect_the_bare_loop(const auto& optimizer_options) {
  const data::Dataset rows = three_classes(70, 1);
  SmallNetwork bare(Rng(5));
  Optimizer bare_optimizer(bare, optimizer_options);
  std::vector<double> losses;
  Rng rng(9);
  const Rng order = rng.split();
  const Rng noise = rng.split();
  std::uint64_t n = 0;
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    for (const data::Batch& batch : rows.batches(16, order.fold_in(epoch))) {
      const auto [loss, gradient] = value_and_grad(
          bare, [&](SmallNetwork& m) { return kCrossEntropy(m, batch, Training(noise.fold_in(n))); });
      bare_optimizer.step(bare, gradient);
      losses.push_back(loss.item());
      ++n;
    }
  }

  const int threads_before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    SmallNetwork model(Rng(5));
    Optimizer optimizer(model, optimizer_options);
    std::vector<double> seen;
    const auto result = train::fit(model, optimizer, {.train = rows}, kCrossEntropy,
                                   {.epochs = 4,
                                    .batch = 16,
                                    .seed = 9,
                                    .prefetch = count - 1,
                                    .on_step = [&](const train::StepReport& s) { seen.push_back(s.loss); },
                                    .progress = kSilent});
    EXPECT_EQ(seen, losses) << count << " threads";
    EXPECT_TRUE(same_bits(model, bare)) << count << " threads";
    EXPECT_TRUE(same_bits(optimizer, bare_optimizer)) << count << " threads";
    EXPECT_EQ(result.steps, 20);
    EXPECT_EQ(result.epochs, 4);
  }
  set_threads(threads_before);
}

TEST(Fit, IsTheBareLoopBitForBit) {
  expect_the_bare_loop<optim::Sgd>(optim::SgdOptions{.lr = 0.05, .momentum = 0.9});
  expect_the_bare_loop<optim::Adam>(optim::AdamOptions{.lr = 0.01});
}

TEST(Fit, LearnsAndReportsEveryEpoch) {
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.02});
  const data::Dataset held_out = three_classes(200, 2);
  const auto result =
      train::fit(model, adam, {.train = three_classes(400, 1), .validation = held_out}, kCrossEntropy,
                 {.epochs = 12,
                  .batch = 50,
                  .seed = 1,
                  .metrics = {{"accuracy", train::accuracy}},
                  .progress = kSilent});
  ASSERT_EQ(result.history.size(), 12U);
  const train::EpochReport& last = result.history.back();
  EXPECT_EQ(last.epoch, 12);
  EXPECT_EQ(last.step, 96);
  EXPECT_EQ(last.measured_on, train::MeasuredOn::validation);
  ASSERT_EQ(last.measured.size(), 2U);
  EXPECT_EQ(last.measured[0].first, "loss");
  EXPECT_EQ(last.measured[1].first, "accuracy");
  EXPECT_EQ(last["accuracy"], last.measured[1].second);
  expect_refusal([&] { last["recall"]; },
                 "[EpochReport] \"recall\" was not measured; what was: loss, accuracy");
  // Counted by hand, in inference: no unit is dropped and the running statistics are used.
  const data::Batch all = held_out.all();
  EXPECT_NEAR(last.measured[0].second, softmax_cross_entropy(model(all.x), all.y).item(), 1e-6);
  EXPECT_NEAR(last.measured[1].second, mean(argmax(model(all.x), 1) == all.y).item(), 1e-6);
  EXPECT_GT(last.measured[1].second, 0.85);
  EXPECT_LT(last.loss, 0.5 * result.history.front().loss);
  EXPECT_EQ(train::evaluate(model, held_out, train::accuracy, 50), last.measured[1].second);
}

TEST(Accuracy, RefusesWhatItCannotJudge) {
  const auto accuracy = [](const Tensor& scores, const Tensor& labels) {
    return train::share_of_right_labels(scores, labels).item();
  };
  EXPECT_EQ(accuracy(tensor({{0.0, 1.0}, {2.0, 1.0}, {0.0, 3.0}}), tensor({1, 1, 1})), 2.0 / 3.0);
  expect_refusal(
      [&] {
        accuracy(tensor({{3.0}, {-2.0}}), tensor({1, 0}));
      },
      "[accuracy] outputs (2, 1) need a score for each of 2 classes or more");
  expect_refusal(
      [&] {
        accuracy(zeros({2, 3}), tensor({7, -1}));
      },
      "[accuracy] labels must be from 0 to 2, got -1 to 7");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(accuracy(tensor({{nan, nan}, {1.0, nan}, {1.0, 0.0}}), tensor({0, 1, 0})), 1.0 / 3.0);
}

TEST(Fit, TheEpochsLossIsTheMeanOverItsRows) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  std::vector<double> losses;
  const auto result = train::fit(model, sgd, {.train = three_classes(40, 1)}, kCrossEntropy,
                                 {.epochs = 1,
                                  .batch = 16,
                                  .on_step = [&](const train::StepReport& s) { losses.push_back(s.loss); },
                                  .progress = kSilent});
  ASSERT_EQ(losses.size(), 3U);
  EXPECT_NEAR(result.history[0].loss, (16 * losses[0] + 16 * losses[1] + 8 * losses[2]) / 40, 1e-12);
}

TEST(Fit, WithoutValidationMetricsAreTakenOnTheTrainingData) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  const data::Dataset rows = three_classes(40, 1);
  const auto result =
      train::fit(model, sgd, {.train = rows}, kCrossEntropy,
                 {.epochs = 2, .metrics = {{"accuracy", train::accuracy}}, .progress = kSilent});
  EXPECT_EQ(result.history[1].measured_on, train::MeasuredOn::training);
  ASSERT_EQ(result.history[1].measured.size(), 1U);
  EXPECT_NEAR(result.history[1].measured[0].second, train::evaluate(model, rows, train::accuracy), 1e-12);
}

TEST(Fit, TestDataAreMeasuredAndChooseNothing) {
  const testing::TemporaryFolder folder;
  const data::Dataset rows = three_classes(100, 1);
  // Labels that have nothing to do with the inputs: the longer one learns, the worse it gets on them.
  const data::Batch others = three_classes(100, 2).all();
  const data::Dataset noise(others.x, others.y + 1 - 3 * (others.y == 2).to(DType::i64));
  train::FitOptions<SmallNetwork> options{.epochs = 6,
                                          .metrics = {{"accuracy", train::accuracy}},
                                          .out = folder.path() / "run",
                                          .progress = kSilent};
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.02});
  const auto result = train::fit(model, adam, {.train = rows, .test = noise}, kCrossEntropy, options);
  EXPECT_EQ(result.history.back().measured_on, train::MeasuredOn::test);
  EXPECT_NEAR(result.history.back()["accuracy"], train::evaluate(model, noise, train::accuracy), 1e-12);
  EXPECT_GT(result.history.back()["loss"], result.history.front()["loss"]);
  EXPECT_EQ(result.best_epoch, 0);
  EXPECT_TRUE(same_bits(result.best, model));
  SmallNetwork kept(Rng(2));
  io::load(folder.path() / "run/best.safetensors", kept);
  EXPECT_TRUE(same_bits(kept, model));
  EXPECT_TRUE(std::isnan(result.best_value));
  const auto read = train::read_history(folder.path() / "run");
  EXPECT_EQ(read.back().measured_on, train::MeasuredOn::test);
  EXPECT_EQ(read.back()["accuracy"], result.history.back()["accuracy"]);
  // With the same data for validation, an early epoch is the best.
  SmallNetwork again(Rng(1));
  optim::Adam adam_again(again, {.lr = 0.02});
  options.out.clear();
  const auto chosen = train::fit(again, adam_again, {.train = rows, .validation = noise, .test = rows},
                                 kCrossEntropy, options);
  EXPECT_EQ(chosen.history.back().measured_on, train::MeasuredOn::validation);
  EXPECT_GT(chosen.best_epoch, 0);
  EXPECT_LT(chosen.best_epoch, 6);
  EXPECT_TRUE(same_bits(again, model));
}

TEST(Fit, RefusesToChooseByTestData) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  const data::Dataset rows = three_classes(40, 1);
  const auto fit_with = [&](const train::FitOptions<SmallNetwork>& options) {
    train::fit(model, sgd, {.train = rows, .test = rows}, kCrossEntropy, options);
  };
  expect_refusal([&] { fit_with({.epochs = 1, .monitor = "loss", .progress = kSilent}); },
                 "[fit] the monitor \"loss\" needs validation data: test data choose nothing");
  expect_refusal([&] { fit_with({.epochs = 1, .patience = 2, .progress = kSilent}); },
                 "[fit] patience needs something to monitor: validation data");
  optim::Plateau plateau({.lr = 0.1});
  expect_refusal([&] { fit_with({.epochs = 1, .plateau = &plateau, .progress = kSilent}); },
                 "[fit] a plateau needs something to monitor: validation data");
}

TEST(Fit, StopsAtTheStepsAskedForAndMeasuresThere) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  const auto result = train::fit(model, sgd, {.train = three_classes(40, 1)}, kCrossEntropy,
                                 {.steps = 7, .batch = 16, .progress = kSilent});
  EXPECT_EQ(result.steps, 7);
  EXPECT_EQ(result.epochs, 3);
  ASSERT_EQ(result.history.size(), 3U);
  EXPECT_EQ(result.history[2].step, 7);
  EXPECT_EQ(result.stopped, train::Stopped::finished);
}

TEST(Fit, AnEpochWithoutShufflingKeepsTheOrder) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  const data::Dataset rows = three_classes(10, 1);
  std::vector<double> firsts;
  train::fit(model, sgd, {.train = rows},
             [&](SmallNetwork& m, const data::Batch& b, const auto&...) {
               firsts.push_back(b.x.at({0, 0}));
               return softmax_cross_entropy(m(b.x), b.y);
             },
             {.epochs = 2, .batch = 5, .shuffle = false, .progress = kSilent});
  const Tensor x = rows.all().x;
  EXPECT_EQ(firsts, (std::vector<double>{x.at({0, 0}), x.at({5, 0}), x.at({0, 0}), x.at({5, 0})}));
}

struct Slope {
  Tensor weight = zeros({1, 2}, DType::f64);
  Tensor operator()(const Tensor& x) const { return linear(x, weight); }
  LIKELY_PARTS(weight)
};

data::Dataset line(std::int64_t rows) {
  const Tensor x = testing::numbers({rows, 2});
  return {x, matmul(x, tensor({{2.0}, {-1.0}}, DType::f64))};
}

constexpr auto kSquared = [](auto& m, const data::Batch& b) { return mean(square(m(b.x) - b.y)); };

TEST(Fit, AccumulatedBatchesAreOneLargeBatch) {
  Slope large;
  optim::Sgd by_large(large, {.lr = 0.3, .momentum = 0.9});
  train::fit(large, by_large, {.train = line(28)}, kSquared,
             {.epochs = 5, .batch = 12, .shuffle = false, .progress = kSilent});
  Slope small;
  optim::Sgd by_small(small, {.lr = 0.3, .momentum = 0.9});
  const auto result =
      train::fit(small, by_small, {.train = line(28)}, kSquared,
                 {.epochs = 5, .batch = 4, .shuffle = false, .accumulate = 3, .progress = kSilent});
  EXPECT_EQ(result.steps, 15);
  EXPECT_TRUE(allclose(small.weight, large.weight, 1e-12, 1e-14));
}

TEST(Fit, TheScheduleGivesEveryStepItsRate) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 123.0});
  std::vector<double> rates;
  train::fit(model, sgd, {.train = line(8)}, kSquared,
             {.steps = 4,
              .batch = 8,
              .schedule = [](std::int64_t step) { return 0.1 / static_cast<double>(step + 1); },
              .on_step = [&](const train::StepReport& s) { rates.push_back(s.lr); },
              .progress = kSilent});
  EXPECT_EQ(rates, (std::vector<double>{0.1, 0.1 / 2, 0.1 / 3, 0.1 / 4}));
  // Plain gradient descent with those rates, by hand.
  const data::Batch all = line(8).all();
  Tensor w = zeros({2, 1}, DType::f64);
  for (const double rate : rates) {
    const Tensor residual = matmul(all.x, w) - all.y;
    w -= matmul(transpose(all.x), residual) * (2.0 * rate / 8.0);
  }
  EXPECT_TRUE(allclose(transpose(model.weight), w, 1e-12, 1e-14));
}

TEST(Fit, ClipsTheWholeGradient) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 1.0});
  train::fit(model, sgd, {.train = line(8)}, kSquared,
             {.steps = 1, .batch = 8, .clip_norm = 1e-3, .progress = kSilent});
  EXPECT_NEAR(norm(model.weight).item(), 1e-3, 1e-12);
}

TEST(Fit, MeasuresAndKeepsTheAverage) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.3});
  optim::Average average(model);
  std::vector<Tensor> weights;
  const auto result =
      train::fit(model, sgd, {.train = line(8), .validation = line(4)}, kSquared,
                 {.steps = 4,
                  .batch = 8,
                  .average = &average,
                  .on_step = [&](const train::StepReport&) { weights.push_back(model.weight); },
                  .progress = kSilent});
  const Slope mean_model{(weights[0] + weights[1] + weights[2] + weights[3]) / 4.0};
  EXPECT_TRUE(allclose(average.model.weight, mean_model.weight, 1e-14, 1e-15));
  EXPECT_TRUE(array_equal(result.best.weight, average.model.weight));
  EXPECT_NEAR(result.history[3]["loss"], kSquared(mean_model, line(4).all()).item(), 1e-12);
}

TEST(Fit, AConstantLossLowersThePlateausRate) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.0});
  optim::Plateau plateau({.lr = 1.0, .factor = 0.5, .patience = 1});
  std::vector<double> rates;
  train::fit(model, sgd, {.train = line(8)},
             [](Slope& m, const data::Batch&) { return sum(m.weight) * 0.0 + 1.0; },
             {.epochs = 6,
              .batch = 8,
              .plateau = &plateau,
              .on_epoch = [&](const train::EpochReport& e) { rates.push_back(e.lr); },
              .progress = kSilent});
  // Epoch 1 sets the best; 2 and 3 are no better, so 4 has half the rate.
  EXPECT_EQ(rates, (std::vector<double>{1.0, 1.0, 1.0, 0.5, 0.5, 0.25}));
}

TEST(Fit, CallbacksMayStopIt) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.1});
  auto result = train::fit(model, sgd, {.train = line(8)}, kSquared,
                           {.epochs = 10,
                            .batch = 2,
                            .on_step = [](train::StepReport& s) { s.stop = s.step == 6; },
                            .progress = kSilent});
  EXPECT_EQ(result.steps, 6);
  EXPECT_EQ(result.stopped, train::Stopped::by_callback);
  EXPECT_EQ(name_of(result.stopped), "by a callback");
  result = train::fit(model, sgd, {.train = line(8)}, kSquared,
                      {.epochs = 10,
                       .batch = 2,
                       .on_epoch = [](train::EpochReport& e) { e.stop = e.epoch == 3; },
                       .progress = kSilent});
  EXPECT_EQ(result.steps, 12);
  EXPECT_EQ(result.stopped, train::Stopped::by_callback);
}

TEST(Fit, AnErrorIsToBeSmall) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.05});
  const auto result = train::fit(model, sgd, {.train = line(8), .validation = line(4)}, kSquared,
                                 {.epochs = 5,
                                  .metrics = {{"error", train::mean_squared_error}},
                                  .monitor = "error",
                                  .progress = kSilent});
  EXPECT_LT(result.history[4]["error"], result.history[0]["error"]);
  EXPECT_EQ(result.best_epoch, 5);
  EXPECT_EQ(result.best_value, result.history[4]["error"]);
  const auto own = [](const Slope&, const data::Batch& b) { return mean(b.x); };
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = line(8), .validation = line(4)}, kSquared,
                   {.epochs = 1, .metrics = {{"own", own}}, .monitor = "own", .progress = kSilent});
      },
      "[fit] say whether higher is better of \"own\", which is monitored: {\"own\", function, true} or "
      "false");
}

// A validation value that is told what to be: better up to epoch 3, then never again.
TEST(Fit, StopsEarlyAndReturnsTheBestModel) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.01});
  std::vector<Tensor> weights;
  std::int64_t epoch = 0;
  const std::vector<double> scores = {0.1, 0.4, 0.9, 0.2, 0.9, 0.5, 0.95};
  const auto result =
      train::fit(model, sgd, {.train = line(8), .validation = line(4)}, kSquared,
                 {.epochs = 100,
                  .batch = 4,
                  .metrics = {{"score",
                               [&](const Slope&, const data::Batch&) {
                                 return tensor(scores.at(static_cast<std::size_t>(epoch)), DType::f64);
                               },
                               true}},
                  .monitor = "score",
                  .patience = 3,
                  .on_epoch =
                      [&](const train::EpochReport& e) {
                        epoch = e.epoch;
                        weights.push_back(model.weight);
                      },
                  .progress = kSilent});
  EXPECT_EQ(result.stopped, train::Stopped::early);
  EXPECT_EQ(result.epochs, 6);
  EXPECT_EQ(result.best_epoch, 3);
  EXPECT_EQ(result.best_value, 0.9);
  EXPECT_TRUE(array_equal(result.best.weight, weights[2]));
  EXPECT_TRUE(array_equal(model.weight, weights[5]));  // the model itself stays where the last step left it
  EXPECT_FALSE(array_equal(model.weight, result.best.weight));
}

TEST(Fit, ALossThatOnlyKnowsTrainingLeavesValidationToTheMetrics) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  const auto loss = [](SmallNetwork& m, const data::Batch& b, const Training& t) {
    return softmax_cross_entropy(m(b.x, t), b.y);
  };
  const auto result =
      train::fit(model, sgd, {.train = three_classes(40, 1), .validation = three_classes(20, 2)}, loss,
                 {.epochs = 2, .metrics = {{"accuracy", train::accuracy}}, .progress = kSilent});
  EXPECT_EQ(result.history[0].measured.size(), 1U);
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = three_classes(40, 1), .validation = three_classes(20, 2)}, loss,
                   {.epochs = 2, .progress = kSilent});
      },
      "[fit] there is nothing to measure on the validation data: the loss only knows training. Write it as "
      "[](auto& model, const data::Batch& batch, const auto&... training), or give a metric");
}

TEST(Fit, AugmentsTrainingBatchesOnly) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.0});
  int augmented = 0;
  const data::Dataset rows = line(8).augment([&](data::Batch batch, Rng rng) {
    ++augmented;
    batch.x = batch.x + rng.normal(batch.x.shape(), 0.0, 10.0, DType::f64);
    return batch;
  });
  const auto result =
      train::fit(model, sgd, {.train = rows}, kSquared,
                 {.epochs = 3,
                  .batch = 4,
                  .metrics = {{"largest", [](const Slope&, const data::Batch& b) { return max(b.x); }}},
                  .progress = kSilent});
  EXPECT_EQ(augmented, 6);
  EXPECT_LE(result.history[2].measured[0].second, 1.0);
}

void expect_options_refused(const Options& options, const std::string& message) {
  SmallNetwork model(Rng(1));
  optim::Sgd sgd(model, {.lr = 0.1});
  expect_refusal([&] { train::fit(model, sgd, {.train = three_classes(10, 1)}, kCrossEntropy, options); },
                 message);
}

TEST(Fit, RefusesOptionsBeforeTraining) {
  expect_options_refused({}, "[fit] say how long to train: epochs, steps or both");
  expect_options_refused({.epochs = -1}, "[fit] epochs must be at least 0, got -1");
  expect_options_refused({.steps = -2}, "[fit] steps must be at least 0, got -2");
  expect_options_refused({.epochs = 1, .batch = 0}, "[fit] batch must be at least 1, got 0");
  expect_options_refused({.epochs = 1, .prefetch = -1}, "[fit] prefetch must be at least 0, got -1");
  expect_options_refused({.epochs = 1, .accumulate = 0}, "[fit] accumulate must be at least 1, got 0");
  expect_options_refused({.epochs = 1, .clip_norm = -1.0}, "[fit] clip_norm must be at least 0, got -1");
  expect_options_refused({.epochs = 1, .patience = -1}, "[fit] patience must be at least 0, got -1");
  expect_options_refused({.epochs = 1, .checkpoint_every = -1},
                         "[fit] checkpoint_every must be at least 0, got -1");
  expect_options_refused({.epochs = 1, .checkpoint_seconds = -1.0},
                         "[fit] checkpoint_seconds must be at least 0, got -1");
  expect_options_refused({.epochs = 1, .log_every = -1}, "[fit] log_every must be at least 0, got -1");
  optim::Plateau plateau;
  expect_options_refused({.epochs = 1, .schedule = [](std::int64_t) { return 0.1; }, .plateau = &plateau},
                         "[fit] a schedule and a plateau cannot both set the rate");
  expect_options_refused({.epochs = 1, .resume = true}, "[fit] resume needs the run folder: set out");
  expect_options_refused({.epochs = 1, .batch = 11, .drop_last = true},
                         "[fit] with drop_last, 10 rows make no batch of 11");
  expect_options_refused({.epochs = 1, .metrics = {{"accuracy", train::accuracy}}, .monitor = "recall"},
                         "[fit] the monitor \"recall\" is not measured; what is: loss, accuracy");
  expect_options_refused({.epochs = 1, .metrics = {{"", train::accuracy}}}, "[fit] a metric has no name");
  expect_options_refused(
      {.epochs = 1, .metrics = {{"empty", std::function<Tensor(const SmallNetwork&, const data::Batch&)>()}}},
      "[fit] the metric \"empty\" has no function");
  expect_options_refused({.epochs = 1, .metrics = {{"a", train::accuracy}, {"a", train::accuracy}}},
                         "[fit] two things are called \"a\": metrics need names of their own");
  expect_options_refused(
      {.epochs = 1, .schedule = [](std::int64_t) { return std::nan(""); }, .progress = kSilent},
      "[fit] the schedule gives nan as the learning rate of step 0");
  expect_options_refused(
      {.epochs = 1,
       .metrics = {{"rows", [](const SmallNetwork&, const data::Batch& b) { return b.x; }}},
       .progress = kSilent},
      "[fit] \"rows\" must be one number, got shape (10, 4)");
}

TEST(Fit, RefusesALossThatDoesNotUseTheModel) {
  Slope model;
  optim::Sgd sgd(model, {.lr = 0.1});
  const auto fit = [&](const auto& loss) {
    train::fit(model, sgd, {.train = line(8)}, loss, {.epochs = 2, .batch = 4, .progress = kSilent});
  };
  const Slope other = model;  // a copy that was captured by mistake
  const std::string message =
      "[fit] the loss does not depend on the model: it uses none of its parameters. It must be computed from "
      "the "
      "model that it is handed, by operations on tensors: item(), at() and data() read constants out";
  expect_refusal([&] { fit([&](Slope&, const data::Batch& b) { return kSquared(other, b); }); }, message);
  expect_refusal([&] { fit([](Slope& m, const data::Batch& b) {
                         return mean(b.y) * m.weight.at({0, 0});
                       }); },
                 message);
  // A derivative that is 0 is a derivative, and what is frozen needs none.
  fit([](Slope& m, const data::Batch&) { return sum(m.weight) * 0.0; });
  freeze(model);
  fit([&](Slope&, const data::Batch& b) { return kSquared(other, b); });
}

TEST(Metrics, RefuseWhatDoesNotFit) {
  SmallNetwork model(Rng(1));
  const Tensor x = zeros({5, 4});
  expect_refusal([&] { train::accuracy(model, {x, zeros({5})}); }, "[accuracy] labels must be i64, got f32");
  expect_refusal(
      [&] {
        train::accuracy(model, {x, zeros({5, 1}, DType::i64)});
      },
      "[accuracy] outputs (5, 3) do not fit labels (5, 1)");
  expect_refusal([&] { train::accuracy(model, {x, {}}); }, "[accuracy] the data have no labels");
  expect_refusal(
      [&] {
        train::mean_squared_error(model, {x, zeros({5})});
      },
      "[mean_squared_error] outputs have shape (5, 3), targets (5,)");
  EXPECT_EQ(train::mean_squared_error([](const Tensor& t) { return t; }, {x, ones({5, 4})}).item(), 1.0);
}

}  // namespace
}  // namespace likely
