#include "likely/models/tables/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::tables {
namespace {

using testing::expect_refusal;

TEST(Scores, OfClassesByHand) {
  const Tensor p = tensor({{0.7, 0.2, 0.1}, {0.1, 0.6, 0.3}, {0.5, 0.4, 0.1}, {0.2, 0.2, 0.6}}, DType::f64);
  const ClassScores scores = score_classes(p, tensor({0, 1, 1, 2}), tensor({1, 1, 0, 2}));
  EXPECT_DOUBLE_EQ(scores.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(scores.log_loss, -(std::log(0.7) + std::log(0.6) + std::log(0.4) + std::log(0.6)) / 4);
  // F1: class 0 has 1 hit of 2 said and 1 true, class 1 1 of 1 and 2, class 2 1 of 1 and 1.
  EXPECT_DOUBLE_EQ(scores.macro_f1, (2.0 / 3 + 2.0 / 3 + 1.0) / 3);
  EXPECT_TRUE(array_equal(scores.confusion, tensor({{1, 0, 0}, {1, 1, 0}, {0, 0, 1}})));
  EXPECT_DOUBLE_EQ(scores.majority_accuracy, 0.5);
  EXPECT_DOUBLE_EQ(scores.majority_log_loss, -(2 * std::log(0.25) + 2 * std::log(0.5)) / 4);
}

TEST(Scores, LeaveOutClassesThatDoNotOccur) {
  const Tensor p = tensor({{0.7, 0.3, 0.0}, {0.1, 0.9, 0.0}}, DType::f64);
  const ClassScores scores = score_classes(p, tensor({0, 1}), tensor({0, 1}));
  EXPECT_DOUBLE_EQ(scores.macro_f1, 1.0);
  // A class without training rows counts as half a row.
  EXPECT_NEAR(score_classes(p, tensor({2, 1}), tensor({0, 1})).majority_log_loss,
              -(std::log(0.5 / 2.5) + std::log(1 / 2.5)) / 2, 1e-12);
}

TEST(Scores, OfNumbersByHand) {
  const NumberScores scores =
      score_numbers(tensor({1.0, 2.0, 5.0}, DType::f64), tensor({1.0, 3.0, 5.0}, DType::f64),
                    tensor({2.0, 4.0}, DType::f64));
  EXPECT_DOUBLE_EQ(scores.r2, 1.0 - 1.0 / 8.0);
  EXPECT_DOUBLE_EQ(scores.rmse, std::sqrt(1.0 / 3));
  EXPECT_DOUBLE_EQ(scores.mae, 1.0 / 3);
  EXPECT_DOUBLE_EQ(scores.mean_r2, 0.0);
  EXPECT_DOUBLE_EQ(scores.mean_rmse, std::sqrt(8.0 / 3));
  EXPECT_DOUBLE_EQ(scores.mean_mae, 4.0 / 3);
}

TEST(Scores, OfNumbersOfAnySize) {
  for (const double size : {1e-310, 1e-200, 1e-160, 1e160, 1e200, 1e307}) {
    const auto times = [&](std::vector<double> values) {
      for (double& value : values) value *= size;
      return tensor(values);
    };
    const NumberScores scores =
        score_numbers(times({1.0, 2.0, 5.0}), times({1.0, 3.0, 5.0}), times({2.0, 4.0}));
    EXPECT_NEAR(scores.r2, 1.0 - 1.0 / 8.0, 1e-12) << size;
    EXPECT_NEAR(scores.rmse / size, std::sqrt(1.0 / 3), 1e-12) << size;
    EXPECT_NEAR(scores.mae / size, 1.0 / 3, 1e-12) << size;
    EXPECT_NEAR(scores.mean_r2, 0.0, 1e-12) << size;
    EXPECT_NEAR(scores.mean_rmse / size, std::sqrt(8.0 / 3), 1e-12) << size;
  }
}

// SciPy: binomtest(45, 50).proportion_ci(method="wilson").
TEST(Scores, IntervalOfAShareIsWilsons) {
  const auto [low, high] = interval_of_share(0.9, 50);
  EXPECT_NEAR(low, 0.786398, 1e-6);
  EXPECT_NEAR(high, 0.956524, 1e-6);
  EXPECT_DOUBLE_EQ(interval_of_share(1.0, 10).second, 1.0);
  EXPECT_NEAR(interval_of_share(1.0, 10).first, 10 / (10 + 1.959963984540054 * 1.959963984540054), 1e-12);
}

TEST(Scores, RefuseShapesThatDoNotFit) {
  expect_refusal(
      [] {
        score_classes(zeros({2, 3}), tensor({0, 1, 2}), tensor({0}));
      },
      "[score_classes] probabilities (2, 3) do not fit labels (3,)");
  expect_refusal([] { score_numbers(zeros({2}), zeros({3}), zeros({1})); },
                 "[score_numbers] predictions (2,) do not fit targets (3,)");
}

TEST(Scores, ExplainNothingOfEqualTargets) {
  const NumberScores one = score_numbers(tensor({2.0}, DType::f64), tensor({3.0}, DType::f64),
                                         tensor({1.0, 2.0, 6.0}, DType::f64));
  EXPECT_TRUE(std::isnan(one.r2));
  EXPECT_TRUE(std::isnan(one.mean_r2));
  EXPECT_EQ(one.rmse, 1.0);
  const NumberScores same = score_numbers(tensor({3.0, 3.0}, DType::f64), tensor({3.0, 3.0}, DType::f64),
                                          tensor({1.0, 2.0}, DType::f64));
  EXPECT_TRUE(std::isnan(same.r2));
  EXPECT_EQ(same.rmse, 0.0);
}

// The mean of targets that no f64 holds exactly explains nothing at all of them.
TEST(NumberScores, HaveNoneForTheMean) {
  std::vector<double> values;
  for (int i = 0; i < 600; ++i) values.push_back(0.1 * (i % 37) + 1e3);
  const Tensor y = tensor(values);
  EXPECT_EQ(score_numbers(zeros({600}, DType::f64), y, y).mean_r2, 0.0);
}

}  // namespace
}  // namespace likely::tables
