// Document 001, its sections on softmax, re-parameterisation, Gumbel noise and sampling without replacement:
// each formula against numbers that are not likely's, and what is wrong in print beside what is right.
// docs/errata.md says what is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/prob/distributions/concrete.hpp"
#include "likely/prob/distributions/truncated_gumbel.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"
#include "likely/prob/sampling/reparameterisations.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using kernels::kolmogorov_smirnov;

constexpr double kLeast = 0.001;

const std::vector<double> kX = {2.0, -1.0, 0.5, 1.2};

std::vector<double> softmax_by_hand(const std::vector<double>& x, double shift = 0.0) {
  std::vector<double> p;
  double total = 0.0;
  for (const double v : x) total += std::exp(v - shift);
  for (const double v : x) p.push_back(std::exp(v - shift) / total);
  return p;
}

void expect_equal(const Tensor& a, const std::vector<double>& b, double tolerance = 1e-14) {
  const std::vector<double> values = a.to_vector<double>();
  ASSERT_EQ(values.size(), b.size());
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(values[i], b[i], tolerance) << i;
}

double slope(const std::function<double(double)>& f, double x) { return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6; }

// --- Some interesting facts about softmax
// ---------------------------------------------------------------------------

TEST(Document001, SoftmaxIsShiftInvariant) {
  expect_equal(softmax(tensor(kX)), softmax_by_hand(kX));
  expect_equal(softmax(tensor(kX)), softmax_by_hand(kX, 1.7));
  expect_equal(softmax(tensor(kX) + 1e3), softmax_by_hand(kX), 1e-12);
  expect_equal(softmax(tensor(kX) - 1e3), softmax_by_hand(kX), 1e-12);
  EXPECT_EQ(argmax(softmax(tensor(kX))).item(), argmax(tensor(kX)).item());
}

// Printed: the shift is the largest of the exponentials. It overflows before it is of use, and is no logit.
TEST(Document001, TheShiftIsTheLargestLogitNotTheLargestExponential) {
  std::vector<double> large = kX;
  for (double& v : large) v += 800.0;
  const double largest_exponential = std::exp(*std::max_element(large.begin(), large.end()));
  EXPECT_TRUE(std::isinf(largest_exponential));
  EXPECT_TRUE(std::isnan(softmax_by_hand(large, largest_exponential)[0]));
  expect_equal(softmax(tensor(large)), softmax_by_hand(large, *std::max_element(large.begin(), large.end())),
               1e-12);
}

TEST(Document001, SoftmaxOfTwoIsTheSigmoidOfTheDifference) {
  const double theta_1 = 0.8, theta_2 = -0.5;
  const double theta = theta_1 - theta_2;  // so that theta_2 - theta_1 = -theta
  const double p = softmax(tensor({theta_1, theta_2}, DType::f64)).at({0});
  EXPECT_NEAR(p, 1.0 / (1.0 + std::exp(theta_2 - theta_1)), 1e-15);
  EXPECT_NEAR(p, std::exp(theta) / (std::exp(theta) + 1.0), 1e-15);
  EXPECT_NEAR(sigmoid(tensor(theta, DType::f64)).item(), p, 1e-15);
}

TEST(Document001, LogitIsTheInverseOfSigmoid) {
  const Tensor x = linspace(-6.0, 6.0, 13, DType::f64);
  EXPECT_TRUE(allclose(logit(sigmoid(x)), x, 1e-12));
  EXPECT_NEAR(logit(tensor(0.3, DType::f64)).item(), std::log(0.3 / 0.7), 1e-15);
}

TEST(Document001, LogSumExpLiesBetweenTheLargestAndLogNAbove) {
  for (const double spread : {0.0, 1.0, 50.0, 1000.0}) {
    const Tensor x = tensor(kX) * spread;
    const double top = max(x).item(), lse = logsumexp(x).item();
    EXPECT_GE(lse, top);
    EXPECT_LE(lse, top + std::log(4.0) + 1e-12);
  }
  EXPECT_NEAR(logsumexp(zeros({4}, DType::f64)).item(), std::log(4.0), 1e-15);  // equal: the upper bound
}

TEST(Document001, SoftmaxIsTheDerivativeOfLogSumExp) {
  expect_equal(grad(tensor(kX), [](const Tensor& x) { return logsumexp(x); }), softmax_by_hand(kX));
}

// --- Why re-parameterization
// ----------------------------------------------------------------------------------------

