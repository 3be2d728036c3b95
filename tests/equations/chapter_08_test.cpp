// Chapter 8, measuring performance: noise, bias and variance, and balls in many dimensions.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_02/line.hpp"
#include "likely/models/book/chapter_08/ball.hpp"
#include "likely/models/book/chapter_08/error_terms.hpp"
#include "tests/support/plain_math.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::Matrix;
using testing::Vector;
using testing::vector_of;

constexpr double kNoise = 0.4;
double plain_mean(double x) { return std::sin(3.0 * x); }

// y = sin 3x + 0.4 z, at places that are spread evenly.
train::RegressionProblem problem() {
  return {.mean = [](const Tensor& x) { return sin(x * 3.0); },
          .noise = [](const Tensor& x) { return full_like(x, kNoise); },
          .inputs =
              [](std::int64_t rows, Rng) {
                return reshape(linspace(0.0, 1.0, rows, DType::f64), {rows, 1});
              }};
}

// Many answers at one place.
Vector answers_at(double x, std::int64_t count) {
  train::RegressionProblem here = problem();
  here.inputs = [x](std::int64_t rows, Rng) { return full({rows, 1}, x, DType::f64); };
  return vector_of(train::draw(here, count, Rng(5)).targets());
}
double mean_of(const Vector& values) {
  double total = 0.0;
  for (const double each : values) total += each;
  return total / static_cast<double>(values.size());
}

constexpr int kDraws = 40000;

TEST(Udl08, Eq1_TheMeanOfTheAnswers) {
  for (const double x : {0.1, 0.8}) {
    EXPECT_NEAR(mean_of(answers_at(x, kDraws)), plain_mean(x), 4.0 * kNoise / std::sqrt(kDraws)) << x;
  }
}

TEST(Udl08, Eq2_SquaredErrorInThreeTerms) {
  const double x = 0.8, f = 0.25, mu = plain_mean(x);
  const Vector y = answers_at(x, kDraws);
  const book::ErrorTerms terms =
      book::error_terms(full({}, f, DType::f64), full({}, mu, DType::f64), tensor(y));
  Vector middle, last, loss;
  for (const double each : y) {
    middle.push_back(2.0 * (f - mu) * (mu - each));
    last.push_back((mu - each) * (mu - each));
    loss.push_back((f - each) * (f - each));
  }
  EXPECT_NEAR(terms.first.item(), (f - mu) * (f - mu), 1e-15);
  expect_close("middle", terms.middle, middle, 1e-13);
  expect_close("last", terms.last, last, 1e-13);
  expect_close("L", terms.first + terms.middle + terms.last, loss, 1e-13);
  // On average the middle is 0 and the last is the noise: what (8.3) is made of.
  EXPECT_NEAR(mean(terms.middle).item(), 0.0, 4.0 * 2.0 * std::abs(f - mu) * kNoise / std::sqrt(kDraws));
  EXPECT_NEAR(mean(terms.last).item(), kNoise * kNoise,
              4.0 * kNoise * kNoise * std::sqrt(2.0 / static_cast<double>(kDraws)));
}

TEST(Udl08, Eq3_ExpectedSquaredError) {
  const double x = 0.8, f = 0.25, distance = f - plain_mean(x);
  Vector losses;
  for (const double y : answers_at(x, kDraws)) losses.push_back((f - y) * (f - y));
  // Var[(d + s z)^2] = 4 d^2 s^2 + 2 s^4.
  const double variance = 4.0 * distance * distance * kNoise * kNoise + 2.0 * std::pow(kNoise, 4);
  EXPECT_NEAR(mean_of(losses), distance * distance + kNoise * kNoise, 4.0 * std::sqrt(variance / kDraws));
}

// Lines fitted to many data sets of 10 rows, what each predicts at three places, and what bias_variance says.
struct Lines {
  static constexpr std::int64_t kSets = 2000;
  Tensor at = tensor({{0.1}, {0.5}, {0.9}}, DType::f64);
  Matrix predictions{};
  train::BiasVariance found = train::bias_variance(problem(), at,
                                                   [this](const data::Dataset& d, Rng) -> train::Predictor {
                                                     const data::Batch all = d.all();
                                                     const book::Line line = book::fit_line(all.x, all.y);
                                                     predictions.push_back(vector_of(line(at)));
                                                     return [line](const Tensor& x) { return line(x); };
                                                   },
                                                   {.rows = 10, .datasets = kSets, .seed = 1});
};

// For least squares with a fixed design, E[f] at x and Var[f] at x are sums over the weights of the rows.
struct Expected {
  double mean = 0.0, variance = 0.0;
};
Expected expected_at(double x) {
  constexpr int kRows = 10;
  Vector places;
  for (int i = 0; i < kRows; ++i) places.push_back(i / 9.0);
  const double centre = mean_of(places);
  double spread = 0.0;
  for (const double each : places) spread += (each - centre) * (each - centre);
  Expected result;
  for (const double each : places) {
    const double weight = 1.0 / kRows + (x - centre) * (each - centre) / spread;
    result.mean += weight * plain_mean(each);
    result.variance += weight * weight * kNoise * kNoise;
  }
  return result;
}

