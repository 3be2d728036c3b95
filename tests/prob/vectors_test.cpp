// Distributions of vectors: MultivariateNormal and Dirichlet.
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/matrices.hpp"

namespace likely {
namespace {

using kernels::kolmogorov_smirnov;
using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using testing::positive_definite;
using In = const std::vector<Tensor>&;

constexpr double kLeast = 0.001;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// -(x - m)^T C^-1 (x - m) / 2 - log det(2 pi C) / 2, by solve and logdet, which have tests of their own.
double log_density(const Tensor& x, const Tensor& m, const Tensor& c) {
  const Tensor d = x - m;
  return -0.5 * (dot(d, solve(c, d)).item() + logdet(c * (2.0 * std::numbers::pi)).item());
}

TEST(MultivariateNormal, LogDensity) {
  const Tensor c = positive_definite({3, 3}, 1);
  const Tensor m = numbers({3}, 1.0, 3), x = numbers({4, 3}, 2.0, 5);
  const auto law = MultivariateNormal::from_covariance(m, c);
  const Tensor computed = law.log_prob(x);
  ASSERT_EQ(computed.shape(), Shape{4});
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(computed.at({i}), log_density(select(x, 0, i), m, c), 1e-12);
  }
  EXPECT_TRUE(allclose(law.covariance(), c, 1e-13, 1e-13));
  EXPECT_TRUE(allclose(law.variance(), diagonal(c), 1e-13, 1e-13));
  EXPECT_TRUE(array_equal(law.mean(), m));
  EXPECT_NEAR(law.entropy().item(), 0.5 * logdet(c * (2.0 * std::numbers::pi * std::numbers::e)).item(),
              1e-12);
}

TEST(MultivariateNormal, ADiagonalOneIsSeveralNormals) {
  const Tensor m = numbers({2, 3}), s = square(numbers({2, 3}, 1.0, 2)) + 0.1, x = numbers({5, 2, 3}, 2.0, 3);
  const auto law = MultivariateNormal::diagonal(m, s);
  const Independent independent(Normal(m, s), 1);
  EXPECT_TRUE(allclose(law.log_prob(x), independent.log_prob(x), 1e-13, 1e-13));
  EXPECT_TRUE(allclose(law.entropy(), independent.entropy(), 1e-13, 1e-13));
  EXPECT_TRUE(allclose(law.variance(), square(s), 1e-13, 1e-13));
  const auto full = MultivariateNormal::from_cholesky(m, law.factor());
  EXPECT_EQ(full.batch_shape(), Shape{2});
  EXPECT_TRUE(allclose(law.log_prob(x), full.log_prob(x), 1e-12, 1e-12));
  EXPECT_TRUE(allclose(law.covariance(), full.covariance(), 1e-13, 1e-13));
  EXPECT_TRUE(allclose(law.entropy(), full.entropy(), 1e-13, 1e-13));
}

TEST(MultivariateNormal, BatchesBroadcast) {
  const Tensor c = positive_definite({2, 3, 3}, 1), m = numbers({3});
  const auto law = MultivariateNormal::from_covariance(m, c);
  EXPECT_EQ(law.batch_shape(), Shape{2});
  EXPECT_EQ(law.event_shape(), Shape{3});
  EXPECT_EQ(law.sample(Rng(1), {5}).shape(), (Shape{5, 2, 3}));
  EXPECT_EQ(law.mean().shape(), (Shape{2, 3}));
  const Tensor x = numbers({3}, 1.0, 9);
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(law.log_prob(x).at({i}), log_density(x, m, select(c, 0, i)), 1e-12);
  }
}