// Printed: exp(-(z - mu)^2 / sigma^2) / (sqrt(2 pi) sigma), which is no density, and 2 (z - mu) / sigma^2.
TEST(Document001, DerivativeOfAGaussianDensityByItsMean) {
  const double mu = 0.3, sigma = 1.4, z = 1.1;
  const auto density = [&](double m) {
    return std::exp(-(z - m) * (z - m) / (2.0 * sigma * sigma)) / (std::sqrt(2.0 * std::numbers::pi) * sigma);
  };
  const double right = (z - mu) / (sigma * sigma) * density(mu);
  EXPECT_NEAR(slope(density, mu), right, 1e-9);
  const Tensor computed = grad(tensor(mu, DType::f64), [&](const Tensor& m) {
    return exp(Normal(m, sigma).log_prob(tensor(z, DType::f64)));
  });
  EXPECT_NEAR(computed.item(), right, 1e-14);
  const double printed_density =
      std::exp(-(z - mu) * (z - mu) / (sigma * sigma)) / (std::sqrt(2.0 * std::numbers::pi) * sigma);
  EXPECT_GT(std::abs(2.0 * (z - mu) / (sigma * sigma) * printed_density - right), 0.02);
}

// --- Other re-parameterizations available?
// -------------------------------------------------------------------------

constexpr std::int64_t kMany = 20'000;
Tensor uniform(std::uint64_t seed) { return Rng(seed).uniform({kMany}, 0.0, 1.0, DType::f64) + 0x1p-54; }

