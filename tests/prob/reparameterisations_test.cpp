// Random numbers as functions of noise: the laws of the results, and gradients of moments.
#include "likely/prob/sampling/reparameterisations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using kernels::kolmogorov_smirnov;
using In = const std::vector<Tensor>&;

constexpr double kLeast = 0.001;
constexpr std::int64_t kMany = 40'000;

Tensor uniform(std::uint64_t seed) {
  return (Rng(seed).uniform({kMany}, 0.0, 1.0, DType::f64) + 0x1p-54);  // never 0
}

// The law of the numbers, and their mean and variance within 4.5 standard errors; infinite moments are not
// asked.
template <class Law>
void expect_law(const char* name, const Tensor& z, const Law& law, double fourth) {
  const auto cdf = [&](double x) { return law.cdf(tensor(x, DType::f64)).item(); };
  std::vector<double> some = slice(z, 0, {0, 5000}).to_vector<double>();
  EXPECT_GT(kolmogorov_smirnov(some, cdf), kLeast) << name;
  if (!std::isfinite(fourth)) return;
  const double variance = law.variance().item();
  EXPECT_NEAR(mean(z).item(), law.mean().item(), 4.5 * std::sqrt(variance / kMany)) << name;
  EXPECT_NEAR(var(z).item(), variance, 4.5 * variance * std::sqrt((fourth - 1.0) / kMany)) << name;
}

const Tensor kZero = tensor(0.0, DType::f64);
const double kInf = std::numeric_limits<double>::infinity();

TEST(Reparameterisations, FollowTheirLaws) {
  const Tensor u = uniform(1), v = uniform(2);
  const Tensor m = tensor(0.7, DType::f64), b = tensor(1.3, DType::f64);
  expect_law("exponential", exponential_from_uniform(u), Exponential(tensor(1.0, DType::f64)), 9.0);
  expect_law("cauchy", cauchy_from_uniform(u), Cauchy(kZero, 1.0), kInf);
  expect_law("laplace of two", laplace_from_uniforms(u, v), Laplace(kZero, 1.0), 6.0);
  expect_law("laplace of one", laplace_from_centred_uniform(u - 0.5, m, b), Laplace(m, b), 6.0);
  const NormalPair pair = normals_from_uniforms(u, v);
  expect_law("first normal", pair.first, Normal(kZero, 1.0), 3.0);
  expect_law("second normal", pair.second, Normal(kZero, 1.0), 3.0);
  EXPECT_NEAR(mean(pair.first * pair.second).item(), 0.0, 4.5 / std::sqrt(1.0 * kMany));
  EXPECT_NEAR(mean(square(pair.first) * square(pair.second)).item(), 1.0, 4.5 * std::sqrt(8.0 / kMany));
  expect_law("log-normal",
             log_normal_from_normal(Rng(3).normal({kMany}, 0.0, 1.0, DType::f64), m, tensor(0.4, DType::f64)),
             LogNormal(m, 0.4), 6.5);
  const Tensor g = Gamma(tensor(6.0, DType::f64), tensor(2.5, DType::f64)).sample(Rng(4), {kMany});
  expect_law("inverse gamma", inverse_gamma_from_gamma(g), InverseGamma(tensor(6.0, DType::f64), 2.5), 30.0);
  expect_law("gumbel", gumbel_from_uniform(u, m, b), Gumbel(m, b), 5.4);
  const Tensor coin = rademacher_from_bernoulli(Rng(5).bernoulli({kMany}, 0.5, DType::f64));
  EXPECT_TRUE(array_equal(square(coin), ones({kMany}, DType::f64)));
  EXPECT_NEAR(mean(coin).item(), 0.0, 4.5 / std::sqrt(1.0 * kMany));
}

TEST(Reparameterisations, GaussianOfAnySquareRoot) {
  const Tensor mean_of = tensor({1.0, -2.0}, DType::f64);
  const Tensor covariance = tensor({{2.0, 0.6}, {0.6, 0.5}}, DType::f64);
  const Tensor lower = cholesky(covariance);
  // Another root: the factor and a turn; and one with three columns.
  const double c = std::cos(0.8), s = std::sin(0.8);
  const Tensor turned = matmul(lower, tensor({{c, -s}, {s, c}}, DType::f64));
  const Tensor wide = concat({lower * 0.6, slice(lower, 1, {0, 1}) * 0.0, lower * 0.8}, 1);
  for (const Tensor& R : {lower, turned, wide}) {
    EXPECT_TRUE(allclose(matmul(R, transpose(R, 0, 1)), covariance, 1e-12));
    const Tensor e = Rng(6).normal({kMany, R.shape().back()}, 0.0, 1.0, DType::f64);
    const Tensor z = gaussian_from_normal(e, mean_of, R);
    const Tensor centred = z - mean_of;
    const Tensor sample = matmul(transpose(centred, 0, 1), centred) / static_cast<double>(kMany);
    EXPECT_LT(max(abs(sample - covariance)).item(), 4.5 * 2.0 * std::sqrt(2.0 / kMany));
    const double deviation = std::sqrt(2.0);
    EXPECT_GT(kolmogorov_smirnov(
                  slice(select(z, -1, 0), 0, {0, 5000}).to_vector<double>(),
                  [&](double x) { return Normal(1.0, deviation).cdf(tensor(x, DType::f64)).item(); }),
              kLeast);
  }
  testing::expect_refusal(
      [&] { gaussian_from_normal(zeros({3}), mean_of, lower); },
      "[gaussian_from_normal] R must be a matrix with a column for each of e, got (2, 2) and (3,)");
}

