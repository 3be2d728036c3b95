// The losses of chapter 5 are log-probabilities: each against the book's formula, in plain numbers.
#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::numbers;

constexpr std::int64_t kRows = 7;
const Tensor kF = numbers({kRows}, 2.0, 1), kG = numbers({kRows}, 1.0, 2), kY = numbers({kRows}, 3.0, 3);

// The sum over rows i of loss(f_i, g_i, y_i).
template <class Loss>
double total(const Loss& loss) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i) sum += loss(kF.at({i}), kG.at({i}), kY.at({i}));
  return sum;
}

double softplus_of(double x) { return std::log1p(std::exp(x)); }

TEST(Losses, LeastSquares) {  // (5.11), up to a constant
  const Tensor loss = -sum(Normal(kF, tensor(std::sqrt(0.5), DType::f64)).log_prob(kY));
  const double squares = total([](double f, double, double y) { return (y - f) * (y - f); });
  EXPECT_NEAR(loss.item(), squares + 0.5 * kRows * std::log(std::numbers::pi), 1e-12);
}

TEST(Losses, Heteroscedastic) {  // (5.15) with f_2 = softplus(g)
  const Tensor loss = -sum(Normal::from_unconstrained(kF, kG).log_prob(kY));
  const double expected = total([](double f, double g, double y) {
    const double s = softplus_of(g);
    return -std::log(1.0 / std::sqrt(2.0 * std::numbers::pi * s * s)) + (y - f) * (y - f) / (2.0 * s * s);
  });
  EXPECT_NEAR(loss.item(), expected, 1e-12);
  // As the book has it, sigma^2 = f_2^2.
  const Tensor book = -sum(Normal(kF, abs(kG)).log_prob(kY));
  EXPECT_NEAR(book.item(), total([](double f, double g, double y) {
                return 0.5 * std::log(2.0 * std::numbers::pi * g * g) + (y - f) * (y - f) / (2.0 * g * g);
              }),
              1e-10);
}

TEST(Losses, BinaryCrossEntropy) {  // (5.20)
  const Tensor answers = kY > 0.0;
  const Tensor loss = -sum(Bernoulli(kF).log_prob(answers));
  const double expected = total([](double f, double, double y) {
    const double p = 1.0 / (1.0 + std::exp(-f));
    return y > 0.0 ? -std::log(p) : -std::log(1.0 - p);
  });
  EXPECT_NEAR(loss.item(), expected, 1e-12);
  // The same for answers of any type, and smoothed ones lie between.
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    EXPECT_NEAR(-sum(Bernoulli(kF).log_prob(answers.to(dtype))).item(), expected, 1e-12);
  }
  const double half = -Bernoulli(tensor(0.7, DType::f64)).log_prob(tensor(0.25, DType::f64)).item();
  const double p = 1.0 / (1.0 + std::exp(-0.7));
  EXPECT_NEAR(half, -0.25 * std::log(p) - 0.75 * std::log(1.0 - p), 1e-14);
}

TEST(Losses, MulticlassCrossEntropy) {  // (5.24)
  const Tensor logits = numbers({kRows, 3}, 2.0, 4);
  const Tensor labels = tensor({0, 1, 2, 2, 1, 0, 1});
  double expected = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < 3; ++k) sum += std::exp(logits.at({i, k}));
    expected -= logits.at({i, static_cast<std::int64_t>(labels.at({i}))}) - std::log(sum);
  }
  EXPECT_NEAR(-sum(Categorical(logits).log_prob(labels)).item(), expected, 1e-12);
}

TEST(Losses, Directions) {  // (5.34)
  const Tensor loss = -sum(VonMises::from_unconstrained(kF, kG).log_prob(kY));
  const double expected = total([](double f, double g, double y) {
    const double kappa = softplus_of(g);
    return -std::log(std::exp(kappa * std::cos(y - f)) /
                     (2.0 * std::numbers::pi * boost::math::cyl_bessel_i(0, kappa)));
  });
  EXPECT_NEAR(loss.item(), expected, 1e-12);
}

TEST(Losses, MixtureDensity) {  // (5.35)
  const Tensor other = numbers({kRows}, 1.5, 5);
  const Mixture law(Categorical(stack({kG, zeros_like(kG)}, 1)),
                    Normal(stack({kF, other}, 1), tensor({0.5, 1.25}, DType::f64)));
  double expected = 0.0;
  const auto density = [](double y, double m, double s) {
    return std::exp(-(y - m) * (y - m) / (2.0 * s * s)) / std::sqrt(2.0 * std::numbers::pi * s * s);
  };
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double lambda = 1.0 / (1.0 + std::exp(-kG.at({i})));
    expected -= std::log(lambda * density(kY.at({i}), kF.at({i}), 0.5) +
                         (1.0 - lambda) * density(kY.at({i}), other.at({i}), 1.25));
  }
  EXPECT_NEAR(-sum(law.log_prob(kY)).item(), expected, 1e-11);
}

TEST(Losses, Counts) {  // (5.36)
  const Tensor counts = tensor({0, 3, 1, 7, 2, 0, 11});
  double expected = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double k = counts.at({i}), rate = std::exp(kF.at({i}));
    expected -= std::log(std::pow(rate, k) * std::exp(-rate) / std::tgamma(k + 1.0));
  }
  EXPECT_NEAR(-sum(Poisson::from_log_rate(kF).log_prob(counts)).item(), expected, 1e-11);
}

TEST(Losses, SeveralOutputs) {  // (5.25-5.26)
  const Tensor f = stack({kF, kG}, 1), y = stack({kY, kF}, 1);
  const Tensor joint = Independent(Normal(f, tensor({1.0, 2.0}, DType::f64)), 1).log_prob(y);
  EXPECT_EQ(joint.shape(), Shape{kRows});
  const Tensor apart = Normal(kF, 1.0).log_prob(kY) + Normal(kG, 2.0).log_prob(kF);
  EXPECT_TRUE(allclose(joint, apart, 1e-14, 1e-14));
  // Of different kinds: a number and an answer.
  const Tensor mixed = Normal(kF, 1.0).log_prob(kY) + Bernoulli(kG).log_prob(kY > 0.0);
  EXPECT_EQ(mixed.shape(), Shape{kRows});
}

}  // namespace
}  // namespace likely