double law_of(const Tensor& z, const std::function<double(double)>& cdf) {
  return kolmogorov_smirnov(slice(z, 0, {0, 5000}).to_vector<double>(), cdf);
}
double laplace_cdf(double x) { return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(Document001, ExponentialAndCauchyAsPrinted) {
  EXPECT_GT(law_of(exponential_from_uniform(uniform(1)), [](double x) { return -std::expm1(-x); }), kLeast);
  const auto cauchy = [](double x) { return 0.5 + std::atan(x) / std::numbers::pi; };
  EXPECT_GT(law_of(cauchy_from_uniform(uniform(1)), cauchy), kLeast);
  // Printed: tan(pi e). The same law, by another order: it jumps in the middle.
  const Tensor angle = uniform(1) * std::numbers::pi;
  EXPECT_GT(law_of(sin(angle) / cos(angle), cauchy), kLeast);
}

// Printed: exp(-|x|) as the density. It has mass 2.
TEST(Document001, LaplaceDensityNeedsAHalf) {
  const Laplace law(tensor(0.0, DType::f64), 1.0);
  for (const double x : {-2.0, 0.0, 0.7})
    EXPECT_NEAR(std::exp(law.log_prob(tensor(x, DType::f64)).item()), 0.5 * std::exp(-std::abs(x)), 1e-15);
  EXPECT_GT(law_of(laplace_from_uniforms(uniform(1), uniform(2)), laplace_cdf), kLeast);
}

// Printed: e from [0, 1] in mu - b sgn(e) ln(1 - 2 |e|): no number for e > 1/2, and one side only below. It
// takes e from [-1/2, 1/2].
TEST(Document001, LaplaceOfOneUniformIsCentred) {
  const Tensor e = uniform(3), zero = tensor(0.0, DType::f64), one = tensor(1.0, DType::f64);
  EXPECT_GT(law_of(laplace_from_centred_uniform(e - 0.5, zero, one), laplace_cdf), kLeast);
  EXPECT_TRUE(std::isnan(laplace_from_centred_uniform(tensor(0.7, DType::f64), zero, one).item()));
  EXPECT_GT(min(laplace_from_centred_uniform(e * 0.5, zero, one)).item(), 0.0);
}

// Printed: sqrt(ln(1 / e_1)) cos(2 pi e_2), whose variance is 1/2.
TEST(Document001, BoxMullerNeedsATwo) {
  const Tensor u = uniform(4), v = uniform(5);
  const NormalPair pair = normals_from_uniforms(u, v);
  EXPECT_GT(law_of(pair.first, normal_cdf), kLeast);
  EXPECT_GT(law_of(pair.second, normal_cdf), kLeast);
  const Tensor printed = sqrt(-log(u)) * cos(v * (2.0 * std::numbers::pi));
  EXPECT_LT(law_of(printed, normal_cdf), 1e-6);
  EXPECT_NEAR(var(printed).item(), 0.5, 4.5 * 0.5 * std::sqrt(2.0 / kMany));
}

TEST(Document001, GaussianOfAFactorAndRademacher) {
  const Tensor R = cholesky(tensor({{2.0, 0.6}, {0.6, 0.5}}, DType::f64));
  const Tensor z = gaussian_from_normal(Rng(6).normal({kMany, 2}, 0.0, 1.0, DType::f64),
                                        tensor({1.0, -2.0}, DType::f64), R);
  const double correlation = mean((select(z, 1, 0) - 1.0) * (select(z, 1, 1) + 2.0)).item();
  EXPECT_NEAR(correlation, 0.6, 4.5 * std::sqrt((2.0 * 0.5 + 0.36) / kMany));
  EXPECT_TRUE(array_equal(rademacher_from_bernoulli(tensor({0.0, 1.0})), tensor({-1.0, 1.0})));
}

// exp of N(mu, sigma^2) as printed; written with noise that does not know the parameters, exp(mu + sigma e).
TEST(Document001, LogNormal) {
  const Tensor m = tensor(0.2, DType::f64), s = tensor(0.5, DType::f64);
  EXPECT_GT(law_of(log_normal_from_normal(Rng(7).normal({kMany}, 0.0, 1.0, DType::f64), m, s),
                   [](double x) { return normal_cdf((std::log(x) - 0.2) / 0.5); }),
            kLeast);
}

// IG(k, theta) = 1 / G(k, 1 / theta) holds where the second number of G is a scale; as a rate it must be
// theta.
TEST(Document001, InverseGammaTakesTheInverseAsAScale) {
  const InverseGamma law(tensor(6.0, DType::f64), 2.5);
  const auto cdf = [&](double x) { return law.cdf(tensor(x, DType::f64)).item(); };
  EXPECT_GT(
      law_of(inverse_gamma_from_gamma(Gamma(tensor(6.0, DType::f64), 2.5).sample(Rng(8), {kMany})), cdf),
      kLeast);
  EXPECT_LT(
      law_of(inverse_gamma_from_gamma(Gamma(tensor(6.0, DType::f64), 1.0 / 2.5).sample(Rng(8), {kMany})),
             cdf),
      1e-6);
}

// --- Gumbel-max trick and Softmax
// -----------------------------------------------------------------------------------

TEST(Document001, GumbelDensityIsALogitTimesItsDistributionFunction) {
  const double mu = 0.7;
  const Gumbel law(tensor(mu, DType::f64), 1.0);
  for (const double g : {-1.5, 0.0, 0.7, 4.0}) {
    const double density = std::exp(-(g - mu) - std::exp(-(g - mu)));
    EXPECT_NEAR(std::exp(law.log_prob(tensor(g, DType::f64)).item()), density, 1e-14);
    EXPECT_NEAR(law.cdf(tensor(g, DType::f64)).item(), std::exp(-std::exp(-(g - mu))), 1e-15);
    EXPECT_NEAR(density, std::exp(-g + mu) * law.cdf(tensor(g, DType::f64)).item(), 1e-14);
  }
}

// The integral of the document over z_k, by the trapezoidal rule. (Printed as the density of the maximum of
// the others, p(max = z): the product is the distribution function, P(max <= z).)
TEST(Document001, TheLargestOfGumbelsFollowsSoftmax) {
  const std::vector<double> p = softmax_by_hand(kX);
  for (std::size_t k = 0; k < kX.size(); ++k) {
    double integral = 0.0;
    for (double z = -5.0; z < 45.0; z += 0.05) {
      double product = std::exp(-(z - kX[k]) - std::exp(-(z - kX[k])));
      for (std::size_t i = 0; i < kX.size(); ++i) {
        if (i != k) product *= std::exp(-std::exp(-(z - kX[i])));
      }
      integral += 0.05 * product;
    }
    EXPECT_NEAR(integral, p[k], 1e-12);
  }
}

TEST(Document001, TheMaximumOfTheOthersHasThisDistributionFunctionNotThisDensity) {
  double mass = 0.0;  // of the product as a density
  for (double z = -5.0; z < 45.0; z += 0.05)
    mass += 0.05 * std::exp(-std::exp(-z) * (std::exp(2.0) + std::exp(-1.0)));
  EXPECT_GT(mass, 40.0);
}

// Printed: one G for all classes. Then the largest logit wins always; each needs noise of its own.
TEST(Document001, EachClassNeedsNoiseOfItsOwn) {
  const std::int64_t rows = 20'000;
  const Tensor mu = expand(tensor(kX), {rows, 4});
  const auto counts_of = [&](const Tensor& noise) {
    std::vector<double> counts(4);
    for (const std::int64_t i : argmax(mu + noise, -1).to_vector<std::int64_t>())
      counts[static_cast<std::size_t>(i)] += 1.0;
    return counts;
  };
  const Tensor one = gumbel_from_uniform(Rng(1).uniform({rows, 1}, 1e-12, 1.0, DType::f64),
                                         tensor(0.0, DType::f64), tensor(1.0, DType::f64));
  EXPECT_EQ(counts_of(one)[0], static_cast<double>(rows));
  const Tensor own = gumbel_from_uniform(Rng(1).uniform({rows, 4}, 1e-12, 1.0, DType::f64),
                                         tensor(0.0, DType::f64), tensor(1.0, DType::f64));
  std::vector<double> expected = softmax_by_hand(kX);
  for (double& v : expected) v *= static_cast<double>(rows);
  EXPECT_GT(chi_square(counts_of(own), expected), kLeast);
}

TEST(Document001, GumbelQuantile) {
  const Gumbel law(tensor(0.7, DType::f64), 1.3);
  for (const double u : {0.01, 0.5, 0.99}) {
    EXPECT_NEAR(law.quantile(tensor(u, DType::f64)).item(), 0.7 - 1.3 * std::log(-std::log(u)), 1e-14);
  }
}

// Printed: as tau -> 0 the softmax map becomes the largest of the probabilities. It becomes the one-hot
// vector.
TEST(Document001, TheSoftmaxMapBecomesOneHot) {
  expect_equal(softmax(tensor(kX) / 1e-3), {1.0, 0.0, 0.0, 0.0}, 1e-15);
  expect_equal(softmax(tensor(kX) / 1.0), softmax_by_hand(kX));
  EXPECT_NEAR(max(softmax(tensor(kX) / 1e-3)).item(), 1.0, 1e-15);
  EXPECT_LT(softmax_by_hand(kX)[0], 0.6);  // what is printed
}

// The mean of relaxed samples is not softmax: Gumbel-softmax is biased, the argmax is not.
TEST(Document001, GumbelSoftmaxIsBiased) {
  const std::int64_t many = 100'000;
  const Concrete law(2.0, tensor(kX));
  const double error = 4.5 * 0.5 / std::sqrt(static_cast<double>(many));
  const std::vector<double> p = softmax_by_hand(kX);
  EXPECT_GT(std::abs(mean(law.sample(Rng(2), {many}), 0).at({0}) - p[0]), 10.0 * error);
  EXPECT_NEAR(mean(law.straight_through(Rng(2), {many}), 0).at({0}), p[0], error);
}

// --- Stochastic Beam Search: max and index, top-k, truncation, re-scaling
// -------------------------------------------

TEST(Document001, ValueAndIndexOfTheMaximumAreIndependent) {
  const std::int64_t rows = 40'000;
  const GumbelMax drawn = gumbel_max(expand(tensor(kX), {rows, 4}), Rng(3));
  const double lse = std::log(std::exp(2.0) + std::exp(-1.0) + std::exp(0.5) + std::exp(1.2));
  const auto cdf = [&](double x) { return std::exp(-std::exp(lse - x)); };
  std::vector<double> counts(12), expected;
  const std::vector<double> maximum = drawn.maximum.to_vector<double>();
  const std::vector<std::int64_t> index = drawn.index.to_vector<std::int64_t>();
  for (std::size_t r = 0; r < index.size(); ++r) {
    counts[3 * static_cast<std::size_t>(index[r]) +
           std::min<std::size_t>(2, static_cast<std::size_t>(3.0 * cdf(maximum[r])))] += 1.0;
  }
  for (const double p : softmax_by_hand(kX)) {
    for (int third = 0; third < 3; ++third) expected.push_back(p * static_cast<double>(rows) / 3.0);
  }
  EXPECT_GT(chi_square(counts, expected), kLeast);
}

TEST(Document001, GumbelTopKIsSamplingWithoutReplacement) {
  const std::int64_t rows = 40'000;
  const Tensor drawn = gumbel_top_k(expand(tensor(kX), {rows, 4}), 2, Rng(4)).indices;
  const std::vector<std::int64_t> index = drawn.to_vector<std::int64_t>();
  const std::vector<double> p = softmax_by_hand(kX);
  std::vector<double> counts, expected;
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      double count = 0.0;
      for (std::size_t r = 0; r < index.size(); r += 2)
        count += index[r] == i && index[r + 1] == j ? 1.0 : 0.0;
      counts.push_back(count);
      const double first = p[static_cast<std::size_t>(i)],
                   second = p[static_cast<std::size_t>(j)] / (1.0 - first);
      expected.push_back(first * second * static_cast<double>(rows));
      EXPECT_NEAR(ordered_log_prob(tensor(kX), tensor({i, j})).item(), std::log(first * second), 1e-13);
    }
  }
  EXPECT_GT(chi_square(counts, expected), kLeast);
}

