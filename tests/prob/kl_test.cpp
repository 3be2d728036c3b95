// Divergences against quadrature of Boost's densities.
#include "likely/prob/divergences/kl.hpp"

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

// By mpmath. The numbers are exact, and all digits of what is left of laws so near to each other are asked
// for.
TEST(Kl, NearlyEqualLawsKeepTheirDigits) {
  const auto f64 = [](double x) { return tensor(x, DType::f64); };
  const auto expect = [](const char* what, const Tensor& computed, double expected) {
    EXPECT_NEAR(computed.item() / expected, 1.0, 2e-13) << what << ": " << computed.item();
  };
  const Tensor one = f64(1.0), three = f64(3.0);
  expect("Poisson", kl(Poisson(f64(1e12)), Poisson(f64(1e12 + 1))), 4.9999999999966666667e-13);
  expect("Poisson", kl(Poisson(f64(1e15)), Poisson(f64(1e15 + 1))), 4.9999999999999966667e-16);
  const auto gamma = [&](double a, double r, double b, double s) {
    return kl(Gamma(f64(a), f64(r)), Gamma(f64(b), f64(s)));
  };
  expect("Gamma", gamma(1e12, 1, 1e12 + 1, 1), 5.0000000000008333333e-13);
  expect("Gamma", gamma(1e6, 1, 1e6 + 1, 1), 5.0000008333333333332e-7);
  expect("Gamma", gamma(9, 1, 9 + 0x1p-20, 1), 5.3438275385475929067e-14);
  expect("Gamma", gamma(3, 1, 3 + 0x1p-20, 1), 1.7959519839531632031e-13);
  expect("Gamma", gamma(0.25, 1, 0.25 + 0x1p-30, 1), 7.4581526346942790343e-18);
  expect("Gamma", gamma(7, 3, 7, 3 + 0x1p-40), 3.2168134932611241412e-25);
  expect("Gamma", gamma(1e8, 1e8, 1e8 + 1, 1e8 + 1), 2.4999999916666667083e-17);
  expect("InverseGamma", kl(InverseGamma(f64(4), f64(1e6)), InverseGamma(f64(4), f64(1e6 + 1))),
         1.9999986666676666659e-12);
  const auto beta = [&](double a, double b, double c, double d) {
    return kl(Beta(f64(a), f64(b)), Beta(f64(c), f64(d)));
  };
  expect("Beta", beta(1e6, 2, 1e6 + 1, 2), 9.9999833333633332793e-13);
  expect("Beta", beta(3, 5, 3 + 0x1p-20, 5), 1.190514962169279704e-13);
  expect("Beta", beta(1e6, 1e6, 1e6 + 1, 1e6 + 1), 2.4999995833333333333e-13);
  expect(
      "Dirichlet",
      kl(Dirichlet(tensor({1e6, 2.0, 3.0}, DType::f64)), Dirichlet(tensor({1e6 + 1, 2.0, 3.0}, DType::f64))),
      2.4999883333895830623e-12);
  expect("Normal", kl(Normal(0.0, one), Normal(0.0, f64(1 + 0x1p-30))), 8.6736173664208093732e-19);
  expect("Normal", kl(Normal(0.0, three), Normal(f64(0x1p-30), three)), 4.8186763221577974845e-20);
  expect("Exponential", kl(Exponential(three), Exponential(f64(3 + 0x1p-30))), 4.8186763211605214761e-20);
  expect("Exponential", kl(Exponential(f64(1e12)), Exponential(f64(1e12 + 1))), 4.9999999999966666667e-25);
  expect("Laplace", kl(Laplace(0.0, three), Laplace(0.0, f64(3 + 0x1p-30))), 4.818676320163245468e-20);
  expect("Laplace", kl(Laplace(0.0, three), Laplace(f64(0x1p-30), three)), 4.8186763216591594802e-20);
  expect("Cauchy", kl(Cauchy(0.0, three), Cauchy(0.0, f64(3 + 0x1p-30))), 2.409338160330941736e-20);
  expect("Bernoulli", kl(Bernoulli(f64(0.25)), Bernoulli(f64(0.25 + 0x1p-30))), 1.0674364288661165066e-19);
  expect("Bernoulli", kl(Bernoulli(f64(-5)), Bernoulli(f64(-5 + 0x1p-20))), 3.0231871077658652743e-15);
  expect("Uniform", kl(Uniform(0.0, one), Uniform(0.0, f64(1 + 0x1p-40))), 9.0949470177251464761e-13);
  expect("Uniform", kl(Uniform(0.0, one), Uniform(f64(-0x1p-60), one)), 8.6736173798840354683e-19);
}

