// Divergences against quadrature of Boost's densities.
#include "likely/prob/kl.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/laws.hpp"
#include "tests/support/matrices.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::Law;
using testing::numbers;
using testing::scalars;
using In = const std::vector<Tensor>&;
using P = const testing::Parameters&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Divergence {
  std::string p, q;
  std::function<Tensor(P, P)> closed;
};

// Distributions from as many numbers as they have.
template <class Distribution>
Distribution made(P p) {
  if constexpr (std::is_constructible_v<Distribution, Parameter, Parameter, Parameter>) {
    return Distribution(p[0], p[1], p[2]);
  } else if constexpr (std::is_constructible_v<Distribution, Parameter, Parameter>) {
    return Distribution(p[0], p[1]);
  } else {
    return Distribution(p[0]);
  }
}

template <class First, class Second>
Divergence between(const std::string& p, const std::string& q) {
  return {p, q, [](P a, P b) { return kl(made<First>(a), made<Second>(b)); }};
}

const std::vector<Divergence> kDivergences = {
    between<Bernoulli, Bernoulli>("Bernoulli", "Bernoulli"),
    between<Beta, Beta>("Beta", "Beta"),
    between<Cauchy, Cauchy>("Cauchy", "Cauchy"),
    between<Exponential, Exponential>("Exponential", "Exponential"),
    between<Gamma, Gamma>("Gamma", "Gamma"),
    between<Gumbel, Gumbel>("Gumbel", "Gumbel"),
    between<InverseGamma, InverseGamma>("InverseGamma", "InverseGamma"),
    between<Laplace, Laplace>("Laplace", "Laplace"),
    between<LogNormal, LogNormal>("LogNormal", "LogNormal"),
    between<Normal, Normal>("Normal", "Normal"),
    between<Poisson, Poisson>("Poisson", "Poisson"),
    between<VonMises, VonMises>("VonMises", "VonMises"),
    between<Beta, Normal>("Beta", "Normal"),
    between<Exponential, Normal>("Exponential", "Normal"),
    between<Gamma, Normal>("Gamma", "Normal"),
    between<Gumbel, Normal>("Gumbel", "Normal"),
    between<InverseGamma, Normal>("InverseGamma", "Normal"),
    between<Laplace, Normal>("Laplace", "Normal"),
    between<LogNormal, Normal>("LogNormal", "Normal"),
    between<StudentT, Normal>("StudentT", "Normal"),
    between<Uniform, Normal>("Uniform", "Normal"),
    between<Beta, Exponential>("Beta", "Exponential"),
    between<Gamma, Exponential>("Gamma", "Exponential"),
    between<InverseGamma, Exponential>("InverseGamma", "Exponential"),
    between<LogNormal, Exponential>("LogNormal", "Exponential"),
    between<Beta, Gamma>("Beta", "Gamma"),
    between<Exponential, Gamma>("Exponential", "Gamma"),
    between<InverseGamma, Gamma>("InverseGamma", "Gamma"),
    between<LogNormal, Gamma>("LogNormal", "Gamma"),
    between<Exponential, Gumbel>("Exponential", "Gumbel"),
    between<Gamma, Gumbel>("Gamma", "Gumbel"),
    between<Normal, Gumbel>("Normal", "Gumbel"),
    between<Uniform, Gumbel>("Uniform", "Gumbel"),
    between<Normal, Laplace>("Normal", "Laplace"),
    between<Bernoulli, Poisson>("Bernoulli", "Poisson"),
};

const Law& law_named(const std::string& name) {
  for (const Law& law : testing::laws()) {
    if (law.name == name) return law;
  }
  throw std::runtime_error("no law " + name);
}

TEST(Kl, AgainstQuadrature) {
  for (const Divergence& d : kDivergences) {
    const Law& p = law_named(d.p);
    const Law& q = law_named(d.q);
    for (const auto& a : p.settings) {
      for (const auto& b : q.settings) {
        const double computed = d.closed(scalars(a), scalars(b)).item();
        const std::string what = d.p + " " + std::to_string(a[0]) + " to " + d.q + " " + std::to_string(b[0]);
        EXPECT_GE(computed, -1e-12) << what;
        if (d.p == d.q && a == b) {
          EXPECT_NEAR(computed, 0.0, 1e-13) << what;
        }
        if (!std::isfinite(computed)) continue;  // see below
        const double expected = total(p, a, [&](double x) {
          const double at = p.density(a, x);
          if (!(at > 1e-300)) return 0.0;
          // The logarithm of q as likely has it (tested against Boost), as Boost's density underflows.
          return at * (std::log(at) - q.log_prob(scalars(b), tensor(x, DType::f64)).item());
        });
        EXPECT_LE(std::abs(computed - expected), 1e-6 * std::max(1.0, std::abs(expected)))
            << what << ": computed " << computed << ", expected " << expected;
      }
    }
  }
}

