// Chapter 5, loss functions, from likelihood to learned variances (5.1-5.15): each numbered equation against
// plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/equations/chapter_05_rows.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/plain_line.hpp"
#include "tests/support/plain_network.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::book {
namespace {

using std::numbers::pi;
using testing::golden_number;
using testing::numbers;
using testing::plain_sigmoid;

// Where a loss of a line is least.
template <class Loss>
Line minimizer(const Loss& loss) {
  Line model(0.1, -0.2, DType::f64);
  optim::Lbfgs lbfgs;
  EXPECT_TRUE(lbfgs.minimize(model, loss, {.max_iterations = 300, .gradient_tolerance = 1e-9}).converged);
  return model;
}

// Parameters of lines on a grid.
struct GridPoint {
  double phi0, phi1;
};
std::vector<GridPoint> grid() {
  std::vector<GridPoint> points;
  for (int j = -6; j <= 6; ++j) {
    for (int k = -6; k <= 6; ++k) points.push_back({0.1 * j + 0.3, 0.1 * k + 0.5});
  }
  return points;
}

template <class Score>
std::size_t best_of(const std::vector<GridPoint>& points, const Score& score) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (score(points[i]) > score(points[best])) best = i;
  }
  return best;
}

double plain_likelihood(const GridPoint& p, double variance) {
  double product = 1.0;
  for (std::size_t i = 0; i < kX.size(); ++i)
    product *= normal_density(kY[i], p.phi0 + p.phi1 * kX[i], variance);
  return product;
}

double log_likelihood(const GridPoint& p, double variance) {
  const Line model(p.phi0, p.phi1, DType::f64);
  return sum(Normal(model(x_data()), std::sqrt(variance)).log_prob(y_data())).item();
}

TEST(Udl05, Eq1_MaximumLikelihood) {
  const auto points = grid();
  const std::size_t by_product = best_of(points, [](const GridPoint& p) { return plain_likelihood(p, 0.3); });
  const std::size_t by_likely =
      best_of(points, [](const GridPoint& p) { return std::exp(log_likelihood(p, 0.3)); });
  EXPECT_EQ(by_product, by_likely);
  for (const GridPoint& p : points)
    EXPECT_NEAR(std::exp(log_likelihood(p, 0.3)), plain_likelihood(p, 0.3), 1e-12 * plain_likelihood(p, 0.3));
}

TEST(Udl05, Eq2_IndependentRows) {
  const Tensor mean = Line(0.2, 0.7, DType::f64)(x_data());
  const Independent joint(Normal(mean, 0.8), 1);
  double product = 1.0;
  for (std::size_t i = 0; i < kX.size(); ++i) product *= normal_density(kY[i], 0.2 + 0.7 * kX[i], 0.64);
  EXPECT_EQ(joint.event_shape(), Shape({kRows}));
  EXPECT_NEAR(std::exp(joint.log_prob(y_data()).item()), product, 1e-14);
}

TEST(Udl05, Eq3_LogarithmKeepsTheMaximum) {
  const auto points = grid();
  EXPECT_EQ(best_of(points, [](const GridPoint& p) { return plain_likelihood(p, 0.3); }),
            best_of(points, [](const GridPoint& p) { return log_likelihood(p, 0.3); }));
  for (const GridPoint& p : points)
    EXPECT_NEAR(log_likelihood(p, 0.3), std::log(plain_likelihood(p, 0.3)), 1e-11);
  // 3000 rows: the product is 0 in double precision, the sum of logarithms is not.
  const Tensor many = full({3000}, 2.0, DType::f64);
  const double each = -0.5 * std::log(2.0 * pi) - 2.0;
  EXPECT_EQ(prod(exp(Normal(zeros({3000}, DType::f64), 1.0).log_prob(many))).item(), 0.0);
  EXPECT_NEAR(sum(Normal(zeros({3000}, DType::f64), 1.0).log_prob(many)).item(), 3000.0 * each, 1e-8);
}

