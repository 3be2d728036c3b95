#include "likely/models/tables/table_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/tables/experiment.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
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
  const Tensor z = encoder.apply(schema, x, Reader::network);
  EXPECT_TRUE(array_equal(encoder.apply(schema, x, Reader::linear), z));
  // n: 1, 3, 4, 8 with mean 4 and variance 26 / 4.
  EXPECT_NEAR(z.at({0, 0}), -3 / std::sqrt(6.5), 1e-6);
  EXPECT_NEAR(z.at({2, 0}), 0.0, 1e-6);
  // a: 1, 0, 1, 0.
  EXPECT_NEAR(z.at({0, 1}), 1.0, 1e-6);
  EXPECT_NEAR(z.at({3, 1}), -1.0, 1e-6);
  // What was never seen is drawn in to 8 and a tenth of 7 more, for a line only what is 20 times 7 away; and
  // an unknown word is none of them.
  const Tensor beyond = tensor(std::vector<double>{100, 2, 1e9, 2}, {2, 2});
  const Tensor far = encoder.apply(schema, beyond, Reader::network);
  EXPECT_NEAR(far.at({0, 0}), 4.7 / std::sqrt(6.5), 1e-6);
  EXPECT_NEAR(far.at({1, 0}), 4.7 / std::sqrt(6.5), 1e-6);
  EXPECT_NEAR(far.at({0, 1}), -1.0, 1e-6);
  const Tensor on_a_line = encoder.apply(schema, beyond, Reader::linear);
  EXPECT_NEAR(on_a_line.at({0, 0}), 96 / std::sqrt(6.5), 1e-5);
  EXPECT_NEAR(on_a_line.at({1, 0}), 4.7 / std::sqrt(6.5), 1e-6);
  // Large numbers keep their digits.
  const Schema one{.inputs = {{.name = "t"}}, .target = "y"};
  const Tensor late = tensor(std::vector<double>{1e9, 1e9 + 1, 1e9 + 2}, {3, 1});
  EXPECT_NEAR(Encoder::fit(one, late).apply(one, late, Reader::linear).at({2, 0}), std::sqrt(1.5), 1e-6);
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

// Of 100 zeros, 3 ones and a 20, the last is 20 - 23/104 above the mean. Only networks get its logarithm.
TEST(Encoder, ShortensTailsForNetworks) {
  std::vector<double> values(104, 0.0);
  values[4] = values[5] = values[6] = 1.0;
  values[9] = 20.0;
  const Schema schema{.inputs = {{.name = "n"}}, .target = "y"};
  const Tensor x = tensor(values, {104, 1});
  const double mean = 23.0 / 104.0;
  const double far = (20.0 - mean) / std::sqrt(403.0 / 104.0 - mean * mean);
  const Encoder encoder = Encoder::fit(schema, x);
  EXPECT_NEAR(encoder.apply(schema, x, Reader::linear).at({9, 0}), far, 1e-5);
  EXPECT_NEAR(encoder.apply(schema, x, Reader::network).at({9, 0}), 5.0 + std::log(1.0 + far - 5.0), 1e-6);
  EXPECT_EQ(encoder.apply(schema, x, Reader::network).at({4, 0}),
            encoder.apply(schema, x, Reader::linear).at({4, 0}));
}

TEST(Encoder, HasMeansOfTheLargestNumbers) {
  const double most = std::numeric_limits<double>::max();
  const Schema schema{.inputs = {{.name = "n"}}, .target = "y"};
  const Tensor x = tensor(std::vector<double>{-most, most, most, kMissing}, {4, 1});
  const Encoder encoder = Encoder::fit(schema, x);
  EXPECT_NEAR(encoder.fill.at({0}) / most, 1.0 / 3, 1e-12);
  for (const double z : encoder.apply(schema, x, Reader::linear).to_vector<double>())
    EXPECT_LE(std::abs(z), 5.0);
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

// Least squares leaves 0.01 / (var(x) 9 + 0.01) of the variance; so does a model that follows x wherever it
// goes.
TEST(TableModel, LearnsALineFromALongTail) {
  Rng rng(4);
  Rows rows = numbers(400, 2, rng.split());
  rows.x = exp(rows.x * 2.0);
  rows.y = select(rows.x, 1, 0) * 3.0 + rng.normal({400}, 0.0, 0.1, DType::f64);
  ModelOptions options = kQuick;
  options.epochs = 200;
  const auto judged = fit_folds(rows, 4, options, 1);
  EXPECT_GT(main_figure(score(*judged, rows.y)), 0.98);
}

// One number that is wrong, among the inputs or the targets, hides nothing of all others.
TEST(TableModel, LearnsBesideAWildNumber) {
  for (const double wild : {1e4, 1e6, -1e30, 1e160, 1e300}) {
    const Rows plain = line(200);
    Rows rows = plain;
    rows.x = plain.x.copy();
    rows.x.set({77, 0}, wild);
    const auto judged = fit_folds(rows, 4, kQuick, 1);
    EXPECT_GT(main_figure(score(*judged, rows.y)), 0.85) << wild;
    rows = plain;
    rows.y = plain.y.copy();
    rows.y.set({77}, wild);
    const auto fitted = fit_rows(rows, kQuick, 1);
    EXPECT_GT(main_figure(score({{fitted->model, plain}}, plain.y)), 0.85) << wild;
  }
}

TEST(TableModel, TellsWhatItDrawsIn) {
  Rows rows = line(100);
  const auto fitted = fit_rows(rows, kQuick, 1);
  TableModel model = fitted->model;
  for (std::int64_t row = 0; row < rows.size(); ++row) rows.lines.push_back(row + 2);
  EXPECT_EQ(model.drawn_in(rows), "");
  const double low = min(select(rows.x, 1, 1)).item();
  const double high = max(select(rows.x, 1, 1)).item();
  Rows far = pick(rows, {3, 4, 5});
  far.x = far.x.copy();
  far.x.set({0, 2}, kMissing);
  far.x.set({1, 1}, 50.0);
  far.x.set({2, 0}, 1e9);
  const std::string where = fmt::format(
      " outside of what the model learned from, the first {} in line {}, column \"x{}\" (from {:.4g} to "
      "{:.4g}): "
      "drawn in to the ends",
      50, 6, 1, low, high);
  model.weight = tensor(0.5, DType::f64);
  EXPECT_EQ(model.drawn_in(far), "2 numbers" + where);
  // A line goes on, but not everywhere.
  model.weight = tensor(0.0, DType::f64);
  const double first = min(select(rows.x, 1, 0)).item();
  const double last = max(select(rows.x, 1, 0)).item();
  EXPECT_EQ(
      model.drawn_in(far),
      fmt::format("1 number outside of what the model learned from, the first 1000000000 in line 7, column "
                  "\"x0\" (from {:.4g} to {:.4g}): drawn in to the ends",
                  first, last));
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