TEST(Udl08, Eq4_TheMeanPrediction) {
  const Lines lines;
  ASSERT_EQ(lines.predictions.size(), 2000U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Expected expected = expected_at(vector_of(lines.at)[i]);
    EXPECT_NEAR(vector_of(lines.found.mean_prediction)[i], expected.mean,
                4.0 * std::sqrt(expected.variance / Lines::kSets));
  }
}

TEST(Udl08, Eq5_DistanceToTheMeanInThreeTerms) {
  const Lines lines;
  const Tensor mean_prediction = reshape(lines.found.mean_prediction, {3});
  const Tensor mu = reshape(problem().mean(lines.at), {3});
  Vector f_mu(3);  // the mean over the data sets
  for (const Vector& f : lines.predictions) f_mu = testing::plus(f_mu, f, 1.0 / Lines::kSets);
  Vector middle(3), first(3);
  for (const Vector& f : lines.predictions) {
    const book::ErrorTerms terms = book::error_terms(tensor(f), mean_prediction, mu);
    Vector distance;
    for (std::size_t i = 0; i < 3; ++i) {
      const double plain_mu = plain_mean(vector_of(lines.at)[i]), to_mean = f[i] - f_mu[i];
      distance.push_back(std::pow(f[i] - plain_mu, 2));
      EXPECT_NEAR(vector_of(terms.first)[i], to_mean * to_mean, 1e-12);
      EXPECT_NEAR(vector_of(terms.middle)[i], 2.0 * to_mean * (f_mu[i] - plain_mu), 1e-12);
    }
    expect_close("the three terms", terms.first + terms.middle + terms.last, distance, 1e-12);
    middle = testing::plus(middle, vector_of(terms.middle), 1.0 / Lines::kSets);
    first = testing::plus(first, vector_of(terms.first), 1.0 / Lines::kSets);
    expect_close("last", terms.last, vector_of(lines.found.bias), 1e-12);
  }
  // With the mean over the same data sets the middle term vanishes altogether, and the first is the variance.
  expect_close("middle", middle, Vector{0.0, 0.0, 0.0}, 1e-12);
  expect_close("first", first, vector_of(lines.found.variance), 1e-12);
  for (const double each : first) EXPECT_GT(each, 1e-3);
}

TEST(Udl08, Eq6_VarianceAndBias) {
  const Lines lines;
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = vector_of(lines.at)[i], mu = plain_mean(x);
    double total = 0.0;
    for (const Vector& f : lines.predictions) total += std::pow(f[i] - mu, 2) / Lines::kSets;
    const double variance = vector_of(lines.found.variance)[i], bias = vector_of(lines.found.bias)[i];
    EXPECT_NEAR(variance + bias, total, 1e-12);
    const Expected expected = expected_at(x);
    EXPECT_NEAR(variance, expected.variance, 4.0 * expected.variance * std::sqrt(2.0 / Lines::kSets));
  }
}

// New answers for each of the models: the mean of all losses is the sum of the three.
TEST(Udl08, Eq7_VarianceBiasAndNoise) {
  const Lines lines;
  constexpr int kAnswers = 20;
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = vector_of(lines.at)[i];
    const Vector y = answers_at(x, Lines::kSets * kAnswers);
    Vector losses;
    for (std::size_t n = 0; n < y.size(); ++n) {
      losses.push_back(std::pow(lines.predictions[n / kAnswers][i] - y[n], 2));
    }
    const double parts =
        vector_of(lines.found.variance)[i] + vector_of(lines.found.bias)[i] + vector_of(lines.found.noise)[i];
    double variance = 0.0;
    for (const double each : losses) variance += std::pow(each - parts, 2);
    variance /= static_cast<double>(losses.size());
    // The models are the same on both sides: only the new answers make a difference.
    EXPECT_NEAR(mean_of(losses), parts, 4.0 * std::sqrt(variance / static_cast<double>(losses.size())));
    EXPECT_NEAR(vector_of(lines.found.noise)[i], kNoise * kNoise, 1e-15);
  }
}

TEST(Udl08, Eq8_VolumeOfABall) {
  const double pi = std::numbers::pi;
  for (const double r : {0.5, 1.0, 2.0}) {
    EXPECT_NEAR(book::ball_volume(1, r), 2.0 * r, 1e-13);
    EXPECT_NEAR(book::ball_volume(2, r), pi * r * r, 1e-12);
    EXPECT_NEAR(book::ball_volume(3, r), 4.0 / 3.0 * pi * r * r * r, 1e-12);
    for (int d = 2; d < 60; ++d) {  // V_D = 2 pi r^2 / D V_{D-2}
      const double expected = 2.0 * pi * r * r / d * book::ball_volume(d - 2, r);
      EXPECT_NEAR(book::ball_volume(d, r), expected, 1e-12 * expected) << d;
    }
  }
  // Of the points of a cube, those inside the ball that touches its sides.
  const int points = 200000;
  const auto cube = Rng(1).uniform({points, 5}, -1.0, 1.0, DType::f64).to_vector<double>();
  int inside = 0;
  for (std::size_t i = 0; i < cube.size(); i += 5) {
    double square = 0.0;
    for (std::size_t k = 0; k < 5; ++k) square += cube[i + k] * cube[i + k];
    inside += square <= 1.0 ? 1 : 0;
  }
  const double share = book::ball_volume(5) / 32.0;
  EXPECT_NEAR(inside / static_cast<double>(points), share, 4.0 * std::sqrt(share * (1.0 - share) / points));
}

}  // namespace
}  // namespace likely