TEST(Kl, FirstAndSecondDerivatives) {
  for (const Divergence& d : kDivergences) {
    const auto& a = law_named(d.p).settings[0];
    const auto& b = law_named(d.q).settings.back();
    testing::Parameters all = scalars(a);
    for (const Tensor& t : scalars(b)) all.push_back(t);
    const auto split = static_cast<std::ptrdiff_t>(a.size());
    check_gradients(d.p + " to " + d.q,
                    [&](In x) {
                      return d.closed(testing::Parameters(x.begin(), x.begin() + split),
                                      testing::Parameters(x.begin() + split, x.end())) *
                             1e-2;  // some are large
                    },
                    all, {.tolerance = 1e-5});
  }
}

TEST(Kl, WhatTheSecondCannotDrawIsInfinitelyFar) {
  const auto f64 = [](double x) { return tensor(x, DType::f64); };
  EXPECT_EQ(kl(Uniform(0.0, 2.0), Uniform(0.5, 3.0)).item(), kInfinity);
  EXPECT_NEAR(kl(Uniform(f64(1.0), 2.0), Uniform(f64(0.5), 3.0)).item(), std::log(2.5), 1e-15);
  EXPECT_EQ(kl(Beta(1.0, 2.0), Uniform(0.5, 3.0)).item(), kInfinity);
  EXPECT_NEAR(kl(Beta(f64(1.0), 1.0), Uniform(f64(0.0), 4.0)).item(), std::log(4.0), 1e-15);
  EXPECT_EQ(kl(Uniform(-1.0, 0.5), Beta(1.0, 2.0)).item(), kInfinity);
  EXPECT_EQ(kl(Uniform(0.5, 1.5), Beta(1.0, 2.0)).item(), kInfinity);
  EXPECT_EQ(kl(Uniform(-1.0, 2.0), Exponential(1.0)).item(), kInfinity);
  EXPECT_EQ(kl(Uniform(-1.0, 2.0), Gamma(2.0, 1.0)).item(), kInfinity);
  EXPECT_EQ(kl(InverseGamma(1.5, 1.0), Normal(0.0, 1.0)).item(), kInfinity);
  EXPECT_EQ(kl(InverseGamma(1.0, 1.0), Exponential(1.0)).item(), kInfinity);
  EXPECT_EQ(kl(StudentT(1.0, 0.0, 1.0), Normal(0.0, 1.0)).item(), kInfinity);
  // The exponential law is a gamma law of shape 1, and from 0 on the uniform law has a mean logarithm.
  const double one = kl(Uniform(f64(0.0), 2.0), Exponential(f64(1.5))).item();
  EXPECT_NEAR(one, kl(Uniform(f64(0.0), 2.0), Gamma(f64(1.0), 1.5)).item(), 1e-14);
  EXPECT_NEAR(one, -std::log(2.0) - std::log(1.5) + 1.5, 1e-14);
  // E[log x] = log 2 - 1 on (0, 2).
  EXPECT_NEAR(kl(Uniform(f64(0.0), 2.0), Gamma(f64(3.0), 1.0)).item(),
              -std::log(2.0) + std::lgamma(3.0) - 2.0 * (std::log(2.0) - 1.0) + 1.0, 1e-14);
}

TEST(Kl, UniformToBetaAndGamma) {
  // On the whole of (0, 1) E[log x] = E[log(1 - x)] = -1.
  const auto f64 = [](double x) { return tensor(x, DType::f64); };
  EXPECT_NEAR(kl(Uniform(f64(0.0), 1.0), Beta(f64(3.0), f64(0.4))).item(),
              std::lgamma(3.0) + std::lgamma(0.4) - std::lgamma(3.4) + 2.0 - 0.6, 1e-14);
  const Law& uniform = law_named("Uniform");
  const std::vector<double> ends = {0.2, 0.7};
  for (const char* name : {"Beta", "Gamma"}) {
    const Law& q = law_named(name);
    for (const auto& b : q.settings) {
      const double expected = total(uniform, ends, [&](double x) {
        return 2.0 * (std::log(2.0) - q.log_prob(scalars(b), f64(x)).item());
      });
      const Uniform p(f64(0.2), f64(0.7));
      const double computed =
          q.name == "Beta" ? kl(p, made<Beta>(scalars(b))).item() : kl(p, made<Gamma>(scalars(b))).item();
      EXPECT_NEAR(computed, expected, 1e-9 * std::max(1.0, expected)) << name << b[0];
    }
  }
  check_gradients("to Beta", [](In x) { return kl(Uniform(x[0], x[1]), Beta(x[2], x[3])); },
                  {f64(0.2), f64(0.7), f64(2.0), f64(0.6)}, {.tolerance = 1e-5});
  check_gradients("to Gamma", [](In x) { return kl(Uniform(x[0], x[1]), Gamma(x[2], x[3])); },
                  {f64(0.2), f64(0.7), f64(2.0), f64(0.6)}, {.tolerance = 1e-5});
}

