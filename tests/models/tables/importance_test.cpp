#include "likely/models/tables/importance.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"

namespace likely::tables {
namespace {

const ModelOptions kQuick{
    .hidden = {16}, .members = 2, .epochs = 40, .patience = 10, .lr = 1e-2, .weight_decay = {0.1}};

// y = 3 a - b + noise of so many columns, a and b among them, of which the first holds words.
Rows line(std::int64_t count, std::size_t columns, std::size_t a, std::size_t b) {
  Rng rng(1);
  Rows rows;
  for (std::size_t i = 0; i < columns; ++i) rows.schema.inputs.push_back({.name = "x" + std::to_string(i)});
  rows.schema.inputs[0].holds_words = true;
  rows.schema.inputs[0].words = {"no", "perhaps", "yes"};
  rows.schema.target = "y";
  rows.x = rng.normal({count, static_cast<std::int64_t>(columns)}, 0.0, 1.0, DType::f64);
  for (std::int64_t i = 0; i < count; ++i) {
    rows.x.set({i, 0}, static_cast<double>(i % 3));
    rows.numbers.push_back(i);
  }
  rows.y = select(rows.x, 1, static_cast<std::int64_t>(a)) * 3.0 -
           select(rows.x, 1, static_cast<std::int64_t>(b)) + rng.normal({count}, 0.0, 0.1, DType::f64);
  return rows;
}

using Places = std::vector<std::size_t>;

TEST(Importance, IsWhatShufflingAColumnCosts) {
  const Halves halves = hold_out(line(300, 4, 1, 2), 0.25, 1);
  const auto fitted = fit_rows(halves.train, kQuick, 1);
  const auto importance = permutation_importance({{fitted->model, *halves.held_out}}, {1, 2, 3}, 5, Rng(1));
  ASSERT_EQ(importance.size(), 3U);
  EXPECT_EQ(importance[0].column, "x1");
  EXPECT_EQ(importance[1].column, "x2");
  // Shuffling x1 adds 2 * 9 var(x1) to the squared error of y, whose variance is about 10.
  EXPECT_NEAR(importance[0].value, 1.8, 0.5);
  EXPECT_NEAR(importance[2].value, 0.0, 0.01);
}

TEST(Importance, IsTakenOverFolds) {
  const auto judged = fit_folds(line(61, 4, 1, 2), 3, kQuick, 1);
  const auto importance = permutation_importance(*judged, {0, 1, 2, 3}, 5, Rng(1));
  EXPECT_EQ(importance[0].column, "x1");
  EXPECT_NEAR(importance[3].value, 0.0, 0.05);
}

TEST(Importance, IsTriedOnTheHeaviestColumns) {
  const auto judged = fit_folds(line(90, 30, 7, 21), 3, kQuick, 1);
  const Places two = heaviest_columns(*judged, 2);
  EXPECT_EQ(two, (Places{7, 21}));
  EXPECT_EQ(heaviest_columns(*judged, 1), Places{7});
  EXPECT_EQ(heaviest_columns(*judged, 30).size(), 30U);
  EXPECT_EQ(heaviest_columns(*judged, 100).back(), 29U);
  const auto importance = permutation_importance(*judged, two, 2, Rng(1));
  ASSERT_EQ(importance.size(), 2U);
  EXPECT_EQ(importance[1].column, "x21");
}

TEST(Importance, EndsWhenItIsCancelled) {
  const auto judged = fit_folds(line(60, 5, 1, 2), 3, kQuick, 1);
  int asked = 0;
  const auto with_patience = [&](int patience) {
    asked = 0;
    permutation_importance(*judged, {0, 1, 2, 3, 4}, 2, Rng(1), [&] { return ++asked > patience; });
  };
  with_patience(10);
  EXPECT_EQ(asked, 10);  // at each shuffle
  for (const int patience : {0, 3, 9}) {
    EXPECT_THROW(with_patience(patience), Cancelled);
    EXPECT_EQ(asked, patience + 1);
  }
}

}  // namespace
}  // namespace likely::tables