TEST(Document001, TruncatedGumbel) {
  const double phi = 0.4, T = 1.1;
  const TruncatedGumbel law(tensor(phi, DType::f64), tensor(T, DType::f64));
  for (const double g : {-1.0, 0.3, 1.0, 1.1, 2.0}) {
    EXPECT_NEAR(law.cdf(tensor(g, DType::f64)).item(),
                std::exp(std::exp(phi - T) - std::exp(phi - std::min(g, T))), 1e-14);
  }
  for (const double u : {0.001, 0.4, 0.999}) {
    EXPECT_NEAR(law.quantile(tensor(u, DType::f64)).item(), phi - std::log(std::exp(phi - T) - std::log(u)),
                1e-13);
  }
  EXPECT_EQ(law.quantile(tensor(1.0, DType::f64)).item(), T);
}

// Re-scaled Gumbels, F_T^-1(F_Z(g)). (The brace of the print says that -F_Z(g) stands under it; it is -log
// F_Z(g).)
TEST(Document001, RescaledGumbelsAreQuantilesOfQuantiles) {
  const std::vector<double> phi = {0.4, -0.3, 1.0}, g = {1.3, 0.2, 0.9};
  const double T = 2.2, Z = 1.3;
  const Tensor moved = gumbels_with_maximum(tensor(g), tensor(T, DType::f64));
  for (std::size_t i = 0; i < 3; ++i) {
    const TruncatedGumbel below_z(tensor(phi[i], DType::f64), tensor(Z, DType::f64));
    const TruncatedGumbel below_t(tensor(phi[i], DType::f64), tensor(T, DType::f64));
    const double u = below_z.cdf(tensor(g[i], DType::f64)).item();
    EXPECT_NEAR(below_t.quantile(tensor(u, DType::f64)).item(), moved.at({static_cast<std::int64_t>(i)}),
                1e-12);
    const double under_the_brace = std::exp(phi[i] - g[i]) - std::exp(phi[i] - Z);
    EXPECT_NEAR(under_the_brace, -std::log(u), 1e-12);
  }
  EXPECT_EQ(moved.at({0}), T);
  EXPECT_EQ(argmax(moved).item(), 0.0);
}