TEST(Udl05, Eq4_NegativeLogLikelihood) {
  const Line found =
      minimizer([](const Line& m) { return -sum(Normal(m(x_data()), std::sqrt(0.3)).log_prob(y_data())); });
  const GridPoint best{found.phi.at({0}), found.phi.at({1})};
  // The product of the densities is smaller everywhere else,
  for (const GridPoint& p : grid()) EXPECT_LT(plain_likelihood(p, 0.3), plain_likelihood(best, 0.3));
  for (const double off : {-1e-3, 1e-3}) {
    EXPECT_LT(plain_likelihood({best.phi0 + off, best.phi1}, 0.3), plain_likelihood(best, 0.3));
    EXPECT_LT(plain_likelihood({best.phi0, best.phi1 + off}, 0.3), plain_likelihood(best, 0.3));
  }
  // and for a normal law the place is known.
  const testing::PlainLine known = testing::plain_best_line(kX, kY);
  EXPECT_NEAR(best.phi0, known.phi0, 1e-7);
  EXPECT_NEAR(best.phi1, known.phi1, 1e-7);
}

TEST(Udl05, Eq5_MostProbableOutput) {
  const Tensor logits = numbers({7, 4}, 2.0, 1);
  const Categorical law(logits);
  const Tensor guess = argmax(law.probabilities(), 1), chance = exp(law.log_prob(guess));
  std::vector<int> guessed(4);
  for (std::int64_t i = 0; i < 7; ++i) {
    // By plain arithmetic: e^f_k / sum e^f, and the largest of them.
    double total = 0.0, largest = 0.0;
    std::int64_t best = 0;
    for (std::int64_t k = 0; k < 4; ++k) {
      const double each = std::exp(logits.at({i, k}));
      total += each;
      if (each > largest) {
        largest = each;
        best = k;
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(guess.at({i})), best);
    EXPECT_NEAR(chance.at({i}), largest / total, 1e-14);
    ++guessed[static_cast<std::size_t>(best)];
  }
  EXPECT_LT(*std::max_element(guessed.begin(), guessed.end()), 7);  // not always the same class
}

TEST(Udl05, Eq6_Recipe) {
  // The minimum of the negative log-likelihood of yes-or-no answers: the derivatives vanish there.
  const std::vector<double> answers{0.0, 1.0, 0.0, 1.0, 0.0, 1.0};
  Logistic model(0.0, 0.0, DType::f64);
  optim::Lbfgs lbfgs;
  lbfgs.minimize(model, [&](const Logistic& m) { return -sum(m.law(x_data()).log_prob(tensor(answers))); },
                 {.gradient_tolerance = 1e-10});
  double slope0 = 0.0, slope1 = 0.0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const double error = plain_sigmoid(model.phi.at({0}) + model.phi.at({1}) * kX[i]) - answers[i];
    slope0 += error;
    slope1 += error * kX[i];
  }
  EXPECT_NEAR(slope0, 0.0, 1e-9);
  EXPECT_NEAR(slope1, 0.0, 1e-9);
  EXPECT_GT(std::abs(model.phi.at({1})), 0.1);
}

TEST(Udl05, Eq7_NormalDensity) {
  for (const double mean : {-1.5, 0.0, 2.0}) {
    for (const double variance : {0.04, 1.0, 9.0}) {
      const Normal law(number(mean), std::sqrt(variance));
      double total = 0.0;  // the trapezium rule is exact here to all digits
      const double step = std::sqrt(variance) / 8.0;
      for (int k = -100; k <= 100; ++k)
        total += step * std::exp(law.log_prob(number(mean + step * k)).item());
      EXPECT_NEAR(total, 1.0, 1e-13);
      for (const double y : {-3.0, 0.2, 1.9})
        EXPECT_NEAR(std::exp(law.log_prob(number(y)).item()), normal_density(y, mean, variance), 1e-14);
    }
  }
}

TEST(Udl05, Eq8_NormalAroundAPrediction) {
  const ShallowNetwork network(1, 5, 1, {.dtype = DType::f64}, Rng(3));
  const Tensor x = reshape(x_data(), {kRows, 1}), y = reshape(y_data(), {kRows, 1});
  const Tensor log_prob = Normal(network(x), 0.5).log_prob(y);
  EXPECT_GT((max(network(x)) - min(network(x))).item(), 0.1);  // the mean follows x
  for (std::int64_t i = 0; i < kRows; ++i) {
    const testing::Row h = testing::plain_layer(network.hidden.weight, network.hidden.bias,
                                                testing::row_of(x, i), testing::plain_relu);
    const double f =
        testing::plain_layer(network.out.weight, network.out.bias, h, testing::plain_identity)[0];
    EXPECT_NEAR(std::exp(log_prob.at({i, 0})), normal_density(kY[static_cast<std::size_t>(i)], f, 0.25),
                1e-14);
  }
}