TEST(MultivariateNormal, Gradients) {
  const Tensor x = numbers({2, 3}, 2.0, 5), raw = numbers({3, 3}, 1.0, 7), m = numbers({3}, 1.0, 3);
  check_gradients("log_prob",
                  [](In p) { return MultivariateNormal::from_unconstrained(p[0], p[1]).log_prob(p[2]); },
                  {m, raw, x}, {.tolerance = 1e-5});
  check_gradients("batched",
                  [](In p) { return MultivariateNormal::from_unconstrained(p[0], p[1]).log_prob(p[2]); },
                  {m, numbers({2, 3, 3}, 1.0, 7), x}, {.tolerance = 1e-5});
  check_gradients("diagonal",
                  [](In p) { return MultivariateNormal::diagonal(p[0], exp(p[1])).log_prob(p[2]); },
                  {m, numbers({3}, 1.0, 8), x}, {.tolerance = 1e-5});
  check_gradients(
      "rsample", [](In p) { return MultivariateNormal::from_unconstrained(p[0], p[1]).rsample(Rng(1), {2}); },
      {m, raw});
  check_gradients(
      "entropy", [](In p) { return MultivariateNormal::from_unconstrained(p[0], p[1]).entropy(); }, {m, raw});
}

TEST(MultivariateNormal, SamplesHaveItsLaw) {
  const Tensor c = positive_definite({3, 3}, 1), m = numbers({3});
  const auto law = MultivariateNormal::from_covariance(m, c);
  const Tensor x = law.sample(Rng(3), {20'000});
  // Standardised they are independent standard normal numbers, and so is each projection.
  const Tensor z = law.standardize(x);
  const boost::math::normal standard;
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_GT(
        kolmogorov_smirnov(select(z, 1, i).to_vector<double>(), [&](double v) { return cdf(standard, v); }),
        kLeast);
    const boost::math::normal marginal(m.at({i}), std::sqrt(c.at({i, i})));
    EXPECT_GT(
        kolmogorov_smirnov(select(x, 1, i).to_vector<double>(), [&](double v) { return cdf(marginal, v); }),
        kLeast);
  }
  const Tensor centred = x - m;
  EXPECT_TRUE(allclose(matmul(transpose(centred), centred) / 20'000.0, c, 0.0, 0.06));
}

TEST(MultivariateNormal, TheSameBitsOnAnyNumberOfThreads) {
  const int saved = threads();
  const Tensor c = positive_definite({5, 5}, 1), m = numbers({5});
  std::vector<Tensor> results;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const auto law = MultivariateNormal::from_covariance(m, c);
    results.push_back(law.log_prob(law.sample(Rng(1), {20'000})));
    EXPECT_TRUE(array_equal(results.front(), results.back())) << count;
  }
  set_threads(saved);
}

TEST(MultivariateNormal, Refusals) {
  const Tensor m = zeros({2});
  expect_refusal([] { MultivariateNormal::diagonal(tensor(1.0), tensor(1.0)); },
                 "[MultivariateNormal] location must hold a vector along the last axis, got shape ()");
  expect_refusal(
      [] {
        MultivariateNormal::from_cholesky(zeros({0}), zeros({0, 0}));
      },
      "[MultivariateNormal] location must hold a vector along the last axis, got shape (0,)");
  expect_refusal(
      [&] {
        MultivariateNormal::diagonal(m, tensor({1.0, -1.0}));
      },
      "[MultivariateNormal] scale must be finite and above 0, got -1 at (1,)");
  expect_refusal([&] { MultivariateNormal::from_cholesky(m, eye(3)); },
                 "[MultivariateNormal] the factor must be (..., 2, 2) for a location (2,), got (3, 3)");
  expect_refusal(
      [&] {
        MultivariateNormal::from_cholesky(m, tensor({{1.0, 0.0}, {2.0, 0.0}}));
      },
      "[MultivariateNormal] the diagonal of the factor must be finite and above 0, got 0 at (1,)");
  expect_refusal(
      [&] {
        MultivariateNormal::from_covariance(m, tensor({{1.0, 2.0}, {2.0, 1.0}}));
      },
      "[cholesky] the matrix is not positive definite: its leading minor of order 2 is not positive");
}

TEST(Dirichlet, TwoClassesAreABetaLaw) {
  const Tensor a = tensor({0.7, 2.5}, DType::f64);
  const Dirichlet law(a);
  const boost::math::beta_distribution<> beta(0.7, 2.5);
  for (const double x : {0.01, 0.3, 0.9}) {
    EXPECT_NEAR(law.log_prob(tensor({x, 1.0 - x}, DType::f64)).item(), std::log(pdf(beta, x)), 1e-12);
  }
  EXPECT_NEAR(law.mean().at({0}), mean(beta), 1e-15);
  EXPECT_NEAR(law.variance().at({0}), variance(beta), 1e-15);
  EXPECT_NEAR(law.entropy().item(), Beta(tensor(0.7, DType::f64), 2.5).entropy().item(), 1e-13);
  const Tensor x = law.sample(Rng(1), {20'000});
  EXPECT_GT(kolmogorov_smirnov(select(x, 1, 0).to_vector<double>(), [&](double v) { return cdf(beta, v); }),
            kLeast);
}

TEST(Dirichlet, ThreeClasses) {
  const Tensor a = tensor({0.7, 2.5, 1.1}, DType::f64);
  const Dirichlet law(a);
  // Gamma(4.3) / (Gamma(0.7) Gamma(2.5) Gamma(1.1)) 0.2^-0.3 0.5^1.5 0.3^0.1
  const double expected = std::lgamma(4.3) - std::lgamma(0.7) - std::lgamma(2.5) - std::lgamma(1.1) -
                          0.3 * std::log(0.2) + 1.5 * std::log(0.5) + 0.1 * std::log(0.3);
  EXPECT_NEAR(law.log_prob(tensor({0.2, 0.5, 0.3}, DType::f64)).item(), expected, 1e-13);
  EXPECT_EQ(law.log_prob(tensor({0.0, 0.5, 0.5}, DType::f64)).item(), kInfinity);  // 0^-0.3
  EXPECT_EQ(law.log_prob(tensor({0.5, 0.0, 0.5}, DType::f64)).item(), -kInfinity);
  const Tensor x = law.sample(Rng(1), {20'000});
  EXPECT_TRUE(allclose(sum(x, 1), ones({20'000}, DType::f64), 0.0, 1e-14));
  // Each class alone has a beta law.
  for (std::int64_t k = 0; k < 3; ++k) {
    const boost::math::beta_distribution<> marginal(a.at({k}), 4.3 - a.at({k}));
    EXPECT_GT(
        kolmogorov_smirnov(select(x, 1, k).to_vector<double>(), [&](double v) { return cdf(marginal, v); }),
        kLeast);
  }
  EXPECT_NEAR(law.entropy().item(), entropy_monte_carlo(law, 200'000, Rng(2)).item(), 0.01);
}

TEST(Dirichlet, Gradients) {
  const Tensor a = square(numbers({2, 3})) + 0.5;
  check_gradients("log_prob", [](In p) { return Dirichlet(p[0]).log_prob(softmax(p[1])); },
                  {a, numbers({2, 3}, 1.0, 4)}, {.tolerance = 1e-5});
  check_gradients("entropy", [](In p) { return Dirichlet(p[0]).entropy(); }, {a}, {.tolerance = 1e-5});
  check_gradients("mean", [](In p) { return Dirichlet(p[0]).mean(); }, {a});
  check_gradients("variance", [](In p) { return Dirichlet(p[0]).variance(); }, {a});
  // The mean over samples moves as the mean does.
  const Tensor one = tensor({0.7, 2.5, 1.1}, DType::f64);
  const Tensor weights = tensor({1.0, -2.0, 0.5}, DType::f64);
  const auto sampled = [&](const Tensor& c) {
    return sum(mean(Dirichlet(c).rsample(Rng(1), {100'000}), 0) * weights);
  };
  const auto exact = [&](const Tensor& c) { return sum(Dirichlet(c).mean() * weights); };
  EXPECT_TRUE(allclose(grad(one, sampled), grad(one, exact), 0.0, 0.01));
}

TEST(Dirichlet, Refusals) {
  expect_refusal(
      [] {
        Dirichlet(tensor({1.0, 0.0}));
      },
      "[Dirichlet] concentration must be finite and above 0, got 0 at (1,)");
  expect_refusal([] { Dirichlet(tensor(1.0)); },
                 "[Dirichlet] concentration must hold at least one element along the axis, got shape ()");
  expect_refusal(
      [] {
        Dirichlet(ones({3})).log_prob(tensor({{0.5, 0.25, 0.25}, {0.5, 0.5, 0.5}}));
      },
      "[Dirichlet] x must add up to 1 along the last axis, got 1.5 in row 1");
}

}  // namespace
}  // namespace likely
