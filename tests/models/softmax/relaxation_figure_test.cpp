// Bias and variance of gradients through relaxed samples, against what is known of their limits.
#include "likely/models/softmax/relaxation_figure.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::estimators {
namespace {

TEST(RelaxationFigure, BiasRisesAndVarianceFallsWithTheTemperature) {
  const RelaxationProblem problem{.temperatures = {0.1, 1.0, 10.0}, .samples = 20'000};
  const RelaxationTable table = relaxation_table(Rng(1), problem);
  // The exact gradient by hand: p_k (f_k - sum p f).
  std::vector<double> p, f;
  double total = 0.0, expectation = 0.0;
  for (const double l : problem.logits) total += std::exp(l);
  for (std::size_t k = 0; k < 4; ++k) {
    p.push_back(std::exp(problem.logits[k]) / total);
    f.push_back(std::pow(problem.values[k] - problem.target, 2));
    expectation += p[k] * f[k];
  }
  ASSERT_EQ(table.exact.size(), 4U);
  double second = 0.0, squared = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double g = p[k] * (f[k] - expectation);
    EXPECT_NEAR(table.exact[k], g, 1e-14);
    squared += g * g;
    // E |f (e_K - p)|^2, by classes.
    for (std::size_t j = 0; j < 4; ++j)
      second += p[k] * f[k] * f[k] * std::pow((j == k ? 1.0 : 0.0) - p[j], 2);
  }
  // The score function has no bias, and its variance is known.
  EXPECT_LT(table.score.bias, 4.0 * table.score.error);
  EXPECT_NEAR(table.score.variance, second - squared, 0.05 * (second - squared));
  // Relaxed: nearly unbiased and wild when cold, biased and calm when warm.
  ASSERT_EQ(table.rows.size(), 3U);
  const GradientQuality &cold = table.rows[0].relaxed, &middle = table.rows[1].relaxed,
                        &warm = table.rows[2].relaxed;
  EXPECT_LT(cold.bias, 4.0 * cold.error + 0.1 * warm.bias);
  EXPECT_GT(middle.bias, 10.0 * middle.error);
  EXPECT_GT(cold.variance, middle.variance);
  EXPECT_GT(middle.variance, warm.variance);
  // At high temperatures nothing but the exact gradient is left of the bias: the relaxed gradient goes to 0.
  EXPECT_NEAR(warm.bias, std::sqrt(squared), 0.35 * std::sqrt(squared));
  EXPECT_GT(table.rows[1].straight_through.bias, 10.0 * table.rows[1].straight_through.error);
}

TEST(RelaxationFigure, DrawsEveryCurveAndTheSameAgain) {
  const RelaxationProblem problem{.temperatures = {0.2, 2.0}, .samples = 500};
  const RelaxationTable table = relaxation_table(Rng(2), problem), again = relaxation_table(Rng(2), problem);
  EXPECT_EQ(table.rows[1].relaxed.variance, again.rows[1].relaxed.variance);
  const std::string script = relaxation_figure(table).script(0);
  for (const char* label : {"bias, Gumbel-softmax", "bias, straight-through", "variance, Gumbel-softmax",
                            "variance, straight-through", "variance, REINFORCE", "temperature"}) {
    EXPECT_NE(script.find(label), std::string::npos) << label;
  }
}

TEST(RelaxationFigure, Refusals) {
  testing::expect_refusal([] { relaxation_table(Rng(1), {.values = {1.0}}); },
                          "[relaxation_table] there must be a value for each logit, got 1 and 4");
  testing::expect_refusal([] { relaxation_table(Rng(1), {.samples = 1}); },
                          "[relaxation_table] samples must be >= 2, got 1");
  testing::expect_refusal([] { relaxation_table(Rng(1), {.temperatures = {0.0}, .samples = 10}); },
                          "[Concrete] temperature must be finite and above 0, got 0");
}

}  // namespace
}  // namespace likely::estimators