TEST(Udl05, Eq9_NormalLoss) {
  const Tensor f = Line(0.3, 0.6, DType::f64)(x_data());
  double expected = 0.0;
  for (std::size_t i = 0; i < kX.size(); ++i)
    expected -= std::log(normal_density(kY[i], 0.3 + 0.6 * kX[i], 0.09));
  EXPECT_NEAR(-sum(Normal(f, 0.3).log_prob(y_data())).item(), expected, 1e-12);
}

TEST(Udl05, Eq9_NormalLossOfTheBook) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const Tensor f = golden_network(file, "/ch05_gaussian")(golden_column(file, "/ch05_gaussian/x"));
  const Tensor y = golden_column(file, "/ch05_gaussian/y");
  const double nll = -sum(Normal(f, golden_number(file, "/ch05_gaussian/sigma")).log_prob(y)).item();
  EXPECT_NEAR(nll, golden_number(file, "/ch05_gaussian/nll"), 1e-10);
  EXPECT_NEAR(std::exp(-nll), golden_number(file, "/ch05_gaussian/likelihood"), 1e-10 * std::exp(-nll));
  EXPECT_NEAR(least_squares(f, y).item(), golden_number(file, "/ch05_gaussian/sum_squares"), 1e-10);
}

TEST(Udl05, Eq10_FourLossesOneMinimum) {
  const testing::PlainLine best = testing::plain_best_line(kX, kY);
  const double sigma = 0.7;
  const auto expect_best = [&](const Line& found) {
    EXPECT_NEAR(found.phi.at({0}), best.phi0, 1e-7);
    EXPECT_NEAR(found.phi.at({1}), best.phi1, 1e-7);
  };
  const auto error = [](const Line& m) { return y_data() - m(x_data()); };
  expect_best(minimizer([&](const Line& m) { return -sum(Normal(m(x_data()), sigma).log_prob(y_data())); }));
  expect_best(minimizer([&](const Line& m) {
    return -sum(-square(error(m)) / (2.0 * sigma * sigma) +
                std::log(1.0 / std::sqrt(2.0 * pi * sigma * sigma)));
  }));
  expect_best(minimizer([&](const Line& m) { return -sum(-square(error(m)) / (2.0 * sigma * sigma)); }));
  expect_best(minimizer([&](const Line& m) { return least_squares(m(x_data()), y_data()); }));
}

TEST(Udl05, Eq11_LeastSquares) {
  const Tensor f = numbers({kRows}, 2.0, 4);
  double expected = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i)
    expected += std::pow(kY[static_cast<std::size_t>(i)] - f.at({i}), 2.0);
  EXPECT_NEAR(least_squares(f, y_data()).item(), expected, 1e-13);
  // Minus the log-likelihood with variance 1/2, up to a constant.
  EXPECT_NEAR(-sum(Normal(f, std::sqrt(0.5)).log_prob(y_data())).item() - 0.5 * kRows * std::log(pi),
              expected, 1e-12);
}

TEST(Udl05, Eq12_PredictionIsTheMean) {
  for (const double f : {-0.7, 0.0, 1.25}) {
    const Normal law(number(f), 0.6);
    const Tensor places = linspace(f - 2.0, f + 2.0, 4001, DType::f64);
    const double best = places.at({static_cast<std::int64_t>(argmax(law.log_prob(places)).item())});
    EXPECT_NEAR(best, f, 1e-9);
    EXPECT_EQ(law.mean().item(), f);
  }
}

struct LineAndVariance {
  Line line{0.0, 0.0, DType::f64};
  Tensor raw = tensor(0.0, DType::f64);  // sigma is its softplus
  Normal law(const Tensor& x) const { return Normal::from_unconstrained(line(x), raw); }
  LIKELY_PARTS(line, raw)
};

