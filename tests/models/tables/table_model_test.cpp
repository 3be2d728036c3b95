#include "likely/models/tables/table_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/tables/experiment.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::tables {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

const double kMissing = std::numeric_limits<double>::quiet_NaN();

Rows numbers(std::int64_t count, std::int64_t columns, Rng rng) {
  Rows rows;
  for (std::int64_t i = 0; i < columns; ++i) rows.schema.inputs.push_back({.name = "x" + std::to_string(i)});
  rows.schema.target = "y";
  rows.x = rng.normal({count, columns}, 0.0, 1.0, DType::f64);
  for (std::int64_t i = 0; i < count; ++i) rows.numbers.push_back(i);
  return rows;
}

// y = 3 x0 - x1 + noise: a straight line.
Rows line(std::int64_t count) {
  Rng rng(1);
  Rows rows = numbers(count, 3, rng.split());
  rows.y = select(rows.x, 1, 0) * 3.0 - select(rows.x, 1, 1) + rng.normal({count}, 0.0, 0.1, DType::f64);
  return rows;
}

// Two classes in a ring: no line divides them.
Rows ring(std::int64_t count) {
  Rows rows = numbers(count, 2, Rng(2));
  rows.schema.classes = {"in", "out"};
  rows.y = (sum(square(rows.x), 1) > 1.4).to(DType::i64);
  return rows;
}

const ModelOptions kQuick{
    .hidden = {16}, .members = 2, .epochs = 40, .patience = 10, .lr = 1e-2, .weight_decay = {0.1}};

TEST(Encoder, FillsExpandsAndStandardises) {
  const Schema schema{.inputs = {{.name = "n"}, {.name = "w", .holds_words = true, .words = {"a", "b", "c"}}},
                      .target = "y"};
  const Tensor x = tensor(std::vector<double>{1, 0, 3, 1, kMissing, 0, 8, kMissing}, {4, 2});
  const Encoder encoder = Encoder::fit(schema, x);
  EXPECT_EQ(encoder.features(), 3);  // n, w = a, w = b; nobody is c
  EXPECT_EQ(encoder.fill.at({0}), 4.0);
  const Tensor z = encoder.apply(schema, x);
  // n: 1, 3, 4, 8 with mean 4 and variance 26 / 4.
  EXPECT_NEAR(z.at({0, 0}), -3 / std::sqrt(6.5), 1e-6);
  EXPECT_NEAR(z.at({2, 0}), 0.0, 1e-6);
  // a: 1, 0, 1, 0.
  EXPECT_NEAR(z.at({0, 1}), 1.0, 1e-6);
  EXPECT_NEAR(z.at({3, 1}), -1.0, 1e-6);
  // What was never seen is drawn in, and an unknown word is none of them.
  const Tensor far = encoder.apply(schema, tensor(std::vector<double>{1e9, 2}, {1, 2}));
  EXPECT_EQ(far.at({0, 0}), Encoder::kFarthest);
  EXPECT_NEAR(far.at({0, 1}), -1.0, 1e-6);
  // Large numbers keep their digits.
  const Schema one{.inputs = {{.name = "t"}}, .target = "y"};
  const Tensor late = tensor(std::vector<double>{1e9, 1e9 + 1, 1e9 + 2}, {3, 1});
  EXPECT_NEAR(Encoder::fit(one, late).apply(one, late).at({2, 0}), std::sqrt(1.5), 1e-6);
  expect_refusal(
      [&] {
        Encoder::fit(one, zeros({3, 1}, DType::f64));
      },
      "[csv] no input changes from row to row: there is nothing to learn from");
}

// A column or a target in another unit is the same column: as a power of two, to the last bit.
TEST(TableModel, LearnsTheSameInAnyUnit) {
  const Rows plain = line(60);
  const auto fitted = fit_model(plain.schema, plain.x, plain.y, kQuick, Rng(3));
  const Tensor said = fitted->model.predict(plain.x);
  for (const int power : {-700, -530, 530, 700}) {
    Rows rows = plain;
    const double size = std::ldexp(1.0, power);
    rows.x = plain.x * tensor({size, 1.0, 1.0}, DType::f64);
    rows.y = plain.y * size;
    const auto scaled = fit_model(rows.schema, rows.x, rows.y, kQuick, Rng(3));
    EXPECT_TRUE(array_equal(scaled->model.predict(rows.x) / size, said)) << power;
    EXPECT_EQ(scaled->losses.blend, fitted->losses.blend) << power;
  }
}

