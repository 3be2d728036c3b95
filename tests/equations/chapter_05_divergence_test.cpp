// Chapter 5, loss functions, from cross-entropy on (5.27-5.36): each numbered equation against plain
// arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::book {
namespace {

using std::numbers::pi;
using testing::numbers;

Tensor number(double value) { return tensor(value, DType::f64); }

double normal_log_density(double y, double mean, double stddev) {
  return -0.5 * (y - mean) * (y - mean) / (stddev * stddev) - std::log(stddev) - 0.5 * std::log(2.0 * pi);
}

TEST(Udl05, Eq27_KullbackLeibler) {
  struct Case {
    double m, s, n, t;
  };
  for (const Case& c : {Case{0.0, 1.0, 0.5, 1.5}, Case{-2.0, 0.3, 1.0, 2.0}, Case{1.0, 2.0, 1.0, 0.9}}) {
    // Both integrals by the trapezium rule.
    double first = 0.0, second = 0.0;
    const double step = c.s / 16.0;
    for (int k = -400; k <= 400; ++k) {
      const double z = c.m + step * k;
      const double q = std::exp(normal_log_density(z, c.m, c.s));
      first += step * q * normal_log_density(z, c.m, c.s);
      second += step * q * normal_log_density(z, c.n, c.t);
    }
    EXPECT_NEAR(kl(Normal(number(c.m), c.s), Normal(number(c.n), c.t)).item(), first - second, 1e-11);
    EXPECT_NEAR(-Normal(number(c.m), c.s).entropy().item(), first, 1e-11);
  }
  // Sums instead of integrals.
  const std::vector<double> q{0.2, 0.5, 0.3}, p{0.6, 0.1, 0.3};
  double expected = 0.0;
  for (std::size_t k = 0; k < 3; ++k) expected += q[k] * std::log(q[k]) - q[k] * std::log(p[k]);
  EXPECT_NEAR(
      kl(Categorical::from_probabilities(tensor(q)), Categorical::from_probabilities(tensor(p))).item(),
      expected, 1e-14);
}

// Twelve answers of four kinds.
const std::vector<std::int64_t> kAnswers{0, 2, 2, 1, 3, 2, 0, 2, 1, 2, 3, 0};

Tensor frequencies() {
  std::vector<double> share(4, 0.0);
  for (const std::int64_t answer : kAnswers) share[static_cast<std::size_t>(answer)] += 1.0 / 12.0;
  return tensor(share);
}

TEST(Udl05, Eq29_DivergenceAndCrossEntropyHaveOneMinimum) {
  // They differ by the entropy of q, whatever the parameters are.
  const Categorical q = Categorical::from_probabilities(frequencies());
  double entropy = 0.0;
  for (const double share : frequencies().to_vector<double>()) entropy -= share * std::log(share);
  for (int seed = 0; seed < 5; ++seed) {
    const Tensor logits = numbers({4}, 2.0, seed);
    double total = 0.0, cross = 0.0;
    for (std::int64_t k = 0; k < 4; ++k) total += std::exp(logits.at({k}));
    for (std::int64_t k = 0; k < 4; ++k) cross -= frequencies().at({k}) * (logits.at({k}) - std::log(total));
    EXPECT_NEAR(kl(q, Categorical(logits)).item(), cross - entropy, 1e-14);
    const Tensor by_divergence = grad(logits, [&](const Tensor& z) { return kl(q, Categorical(z)); });
    for (std::int64_t k = 0; k < 4; ++k)
      EXPECT_NEAR(by_divergence.at({k}), std::exp(logits.at({k})) / total - frequencies().at({k}), 1e-14);
  }
}

TEST(Udl05, Eq30_CrossEntropyWithDataIsNegativeLogLikelihood) {
  const Tensor logits = numbers({4}, 2.0, 3), answers = tensor(kAnswers);
  const auto nll = [&](const Tensor& z) {
    return -sum(Categorical(expand(z, {static_cast<std::int64_t>(kAnswers.size()), 4})).log_prob(answers));
  };
  // -E_q[log Pr] with q the shares of the answers, as a plain sum.
  double total = 0.0, cross = 0.0;
  for (std::int64_t k = 0; k < 4; ++k) total += std::exp(logits.at({k}));
  for (std::int64_t k = 0; k < 4; ++k) cross -= frequencies().at({k}) * (logits.at({k}) - std::log(total));
  EXPECT_NEAR(nll(logits).item() / 12.0, cross, 1e-14);
  // Both are least where the probabilities are the shares.
  Tensor fitted = logits;
  optim::Lbfgs lbfgs;
  EXPECT_TRUE(lbfgs.minimize(fitted, nll, {.gradient_tolerance = 1e-7}).converged);
  EXPECT_TRUE(allclose(softmax(fitted), frequencies(), 1e-8, 1e-8));
}

TEST(Udl05, Eq31_TrainingIsMinimizingTheDivergence) {
  // Pairs (x, y) with repeated x: per x, the shares of the answers are what a free model should learn.
  const std::vector<double> x{-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const std::vector<double> y{0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0};
  Logistic model(0.0, 0.0, DType::f64);
  optim::Lbfgs lbfgs;
  lbfgs.minimize(model, [&](const Logistic& m) { return -sum(m.law(tensor(x)).log_prob(tensor(y))); },
                 {.gradient_tolerance = 1e-11});
  EXPECT_NEAR(model.law(number(-1.0)).mean().item(), 1.0 / 3.0, 1e-9);
  EXPECT_NEAR(model.law(number(1.0)).mean().item(), 0.8, 1e-9);
}

TEST(Udl05, Eq32_Sigmoid) {
  const Tensor z = numbers({21}, 20.0, 4);
  for (std::int64_t i = 0; i < 21; ++i)
    EXPECT_NEAR(sigmoid(z).at({i}), 1.0 / (1.0 + std::exp(-z.at({i}))), 1e-15);
  EXPECT_TRUE(allclose(sigmoid(-z), 1.0 - sigmoid(z), 0.0, 1e-15));
  // To infinity and back.
  EXPECT_EQ(sigmoid(number(800.0)).item(), 1.0);
  EXPECT_EQ(sigmoid(number(-800.0)).item(), 0.0);
}

TEST(Udl05, Eq33_LossOfOneAnswer) {
  for (const double f : {-6.0, -0.3, 0.0, 1.7, 9.0}) {
    for (const double y : {0.0, 1.0}) {
      const double s = 1.0 / (1.0 + std::exp(-f));
      const Tensor target = number(y);
      const auto loss = [&](const Tensor& z) { return binary_cross_entropy_from_logits(z, target); };
      EXPECT_NEAR(loss(number(f)).item(), -(1.0 - y) * std::log(1.0 - s) - y * std::log(s), 1e-11);
      EXPECT_NEAR(grad(number(f), loss).item(), s - y, 1e-14);
    }
  }
}

TEST(Udl05, Eq34_VonMises) {
  for (const double kappa : {0.0, 0.5, 3.0, 20.0}) {
    double bessel = 0.0, term = 1.0;  // sum_k (kappa / 2)^2k / (k!)^2
    for (int k = 1; k < 200; ++k) {
      bessel += term;
      term *= (0.5 * kappa / k) * (0.5 * kappa / k);
    }
    const VonMises law(number(0.6), kappa);
    double total = 0.0;
    for (int k = 0; k < 256; ++k)
      total += 2.0 * pi / 256.0 * std::exp(law.log_prob(number(2.0 * pi * k / 256.0)).item());
    EXPECT_NEAR(total, 1.0, 1e-12);
    for (const double y : {-2.9, 0.1, 0.6, 3.0})
      EXPECT_NEAR(law.log_prob(number(y)).item(), kappa * std::cos(y - 0.6) - std::log(2.0 * pi * bessel),
                  1e-12);
  }
}

TEST(Udl05, Eq35_MixtureOfTwoNormals) {
  const double lambda = 0.3, m1 = -1.0, m2 = 2.0, v1 = 0.5, v2 = 1.7;
  const Mixture law(Categorical::from_probabilities(tensor({lambda, 1.0 - lambda}, DType::f64)),
                    Normal(tensor({m1, m2}, DType::f64), tensor({std::sqrt(v1), std::sqrt(v2)}, DType::f64)));
  for (const double y : {-3.0, -1.0, 0.4, 2.0, 5.0}) {
    const double density =
        lambda / std::sqrt(2.0 * pi * v1) * std::exp(-(y - m1) * (y - m1) / (2.0 * v1)) +
        (1.0 - lambda) / std::sqrt(2.0 * pi * v2) * std::exp(-(y - m2) * (y - m2) / (2.0 * v2));
    EXPECT_NEAR(law.log_prob(number(y)).item(), std::log(density), 1e-13);
  }
}

TEST(Udl05, Eq36_Poisson) {
  for (const double lambda : {0.1, 1.0, 4.5, 30.0}) {
    const Poisson law(number(lambda));
    double expected = std::exp(-lambda), total = 0.0;  // k = 0
    for (int k = 0; k < 120; ++k) {
      const double probability = std::exp(law.log_prob(number(k)).item());
      EXPECT_NEAR(probability, expected, 1e-13);
      total += probability;
      expected *= lambda / (k + 1);
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace likely::book