TEST(Kl, OfMappedLawsIsThatOfTheLaws) {
  const Normal p(0.3, 0.7), q(-0.4, 1.2);
  EXPECT_EQ(kl(Transformed(p, TanhMap()), Transformed(q, TanhMap())).item(), kl(p, q).item());
  EXPECT_NEAR(kl(Transformed(p, ExpMap()), Transformed(q, ExpMap())).item(),
              kl(LogNormal(0.3, 0.7), LogNormal(-0.4, 1.2)).item(), 1e-6);
}

TEST(Kl, MonteCarloComesNear) {
  const Normal p(tensor(0.3, DType::f64), 0.7);
  const Normal q(tensor(-0.4, DType::f64), 1.2);
  const double exact = kl(p, q).item();
  EXPECT_NEAR(kl_monte_carlo(p, q, 200'000, Rng(1)).item(), exact, 0.01);
  EXPECT_NEAR(entropy_monte_carlo(p, 200'000, Rng(1)).item(), p.entropy().item(), 0.01);
  // It has a gradient, through the samples.
  const auto estimate = [&](const Tensor& m) { return kl_monte_carlo(Normal(m, 0.7), q, 200'000, Rng(1)); };
  const auto closed = [&](const Tensor& m) { return kl(Normal(m, 0.7), q); };
  EXPECT_NEAR(grad(p.location, estimate).item(), grad(p.location, closed).item(), 0.01);
  // Counts have no derivative, but a divergence.
  EXPECT_NEAR(kl_monte_carlo(Poisson(3.0), Poisson(4.0), 200'000, Rng(1)).item(),
              kl(Poisson(3.0), Poisson(4.0)).item(), 0.01);
  expect_refusal([&] { kl_monte_carlo(p, q, 0, Rng(1)); },
                 "[kl_monte_carlo] at least one sample is needed, got 0");
  expect_refusal([&] { entropy_monte_carlo(p, -1, Rng(1)); },
                 "[entropy_monte_carlo] at least one sample is needed, got -1");
}

TEST(Kl, MultivariateNormals) {
  const Tensor a = testing::positive_definite({3, 3}, 1), b = testing::positive_definite({3, 3}, 2);
  const Tensor m = numbers({3}, 1.0, 3), n = numbers({3}, 1.0, 4);
  const auto p = MultivariateNormal::from_covariance(m, a);
  const auto q = MultivariateNormal::from_covariance(n, b);
  // tr(B^-1 A) + d^T B^-1 d - n + log(det B / det A), halved; solve and logdet have tests of their own.
  const Tensor d = n - m;
  const double expected = 0.5 * (sum(diagonal(solve(b, a))).item() + dot(d, solve(b, d)).item() - 3.0 +
                                 logdet(b).item() - logdet(a).item());
  EXPECT_NEAR(kl(p, q).item(), expected, 1e-12);
  EXPECT_NEAR(kl(p, p).item(), 0.0, 1e-13);
  const Tensor s = square(numbers({3}, 1.0, 5)) + 0.2, t = square(numbers({3}, 1.0, 6)) + 0.2;
  const auto r = MultivariateNormal::diagonal(m, s), o = MultivariateNormal::diagonal(n, t);
  EXPECT_NEAR(kl(r, o).item(), sum(kl(Normal(m, s), Normal(n, t))).item(), 1e-13);
  EXPECT_NEAR(kl(r, o).item(), kl(MultivariateNormal::from_cholesky(m, r.factor()), o).item(), 1e-13);
  EXPECT_NEAR(kl(r, o).item(), kl(r, MultivariateNormal::from_cholesky(n, o.factor())).item(), 1e-13);
  check_gradients("kl",
                  [](In x) {
                    return kl(MultivariateNormal::from_unconstrained(x[0], x[1]),
                              MultivariateNormal::from_unconstrained(x[2], x[3]));
                  },
                  {m, numbers({3, 3}, 1.0, 7), n, numbers({3, 3}, 1.0, 8)}, {.tolerance = 1e-5});
}

TEST(Kl, DirichletsAndIndependents) {
  // With two classes they are beta laws.
  const Tensor a = tensor({0.7, 2.5}, DType::f64), b = tensor({3.0, 0.4}, DType::f64);
  const auto beta = [](const Tensor& c) { return Beta(select(c, 0, 0), select(c, 0, 1)); };
  EXPECT_NEAR(kl(Dirichlet(a), Dirichlet(b)).item(), kl(beta(a), beta(b)).item(), 1e-13);
  check_gradients("kl", [](In x) { return kl(Dirichlet(x[0]), Dirichlet(x[1])); },
                  {square(numbers({2, 3})) + 0.5, square(numbers({3}, 1.0, 4)) + 0.5});
  const Normal p(zeros({2, 3}), 1.0), q(ones({2, 3}), 2.0);
  EXPECT_EQ(kl(Independent(p, 1), Independent(q, 1)).shape(), Shape{2});
  EXPECT_TRUE(allclose(kl(Independent(p, 1), Independent(q, 1)), sum(kl(p, q), 1)));
  expect_refusal([&] { kl(Independent(p, 1), Independent(q, 2)); },
                 "[kl] events of 1 and of 2 axes are not comparable");
}

}  // namespace
}  // namespace likely