TEST(Encoder, HasMeansOfTheLargestNumbers) {
  const double most = std::numeric_limits<double>::max();
  const Schema schema{.inputs = {{.name = "n"}}, .target = "y"};
  const Tensor x = tensor(std::vector<double>{-most, most, most, kMissing}, {4, 1});
  const Encoder encoder = Encoder::fit(schema, x);
  EXPECT_NEAR(encoder.fill.at({0}) / most, 1.0 / 3, 1e-12);
  for (const double z : encoder.apply(schema, x).to_vector<double>())
    EXPECT_LE(std::abs(z), Encoder::kFarthest);
}

// Targets as far apart as numbers can be: what is said is a number, too.
TEST(TableModel, SaysNumbersOfTheLargestTargets) {
  Rows rows = line(60);
  std::vector<double> y = rows.y.to_vector<double>();
  for (double& value : y) value = value > 0.0 ? 1.7e308 : -1.7e308;
  rows.y = tensor(y);
  const auto fitted = fit_model(rows.schema, rows.x, rows.y, kQuick, Rng(3));
  for (const double said : fitted->model.predict(rows.x).to_vector<double>())
    EXPECT_TRUE(std::isfinite(said)) << said;
}

TEST(TableModel, LearnsALine) {
  const Halves halves = hold_out(line(300), 0.25, 1);
  const auto fitted = fit_rows(halves.train, kQuick, 1);
  ASSERT_TRUE(fitted);
  const auto scores = std::get<NumberScores>(score({{fitted->model, *halves.held_out}}, halves.train.y));
  // The best there is has 1 - .01 / 10.
  EXPECT_GT(scores.r2, 0.99);
  EXPECT_NEAR(scores.mean_r2, 0.0, 0.1);
}

TEST(TableModel, LearnsWhatNoLineDivides) {
  const Halves halves = hold_out(ring(800), 0.25, 1);
  const auto fitted = fit_rows(halves.train, kQuick, 1);
  ASSERT_TRUE(fitted);
  const auto scores = std::get<ClassScores>(score({{fitted->model, *halves.held_out}}, halves.train.y));
  EXPECT_GT(scores.accuracy, 0.9);
  EXPECT_LT(scores.majority_accuracy, 0.6);
  EXPECT_LT(fitted->losses.network, fitted->losses.linear);
  EXPECT_LE(fitted->losses.blend, fitted->losses.network);
  EXPECT_GT(fitted->model.weight.item(), 0.8);
}

TEST(TableModel, IsSavedAndLoaded) {
  const TemporaryFolder folder;
  const Rows rows = ring(100);
  const auto fitted = fit_rows(rows, kQuick, 1);
  fitted->model.save(folder.path());
  EXPECT_EQ(folder.list(), "columns.json model.safetensors");
  const TableModel loaded = TableModel::load(folder.path());
  EXPECT_TRUE(array_equal(loaded.predict(rows.x), fitted->model.predict(rows.x)));
  const Rows regression = line(100);
  const auto other = fit_rows(regression, kQuick, 1);
  other->model.save(folder.path());
  EXPECT_TRUE(
      array_equal(TableModel::load(folder.path()).predict(regression.x), other->model.predict(regression.x)));
}

// Rows that are held out change nothing of the model, whatever they hold.
TEST(TableModel, NeverSeesRowsThatAreHeldOut) {
  const Rows rows = line(120);
  Halves halves = hold_out(rows, 0.25, 3);
  const auto before = fit_rows(halves.train, kQuick, 3);
  Rows changed = rows;
  changed.x = rows.x.copy();
  for (const std::int64_t row : halves.held_out->numbers) changed.x.set({row, 0}, 1e6);
  const Halves other = hold_out(changed, 0.25, 3);
  EXPECT_EQ(other.held_out->numbers, halves.held_out->numbers);
  const auto after = fit_rows(other.train, kQuick, 3);
  EXPECT_TRUE(array_equal(before->model.predict(rows.x), after->model.predict(rows.x)));
}

TEST(TableModel, IsTheSameForAnyNumberOfThreads) {
  const Rows rows = ring(200);
  const int before = threads();
  set_threads(1);
  const Tensor one = fit_rows(rows, kQuick, 1)->model.predict(rows.x);
  set_threads(3);
  const Tensor three = fit_rows(rows, kQuick, 1)->model.predict(rows.x);
  set_threads(before);
  EXPECT_TRUE(array_equal(one, three));
  EXPECT_FALSE(array_equal(one, fit_rows(rows, kQuick, 2)->model.predict(rows.x)));
}

