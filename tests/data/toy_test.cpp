#include "likely/data/toy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

// Calls check(x, y, class) for every row.
template <class Check>
void for_each_point(const Dataset& dataset, const Check& check) {
  const Batch all = dataset.all();
  const std::vector<double> x = all.x.to_vector<double>();
  const std::vector<std::int64_t> labels = all.y.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < labels.size(); ++i) check(x[2 * i], x[2 * i + 1], labels[i]);
}

std::vector<int> class_counts(const Dataset& dataset, int classes) {
  std::vector<int> counts(static_cast<std::size_t>(classes), 0);
  for (const std::int64_t label : dataset.targets().to_vector<std::int64_t>())
    ++counts[static_cast<std::size_t>(label)];
  return counts;
}

TEST(Toy, MoonsLieOnTheirHalfCircles) {
  const Dataset exact = moons(101, Rng(1), {.noise = 0.0});
  EXPECT_EQ(class_counts(exact, 2), (std::vector<int>{51, 50}));
  for_each_point(exact, [](double x, double y, std::int64_t label) {
    if (label == 0) {
      EXPECT_NEAR(x * x + y * y, 1.0, 1e-6);
      EXPECT_GE(y, -1e-6);
    } else {
      EXPECT_NEAR((x - 1) * (x - 1) + (y - 0.5) * (y - 0.5), 1.0, 1e-6);
      EXPECT_LE(y, 0.5 + 1e-6);
    }
  });
}

TEST(Toy, CirclesHaveTheirRadii) {
  for_each_point(circles(60, Rng(1), {.noise = 0.0, .factor = 0.3}),
                 [](double x, double y, std::int64_t label) {
                   EXPECT_NEAR(std::hypot(x, y), label == 0 ? 1.0 : 0.3, 1e-6);
                 });
  double sum = 0.0;  // evenly spread: the points of a circle cancel out
  for_each_point(circles(60, Rng(1), {.noise = 0.0}), [&](double x, double, std::int64_t) { sum += x; });
  EXPECT_NEAR(sum, 0.0, 1e-5);
}

TEST(Toy, SpiralsWindAsTheirFormula) {
  const Dataset exact = spirals(90, Rng(1), {.noise = 0.0, .classes = 3, .turns = 0.75});
  EXPECT_EQ(class_counts(exact, 3), (std::vector<int>{30, 30, 30}));
  for_each_point(exact, [](double x, double y, std::int64_t label) {
    const double r = std::hypot(x, y);
    const double angle = 2.0 * std::numbers::pi * (0.75 * r + static_cast<double>(label) / 3.0);
    EXPECT_NEAR(x, r * std::cos(angle), 1e-5);
    EXPECT_NEAR(y, r * std::sin(angle), 1e-5);
  });
}

TEST(Toy, NoiseHasTheSizeAskedFor) {
  double squares = 0.0;
  for_each_point(circles(20'000, Rng(2), {.noise = 0.05}), [&](double x, double y, std::int64_t label) {
    const double away = std::hypot(x, y) - (label == 0 ? 1.0 : 0.5);
    squares += away * away;
  });
  EXPECT_NEAR(std::sqrt(squares / 20'000), 0.05, 0.002);
}

TEST(Toy, MixturesHaveTheirMeansAndSpread) {
  const Tensor means = tensor({{0.0, 0.0, 5.0}, {10.0, -3.0, 5.0}});
  const Batch all = gaussian_mixture(20'000, means, 2.0, Rng(3)).all();
  EXPECT_EQ(all.x.shape().string(), "(20000, 3)");
  double sums[2][3] = {};
  double squares = 0.0;
  const std::vector<double> x = all.x.to_vector<double>();
  const std::vector<std::int64_t> y = all.y.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      sums[y[i]][j] += x[3 * i + j] / 10'000;
      const double away = x[3 * i + j] - means.at({y[i], static_cast<std::int64_t>(j)});
      squares += away * away / 60'000;
    }
  }
  for (std::int64_t k = 0; k < 2; ++k) {
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(sums[k][j], means.at({k, j}), 0.1);
  }
  EXPECT_NEAR(std::sqrt(squares), 2.0, 0.03);
}

TEST(Toy, DependsOnTheKeyAlone) {
  EXPECT_TRUE(array_equal(moons(50, Rng(1)).all().x, moons(50, Rng(1)).all().x));
  EXPECT_FALSE(array_equal(moons(50, Rng(1)).all().x, moons(50, Rng(2)).all().x));
  EXPECT_FALSE(array_equal(moons(50, Rng(1)).targets(), moons(50, Rng(2)).targets())) << "rows are mixed";
}

TEST(Toy, RefusesWhatMakesNoSense) {
  expect_refusal([] { moons(1, Rng(1)); },
                 "[moons] a row for each class is needed, got 1 rows and 2 classes");
  expect_refusal([] { moons(10, Rng(1), {.noise = -1.0}); },
                 "[moons] the noise must not be negative, got -1.000000");
  expect_refusal([] { circles(10, Rng(1), {.factor = 1.0}); },
                 "[circles] the factor must be between 0 and 1, got 1.000000");
  expect_refusal([] { spirals(10, Rng(1), {.classes = 0}); },
                 "[spirals] a row for each class is needed, got 10 rows and 0 classes");
  expect_refusal([] { gaussian_mixture(10, zeros({3}), 1.0, Rng(1)); },
                 "[gaussian_mixture] means of shape (classes, width) are needed, got (3,)");
}

}  // namespace
}  // namespace likely::data