TEST(Udl05, Eq13_LearnedVariance) {
  const testing::PlainLine best = testing::plain_best_line(kX, kY);
  LineAndVariance model;
  optim::Lbfgs lbfgs;
  EXPECT_TRUE(lbfgs
                  .minimize(model,
                            [](const LineAndVariance& m) { return -sum(m.law(x_data()).log_prob(y_data())); },
                            {.max_iterations = 300, .gradient_tolerance = 1e-8})
                  .converged);
  EXPECT_NEAR(model.line.phi.at({0}), best.phi0, 1e-7);
  EXPECT_NEAR(model.line.phi.at({1}), best.phi1, 1e-7);
  EXPECT_NEAR(mean(model.law(x_data()).variance()).item(), testing::plain_squares(best, kX, kY) / kRows,
              1e-7);
}

// A line that goes through every point: the loss falls by log 10 a point for every digit of sigma, for ever.
TEST(Udl05, Eq13_NoMinimumWhereTheModelFitsExactly) {
  const Tensor exact = 0.5 - 1.25 * x_data();
  LineAndVariance model;
  model.line = Line(0.5, -1.25, DType::f64);
  double before = std::numeric_limits<double>::infinity();
  for (const double digits : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    const double sigma = std::pow(10.0, -digits);
    model.raw = tensor(std::log(std::expm1(sigma)), DType::f64);
    const double loss = -sum(model.law(x_data()).log_prob(exact)).item();
    EXPECT_NEAR(loss, kRows * (std::log(sigma) + 0.5 * std::log(2.0 * pi)), 1e-6);
    EXPECT_LT(loss, before);
    before = loss;
  }
}

TEST(Udl05, Eq14_MeanAndVarianceByTheNetwork) {
  const ShallowNetwork network(1, 6, 2, {.dtype = DType::f64}, Rng(4));
  const Tensor x = reshape(x_data(), {kRows, 1});
  const Tensor f = network(x);
  const Normal law(select(f, 1, 0), abs(select(f, 1, 1)));
  for (std::int64_t i = 0; i < kRows; ++i) {
    const testing::Row h = testing::plain_layer(network.hidden.weight, network.hidden.bias,
                                                testing::row_of(x, i), testing::plain_relu);
    const testing::Row out =
        testing::plain_layer(network.out.weight, network.out.bias, h, testing::plain_identity);
    EXPECT_NEAR(law.mean().at({i}), out[0], 1e-14);
    EXPECT_NEAR(law.variance().at({i}), out[1] * out[1], 1e-14);
  }
}

TEST(Udl05, Eq15_HeteroscedasticLoss) {
  const Tensor f1 = numbers({kRows}, 1.0, 5), f2 = numbers({kRows}, 2.0, 6);
  double expected = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double variance = f2.at({i}) * f2.at({i}), error = kY[static_cast<std::size_t>(i)] - f1.at({i});
    expected -= std::log(1.0 / std::sqrt(2.0 * pi * variance)) - error * error / (2.0 * variance);
  }
  EXPECT_NEAR(-sum(Normal(f1, abs(f2)).log_prob(y_data())).item(), expected, 1e-10);
  testing::check_gradients(
      "heteroscedastic loss",
      [](const std::vector<Tensor>& f) { return -sum(Normal(f[0], abs(f[1])).log_prob(y_data())); },
      {f1, f2 + sign(f2) * 0.5});
}

// With a deviation for each place one point that is hit is enough, however far the others are.
TEST(Udl05, Eq15_NoMinimumWhereOnePointIsHit) {
  Tensor f1 = numbers({kRows}, 1.0, 5), f2 = ones({kRows}, DType::f64);
  f1.set({2}, kY[2]);
  double others = 0.0;  // the loss of the five that are not hit
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double error = kY[static_cast<std::size_t>(i)] - f1.at({i});
    if (i != 2) others += 0.5 * error * error + 0.5 * std::log(2.0 * pi);
  }
  EXPECT_GT(others, 5.0);
  for (const double digits : {1.0, 3.0, 5.0, 20.0, 200.0}) {
    f2.set({2}, std::pow(10.0, -digits));
    EXPECT_NEAR(-sum(Normal(f1, abs(f2)).log_prob(y_data())).item(),
                others + 0.5 * std::log(2.0 * pi) - digits * std::log(10.0), 1e-10);
  }
}

}  // namespace
}  // namespace likely::book
