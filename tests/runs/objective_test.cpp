#include "likely/runs/objective.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/runs/pictures.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::runs {
namespace {

using testing::expect_refusal;

double figure(const std::vector<Measured>& figures, const std::string& name) {
  for (const Measured& one : figures) {
    if (one.name == name) return one.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0.0;
}

const PredictionColumn& column(const Predictions& predictions, const std::string& name) {
  for (const PredictionColumn& one : predictions) {
    if (one.name == name) return one;
  }
  throw Error("no column " + name);
}

TEST(Objective, OfClassesIsTheCrossEntropy) {
  const Objective objective = classification({"no", "yes"});
  const Tensor logits = tensor({{0.0, 1.0}, {2.0, 0.0}}, DType::f64);
  const Tensor y = tensor({1, 1});
  // -log of e / (1 + e) and of 1 / (1 + e^2).
  const double expected = 0.5 * (std::log1p(std::exp(-1.0)) + std::log1p(std::exp(2.0)));
  EXPECT_NEAR(objective.loss(logits, y).item(), expected, 1e-12);
  const auto figures = objective.figures(logits, y);
  EXPECT_DOUBLE_EQ(figure(figures, "accuracy"), 0.5);
  EXPECT_NEAR(figure(figures, "loss"), expected, 1e-12);
  const Predictions said = objective.predictions(logits);
  EXPECT_TRUE(array_equal(column(said, "prediction").values, tensor({1, 0})));
  EXPECT_EQ(column(said, "prediction").words, (std::vector<std::string>{"no", "yes"}));
  EXPECT_NEAR(column(said, "p_yes").values.at({1}), 1.0 / (1.0 + std::exp(2.0)), 1e-12);
  EXPECT_NEAR(column(said, "probability").values.at({1}), 1.0 / (1.0 + std::exp(-2.0)), 1e-12);
}

TEST(Objective, OfTwoClassesTakesOneLogit) {
  const Objective objective = binary_classification();
  const Tensor logits = tensor({{1.0}, {2.0}, {-3.0}}, DType::f64);
  const Tensor y = tensor({1, 0, 0});
  const double expected =
      (std::log1p(std::exp(-1.0)) + std::log1p(std::exp(2.0)) + std::log1p(std::exp(-3.0))) / 3;
  EXPECT_NEAR(objective.loss(logits, y).item(), expected, 1e-12);
  EXPECT_NEAR(figure(objective.figures(logits, y), "accuracy"), 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(column(objective.predictions(logits), "p_1").values.at({0}), 1.0 / (1.0 + std::exp(-1.0)),
              1e-12);
}

TEST(Objective, OfNumbersIsTheSquaredError) {
  const Objective objective = regression();
  const Tensor output = tensor({{1.0}, {2.0}, {4.0}}, DType::f64);
  const Tensor y = tensor({1.0, 3.0, 5.0}, DType::f64);
  EXPECT_NEAR(objective.loss(output, y).item(), 2.0 / 3.0, 1e-12);
  const auto figures = objective.figures(output, y);
  EXPECT_NEAR(figure(figures, "RMSE"), std::sqrt(2.0 / 3.0), 1e-12);
  EXPECT_NEAR(figure(figures, "R2"), 1.0 - 2.0 / 8.0, 1e-12);
  expect_refusal(
      [&] {
        objective.loss(output, tensor({1.0, 2.0}));
      },
      "[train] outputs (3, 1) do not fit targets (2,)");
}

TEST(Objective, OfNormalsIsMinusTheLogDensity) {
  const Objective objective = normal_regression();
  const Tensor output = tensor({{1.0, 0.5}, {2.0, -1.0}}, DType::f64);
  const Tensor y = tensor({{1.5}, {5.0}}, DType::f64);
  const auto sd = [](double raw) { return std::log1p(std::exp(raw)) + 1e-3; };
  const auto minus_log = [](double difference, double s) {
    return 0.5 * difference * difference / (s * s) + std::log(s) + 0.5 * std::log(2 * std::numbers::pi);
  };
  const double expected = 0.5 * (minus_log(0.5, sd(0.5)) + minus_log(3.0, sd(-1.0)));
  EXPECT_NEAR(objective.loss(output, y).item(), expected, 1e-12);
  const auto figures = objective.figures(output, y);
  EXPECT_NEAR(figure(figures, "loss"), expected, 1e-12);
  EXPECT_NEAR(figure(figures, "RMSE"), std::sqrt(0.5 * (0.25 + 9.0)), 1e-12);
  EXPECT_DOUBLE_EQ(figure(figures, "within 2 sd"), 0.5);
  EXPECT_NEAR(column(objective.predictions(output), "sd").values.at({0}), sd(0.5), 1e-12);
  expect_refusal(
      [&] {
        objective.loss(zeros({2, 3}), y);
      },
      "[normal_regression] outputs must be (rows, 2), got (2, 3)");
}

TEST(ConfusionMatrix, CountsTrueClassesDownAndPredictedAcross) {
  const Tensor matrix = confusion_matrix(tensor({0, 1, 1, 2}), tensor({0, 1, 0, 2}), 3);
  EXPECT_TRUE(array_equal(matrix, tensor({{1, 1, 0}, {0, 1, 0}, {0, 0, 1}})));
  expect_refusal(
      [] {
        confusion_matrix(tensor({0, 3}), tensor({0, 1}), 3);
      },
      "[confusion_matrix] class 3 in row 1 is not in [0, 3)");
  expect_refusal(
      [] {
        confusion_matrix(tensor({0}), tensor({0, 1}), 3);
      },
      "[confusion_matrix] predictions (1,) do not fit labels (2,)");
}

}  // namespace
}  // namespace likely::runs