TEST(TableModel, RefusesTooFewRowsAndBadOptions) {
  expect_refusal([] { fit_rows(line(9), kQuick, 1); },
                 "[csv] at least 10 rows are needed to learn from, there are 9");
  expect_refusal([] { fit_rows(line(20), {.hidden = {0}}, 1); }, "[csv] hidden must be at least 1, got 0");
  expect_refusal([] { fit_rows(line(20), {.hidden = {}}, 1); }, "[csv] at least one hidden layer is needed");
  expect_refusal([] { fit_rows(line(20), {.lr = -1}, 1); }, "[csv] lr must be at least 0, got -1");
}

// Too strong a decay keeps a line from its slope.
TEST(TableModel, ChoosesTheWeightDecay) {
  const Rows rows = line(200);
  ModelOptions options = kQuick;
  options.weight_decay = {100.0};
  const double strong = fit_rows(rows, options, 1)->losses.blend;
  options.weight_decay = {0.01};
  const double weak = fit_rows(rows, options, 1)->losses.blend;
  options.weight_decay = {100.0, 0.01};
  EXPECT_LT(weak, 0.1 * strong);
  EXPECT_EQ(fit_rows(rows, options, 1)->losses.blend, weak);
  options.weight_decay = {};
  expect_refusal([&] { fit_rows(rows, options, 1); }, "[csv] at least one weight_decay is needed");
}

TEST(Experiment, JudgesByFolds) {
  const Rows rows = line(61);
  const auto judged = fit_folds(rows, 3, kQuick, 1);
  ASSERT_TRUE(judged);
  ASSERT_EQ(judged->size(), 3U);
  EXPECT_GT(main_figure(score(*judged, rows.y)), 0.9);
  std::vector<std::int64_t> seen;
  for (const Judged& fold : *judged)
    seen.insert(seen.end(), fold.rows.numbers.begin(), fold.rows.numbers.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, rows.numbers);
  const auto importance = permutation_importance(*judged, 5, Rng(1));
  EXPECT_EQ(importance[0].column, "x0");
  EXPECT_NEAR(importance[2].value, 0.0, 0.05);
}

// A fold's own rows change nothing of the model that judges them.
TEST(Experiment, FoldsNeverSeeTheirOwnRows) {
  const Rows rows = line(60);
  const auto before = fit_folds(rows, 3, kQuick, 1);
  Rows changed = rows;
  changed.x = rows.x.copy();
  for (const std::int64_t row : (*before)[1].rows.numbers) changed.x.set({row, 0}, 1e6);
  const auto after = fit_folds(changed, 3, kQuick, 1);
  EXPECT_EQ((*after)[1].rows.numbers, (*before)[1].rows.numbers);
  EXPECT_TRUE(array_equal((*before)[1].model.predict(rows.x), (*after)[1].model.predict(rows.x)));
  EXPECT_FALSE(array_equal((*before)[0].model.predict(rows.x), (*after)[0].model.predict(rows.x)));
}

TEST(Experiment, KnowsWhichColumnsMatter) {
  const Halves halves = hold_out(line(300), 0.25, 1);
  const auto fitted = fit_rows(halves.train, kQuick, 1);
  const auto importance = permutation_importance({{fitted->model, *halves.held_out}}, 5, Rng(1));
  ASSERT_EQ(importance.size(), 3U);
  EXPECT_EQ(importance[0].column, "x0");
  EXPECT_EQ(importance[1].column, "x1");
  // Shuffling x0 adds 2 * 9 var(x0) to the squared error of y, whose variance is about 10.
  EXPECT_NEAR(importance[0].value, 1.8, 0.5);
  EXPECT_NEAR(importance[2].value, 0.0, 0.01);
}

// Fewer members and epochs than by default, which docs/command.md measures: a test has to be quick.
TEST(Experiment, LearnsWine) {
  LIKELY_SHARED_DATA(toys, "sklearn_toy");
  const Rows rows = read_table({.file = toys / "wine_data.csv"});
  const Halves halves = hold_out(rows, 0.25, 3);
  EXPECT_EQ(halves.held_out->size(), 44);
  const auto fitted = fit_rows(halves.train, {.members = 3, .epochs = 60, .weight_decay = {0.1}}, 3);
  const auto scores = std::get<ClassScores>(score({{fitted->model, *halves.held_out}}, halves.train.y));
  EXPECT_GT(scores.accuracy, 0.93);
}

}  // namespace
}  // namespace likely::tables
