// Unconstrained forms, probabilities and quantiles: other ways to make and to ask.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::numbers;
using In = const std::vector<Tensor>&;

const Tensor kRaw = numbers({4}, 2.0, 1), kOther = numbers({4}, 2.0, 2), kFree = numbers({4}, 3.0, 3);

// log(1 + e^x) of each number, by the standard library.
Tensor positive(const Tensor& raw) {
  std::vector<double> values;
  for (const double x : raw.to_vector<double>()) values.push_back(std::log1p(std::exp(x)));
  return tensor(values, raw.shape());
}

template <class Distribution>
void expect_same(const char* name, const Distribution& computed, const Distribution& expected) {
  const auto a = named_parts(computed), b = named_parts(expected);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(allclose(a[i].value, b[i].value, 1e-14, 1e-14)) << name << " " << a[i].name;
  }
}

TEST(Unconstrained, PositiveParametersAreTheSoftplusOfTheRawNumber) {
  const Tensor s = positive(kRaw), t = positive(kOther);
  expect_same("Normal", Normal::from_unconstrained(kFree, kRaw), Normal(kFree, s));
  expect_same("Laplace", Laplace::from_unconstrained(kFree, kRaw), Laplace(kFree, s));
  expect_same("Cauchy", Cauchy::from_unconstrained(kFree, kRaw), Cauchy(kFree, s));
  expect_same("Gumbel", Gumbel::from_unconstrained(kFree, kRaw), Gumbel(kFree, s));
  expect_same("LogNormal", LogNormal::from_unconstrained(kFree, kRaw), LogNormal(kFree, s));
  expect_same("Uniform", Uniform::from_unconstrained(kFree, kRaw), Uniform(kFree, kFree + s));
  expect_same("Exponential", Exponential::from_unconstrained(kRaw), Exponential(s));
  expect_same("Gamma", Gamma::from_unconstrained(kRaw, kOther), Gamma(s, t));
  expect_same("InverseGamma", InverseGamma::from_unconstrained(kRaw, kOther), InverseGamma(s, t));
  expect_same("Beta", Beta::from_unconstrained(kRaw, kOther), Beta(s, t));
  expect_same("StudentT", StudentT::from_unconstrained(kRaw, kFree, kOther), StudentT(s, kFree, t));
  expect_same("VonMises", VonMises::from_unconstrained(kFree, kRaw), VonMises(kFree, s));
  expect_same("Dirichlet", Dirichlet::from_unconstrained(kRaw), Dirichlet(s));
  expect_same("Poisson", Poisson::from_log_rate(kRaw), Poisson(exp(kRaw)));
  expect_same("numbers", Normal::from_unconstrained(1.0, kRaw), Normal(1.0, s));
}

TEST(Unconstrained, TheFactorOfAMultivariateNormal) {
  const Tensor raw = numbers({2, 2}, 2.0, 5);
  const Tensor factor = MultivariateNormal::from_unconstrained(zeros({2}, DType::f64), raw).factor();
  EXPECT_NEAR(factor.at({0, 0}), std::log1p(std::exp(raw.at({0, 0}))), 1e-14);
  EXPECT_NEAR(factor.at({1, 1}), std::log1p(std::exp(raw.at({1, 1}))), 1e-14);
  EXPECT_EQ(factor.at({1, 0}), raw.at({1, 0}));
  EXPECT_EQ(factor.at({0, 1}), 0.0);
}

TEST(Unconstrained, GradientsFlowThrough) {
  const Tensor x = positive(numbers({4}, 1.0, 7));
  check_gradients("Gamma", [&](In p) { return Gamma::from_unconstrained(p[0], p[1]).log_prob(x); },
                  {kRaw, kOther}, {.tolerance = 1e-5});
  check_gradients("Uniform", [&](In p) { return Uniform::from_unconstrained(p[0], p[1]).entropy(); },
                  {kFree, kRaw}, {.tolerance = 1e-5});
  check_gradients("Poisson",
                  [&](In p) {
                    return Poisson::from_log_rate(p[0]).log_prob(tensor({0, 1, 2, 5}));
                  },
                  {kRaw}, {.tolerance = 1e-5});
}

TEST(FromProbabilities, AreThoseProbabilities) {
  const Tensor p = tensor({0.1, 0.5, 0.999}, DType::f64);
  EXPECT_TRUE(allclose(Bernoulli::from_probabilities(p).mean(), p, 1e-14, 1e-14));
  EXPECT_TRUE(allclose(Categorical::from_probabilities(p).probabilities(), p / 1.599, 1e-14, 1e-14));
}

TEST(Normal, QuantilesAgainstBoost) {
  const boost::math::normal law(0.5, 2.0);
  const Normal same(tensor(0.5, DType::f64), 2.0);
  for (const double p : {1e-10, 0.2, 0.5, 0.99}) {
    EXPECT_NEAR(same.quantile(tensor(p, DType::f64)).item(), boost::math::quantile(law, p), 1e-11) << p;
  }
}

TEST(Parameters, NumbersTakeTheTypeOfTheTensorsBesideThem) {
  EXPECT_EQ(Normal(0.0, 1.0).scale.dtype(), DType::f32);
  EXPECT_EQ(Normal(kFree, 0.1).scale.item(), 0.1);
  EXPECT_EQ(Normal(kFree, 0.1).scale.dtype(), DType::f64);
  EXPECT_EQ(Normal(tensor({1, 2}), 1.0).location.dtype(), DType::f32);
  EXPECT_EQ(Normal(ones({2}), 2.0).scale.dtype(), DType::f32);
}

}  // namespace
}  // namespace likely