// The last step of the proof prints F_Z(F_T^-1(F_T(g))); it is F_Z(F_Z^-1(F_T(g))) = F_T(g), whatever Z is.
TEST(Document001, TheProofInvertsFZNotFT) {
  const double phi = 0.4, T = 2.2, g = 0.8;
  for (const double Z : {0.9, 1.3, 5.0}) {
    const TruncatedGumbel z(tensor(phi, DType::f64), tensor(Z, DType::f64)),
        t(tensor(phi, DType::f64), tensor(T, DType::f64));
    const Tensor f = t.cdf(tensor(g, DType::f64));
    EXPECT_NEAR(z.cdf(z.quantile(f)).item(), f.item(), 1e-13);
    EXPECT_GT(std::abs(z.cdf(t.quantile(f)).item() - f.item()), 0.01) << "as printed";
  }
}

// Printed: phi_S = sum of phi_i and exp(phi_S) = product of exp(phi_i). It is the log-sum-exp, as two lines
// above.
TEST(Document001, ANodeOfTheTreeHasTheLogSumExpOfItsLeaves) {
  const std::int64_t rows = 4000;
  const Tensor largest = max(tensor(kX) + Rng(5).gumbel({rows, 4}, DType::f64), -1);
  const double lse = logsumexp(tensor(kX)).item();
  const auto law_at = [&](double location) {
    return kolmogorov_smirnov(largest.to_vector<double>(),
                              [=](double x) { return std::exp(-std::exp(location - x)); });
  };
  EXPECT_GT(law_at(lse), kLeast);
  EXPECT_LT(law_at(sum(tensor(kX)).item()), 1e-6);
}

}  // namespace
}  // namespace likely