// d/dtheta E f(g(noise, theta)) by the mean of derivatives, against the closed form, within 4.5 standard
// errors.
void expect_gradient(const char* name, const Tensor& theta,
                     const std::function<Tensor(const Tensor&)>& f_of_samples, double expected) {
  const Tensor each =
      grad(expand(theta, {kMany}).contiguous(), [&](const Tensor& t) { return sum(f_of_samples(t)); });
  EXPECT_NEAR(mean(each).item(), expected, 4.5 * std(each).item() / std::sqrt(1.0 * kMany)) << name;
}

TEST(Reparameterisations, GradientsOfMoments) {
  const Tensor u = uniform(7), v = uniform(8), e = Rng(9).normal({kMany}, 0.0, 1.0, DType::f64);
  const Tensor theta = tensor(1.4, DType::f64);
  // E[x^2] of Exponential(rate): 2 / rate^2.
  expect_gradient(
      "exponential", theta, [&](const Tensor& t) { return square(exponential_from_uniform(u) / t); },
      -4.0 / std::pow(1.4, 3));
  // E cos(x) of Cauchy(location, scale 1): e^-1 cos(location).
  expect_gradient(
      "cauchy", theta, [&](const Tensor& t) { return cos(cauchy_from_uniform(u) + t); },
      -std::exp(-1.0) * std::sin(1.4));
  // E[x^2] of Laplace(0, b): 2 b^2.
  expect_gradient(
      "laplace of two", theta, [&](const Tensor& t) { return square(t * laplace_from_uniforms(u, v)); },
      4.0 * 1.4);
  expect_gradient(
      "laplace of one", theta,
      [&](const Tensor& t) { return square(laplace_from_centred_uniform(u - 0.5, kZero, t)); }, 4.0 * 1.4);
  // E[x^4] of N(0, s^2): 3 s^4.
  expect_gradient(
      "normal", theta, [&](const Tensor& t) { return square(square(t * normals_from_uniforms(u, v).first)); },
      12.0 * std::pow(1.4, 3));
  // E[x] of LogNormal(m, s): exp(m + s^2 / 2), by s.
  expect_gradient(
      "log-normal", theta * 0.5, [&](const Tensor& t) { return log_normal_from_normal(e, kZero, t); },
      0.7 * std::exp(0.245));
  // E[x] of InverseGamma(k, theta) = theta / (k - 1), by its scale: the rate of the gamma number.
  const Tensor g = Rng(10).gamma({kMany}, 6.0, DType::f64);
  expect_gradient(
      "inverse gamma", theta, [&](const Tensor& t) { return inverse_gamma_from_gamma(g / t); }, 1.0 / 5.0);
  // E[x^2] of Gumbel(0, s) = s^2 (gamma^2 + pi^2 / 6).
  expect_gradient(
      "gumbel", theta, [&](const Tensor& t) { return square(gumbel_from_uniform(u, kZero, t)); },
      2.0 * 1.4 * (std::numbers::egamma * std::numbers::egamma + std::numbers::pi * std::numbers::pi / 6.0));
  // E[z_0 z_1] of N(0, R R^T), R = (a 0; b c): a b, by b.
  expect_gradient(
      "gaussian", theta,
      [&](const Tensor& t) {
        const Tensor two = stack({e, Rng(11).normal({kMany}, 0.0, 1.0, DType::f64)}, -1);
        const Tensor a = constant({kMany}, 0.8, DType::f64), zero = constant({kMany}, 0.0, DType::f64);
        const Tensor R = stack({stack({a, zero}, -1), stack({t, a}, -1)}, -2);
        const Tensor z = gaussian_from_normal(two, zeros({2}, DType::f64), R);
        return select(z, -1, 0) * select(z, -1, 1);
      },
      0.8);
}

TEST(Reparameterisations, Derivatives) {
  const Tensor u = slice(uniform(12), 0, {0, 6}), v = slice(uniform(13), 0, {0, 6});
  const Tensor m = tensor(0.3, DType::f64), s = tensor(1.2, DType::f64);
  testing::check_gradients("exponential", [](In in) { return exponential_from_uniform(in[0]); }, {u});
  testing::check_gradients("cauchy", [](In in) { return cauchy_from_uniform(in[0]); }, {u});
  testing::check_gradients("laplace of two", [](In in) { return laplace_from_uniforms(in[0], in[1]); },
                           {u, v});
  testing::check_gradients("laplace of one",
                           [](In in) { return laplace_from_centred_uniform(in[0], in[1], in[2]); },
                           {u - 0.5, m, s});
  testing::check_gradients("normals",
                           [](In in) {
                             const NormalPair pair = normals_from_uniforms(in[0], in[1]);
                             return pair.first + pair.second * 2.0;
                           },
                           {u, v});
  testing::check_gradients("log-normal", [](In in) { return log_normal_from_normal(in[0], in[1], in[2]); },
                           {u, m, s});
  testing::check_gradients("inverse gamma", [](In in) { return inverse_gamma_from_gamma(in[0]); }, {u + 0.3});
  testing::check_gradients("gumbel", [](In in) { return gumbel_from_uniform(in[0], in[1], in[2]); },
                           {u, m, s});
}

}  // namespace
}  // namespace likely