// Where a ratio of scales is too large or too small for a number, its derivatives are not.
TEST(Kl, DerivativesOfLawsFarApart) {
  const auto f64 = [](double x) { return tensor(x, DType::f64); };
  const auto slope = [&](const auto& divergence, double at) { return grad(f64(at), divergence).item(); };
  const auto expect = [](const char* what, double computed, double expected) {
    EXPECT_NEAR(computed / expected, 1.0, 1e-13) << what << ": " << computed;
  };
  const Tensor tiny = f64(1e-200), huge = f64(1e200);
  // d/ds of -log s, d/dt of log t: nothing else is left.
  expect("Normal", slope([&](const Tensor& s) { return kl(Normal(0.0, s), Normal(0.0, huge)); }, 1e-200),
         -1e200);
  expect("Normal", slope([&](const Tensor& t) { return kl(Normal(0.0, tiny), Normal(0.0, t)); }, 1e200),
         1e-200);
  expect("Laplace", slope([&](const Tensor& s) { return kl(Laplace(0.0, s), Laplace(0.0, huge)); }, 1e-200),
         -1e200);
  expect("Gumbel", slope([&](const Tensor& s) { return kl(Gumbel(0.0, s), Gumbel(0.0, huge)); }, 1e-200),
         -1e200);
  expect("Gumbel", slope([&](const Tensor& t) { return kl(Gumbel(0.0, tiny), Gumbel(0.0, t)); }, 1e200),
         1e-200);
  expect("Cauchy", slope([&](const Tensor& s) { return kl(Cauchy(0.0, s), Cauchy(0.0, huge)); }, 1e-200),
         -1e200);
  expect("Exponential", slope([&](const Tensor& r) { return kl(Exponential(r), Exponential(tiny)); }, 1e200),
         1e-200);
  expect("Exponential", slope([&](const Tensor& r) { return kl(Exponential(huge), Exponential(r)); }, 1e-200),
         -1e200);
  const Tensor two = f64(2.0);
  expect("Gamma", slope([&](const Tensor& r) { return kl(Gamma(two, r), Gamma(two, tiny)); }, 1e200), 2e-200);
  expect("Gamma", slope([&](const Tensor& r) { return kl(Gamma(two, huge), Gamma(two, r)); }, 1e-200),
         -2e200);
  expect("Uniform", slope([&](const Tensor& b) { return kl(Uniform(0.0, b), Uniform(0.0, huge)); }, 1e-200),
         -1e200);
  // Beside them in one batch ordinary numbers are as they are alone.
  const auto batch = [&](const Tensor& s) {
    return sum(kl(Cauchy(0.0, s), Cauchy(0.0, tensor({1e200, 2.0}, DType::f64))));
  };
  const Tensor both = grad(tensor({1e-200, 3.0}, DType::f64), batch);
  expect("Cauchy", both.at({0}), -1e200);
  expect("Cauchy", both.at({1}), 2.0 / 5.0 - 1.0 / 3.0);
}

// By hand: e^-d (1 + d) / t - 1 / s by the first scale, sign (1 - e^-d) / t by its location, and
// (1 - (|m - n| + s e^-d) / t) / t by the second scale, with d = |m - n| / s.
TEST(Kl, DerivativesOfLaplaceLawsAtAnyDistance) {
  struct Case {
    double m, s, n, t;
  };
  const std::vector<Case> cases{
      {1.5, 2.0, 1.0, 3.0},        {10.0, 2.0, 0.0, 3.0},      {-4.0, 4.0, 0.0, 0.5},  // d = 1
      {0.0, 1.0, 1e10, 1.0},       {1e3, 1.0, 0.0, 7.0},       {1.0, 1e-200, 0.0, 1e-100},
      {1.0, 1e-200, 0.0, 1e-200},                                 // d / t is too large for a number
      {1e200, 1.0, 0.0, 1e-200},                                  // and so is the divergence
      {1e200, 1e200, 0.0, 1e-100}, {-1e308, 1e290, 1e308, 1.0}};  // the difference of the locations is
  std::vector<double> m, s, n, t;
  for (const Case& one : cases) {
    m.push_back(one.m);
    s.push_back(one.s);
    n.push_back(one.n);
    t.push_back(one.t);
  }
  const auto derivatives = [](const std::vector<Tensor>& at) {
    return grad(
        at, [](const std::vector<Tensor>& x) { return sum(kl(Laplace(x[0], x[1]), Laplace(x[2], x[3]))); });
  };
  const auto f64 = [](const std::vector<double>& values) { return tensor(values); };
  const std::vector<Tensor> together = derivatives({tensor(m), tensor(s), tensor(n), tensor(t)});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    SCOPED_TRACE(i);
    const long double distance = std::abs(static_cast<long double>(c.m) - static_cast<long double>(c.n));
    const long double d = distance / static_cast<long double>(c.s);
    const auto scale = static_cast<long double>(c.t);
    const auto by_m = static_cast<double>((c.m > c.n ? 1.0L : -1.0L) * -std::expm1(-d) / scale);
    const std::vector<double> expected{
        by_m, static_cast<double>(std::exp(-d) * (1.0L + d) / scale - 1.0L / static_cast<long double>(c.s)),
        -by_m,
        static_cast<double>((1.0L - (distance + static_cast<long double>(c.s) * std::exp(-d)) / scale) /
                            scale)};
    const auto place = static_cast<std::int64_t>(i);
    const std::vector<Tensor> alone = derivatives({f64({c.m}), f64({c.s}), f64({c.n}), f64({c.t})});
    for (std::size_t k = 0; k < 4; ++k) {
      SCOPED_TRACE(k);
      for (const double computed : {together[k].at({place}), alone[k].at({0})}) {
        if (std::isinf(expected[k])) {
          EXPECT_EQ(computed, expected[k]);
        } else {
          EXPECT_NEAR(computed, expected[k], 1e-13 * std::abs(expected[k]));
        }
      }
    }
  }
}

// Divergences that are too large for a number are infinite, not NaN.
TEST(Kl, LawsTooFarApartForANumber) {
  const auto f64 = [](double x) { return tensor(x, DType::f64); };
  const Tensor tiny = f64(1e-200), huge = f64(1e200);
  EXPECT_EQ(kl(Normal(0.0, huge), Normal(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Laplace(0.0, huge), Laplace(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Laplace(huge, huge), Laplace(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Gumbel(0.0, huge), Gumbel(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Gumbel(huge, huge), Gumbel(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Gumbel(huge, tiny), Gumbel(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Gumbel(-huge, tiny), Gumbel(0.0, tiny)).item(), kInfinity);
  EXPECT_EQ(kl(Exponential(tiny), Exponential(huge)).item(), kInfinity);
  EXPECT_EQ(kl(Gamma(f64(2.0), tiny), Gamma(f64(2.0), huge)).item(), kInfinity);
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
