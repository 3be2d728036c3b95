// Distributions made of distributions: Mixture, Independent, Transformed.
#include <gtest/gtest.h>

#include <boost/math/distributions/logistic.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using kernels::kolmogorov_smirnov;
using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;

constexpr double kLeast = 0.001;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor f64(const NestedList& list) { return tensor(list, DType::f64); }

struct TwoNormals {
  double p = 0.3;
  boost::math::normal first{-1.0, 0.5}, second{2.0, 1.5};
  double density(double x) const { return p * pdf(first, x) + (1 - p) * pdf(second, x); }
  double below(double x) const { return p * cdf(first, x) + (1 - p) * cdf(second, x); }
};

Mixture<Normal> two_normals() {
  return {Categorical(f64({std::log(0.3), std::log(0.7)})), Normal(f64({-1.0, 2.0}), f64({0.5, 1.5}))};
}

TEST(Mixture, OfTwoNormals) {
  const TwoNormals expected;
  const Mixture law = two_normals();
  EXPECT_EQ(law.batch_shape(), Shape{});
  for (const double x : {-3.0, -1.0, 0.2, 2.0, 6.0}) {
    EXPECT_NEAR(law.log_prob(f64(x)).item(), std::log(expected.density(x)), 1e-13);
    EXPECT_NEAR(law.cdf(f64(x)).item(), expected.below(x), 1e-14);
  }
  const double mean = -0.3 + 1.4;
  EXPECT_NEAR(law.mean().item(), mean, 1e-14);
  EXPECT_NEAR(law.variance().item(), 0.3 * (0.25 + 1.0) + 0.7 * (2.25 + 4.0) - mean * mean, 1e-13);
  const Tensor x = law.sample(Rng(1), {20'000});
  EXPECT_EQ(x.shape(), Shape{20'000});
  EXPECT_GT(kolmogorov_smirnov(x.to_vector<double>(), [&](double v) { return expected.below(v); }), kLeast);
}

TEST(Mixture, RsampleMovesAsTheQuantileDoes) {
  const auto law = [](In p) { return Mixture(Categorical(p[0]), Normal(p[1], p[2])); };
  const std::vector<Tensor> point = {f64({-0.4, 0.3}), f64({-1.0, 2.0}), f64({0.5, 1.5})};
  const Tensor drawn = law(point).sample(Rng(2), {6});
  EXPECT_TRUE(allclose(law(point).rsample(Rng(2), {6}), drawn, 1e-15, 1e-15));
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto slopes = grad(point, [&](In p) { return select(law(p).rsample(Rng(2), {6}), 0, i); });
    const auto cdf_slopes = grad(point, [&](In p) { return law(p).cdf(select(drawn, 0, i)); });
    const double density = std::exp(law(point).log_prob(drawn).at({i}));
    for (std::size_t k = 0; k < point.size(); ++k) {
      EXPECT_TRUE(allclose(slopes[k], -cdf_slopes[k] / density, 1e-12, 1e-14));
    }
  }
  // Components are chosen anew for other weights; so the curvature is that of the quantile, found by
  // bisection.
  const double x0 = drawn.at({0}), u = law(point).cdf(f64(x0)).item();
  const auto moved = [&](double by) {
    std::vector<Tensor> there = point;
    for (Tensor& t : there) t = t + by;
    double low = -20.0, high = 20.0;
    for (int i = 0; i < 100; ++i) {
      const double middle = 0.5 * (low + high);
      (law(there).cdf(f64(middle)).item() < u ? low : high) = middle;
    }
    return low;
  };
  const double h = 1e-3;
  const double expected = (moved(h) - 2.0 * x0 + moved(-h)) / (h * h);
  const auto curve = grad(point, [&](In p) {
    const auto slopes =
        grad(std::vector<Tensor>(p), [&](In q) { return select(law(q).rsample(Rng(2), {6}), 0, 0); });
    return sum(slopes[0]) + sum(slopes[1]) + sum(slopes[2]);
  });
  EXPECT_NEAR((sum(curve[0]) + sum(curve[1]) + sum(curve[2])).item(), expected,
              1e-4 * std::max(1.0, std::abs(expected)));
}

TEST(Mixture, BatchesAndVectors) {
  // One mixture of three for each of four rows: a mixture density network's output.
  const Mixture rows(Categorical(zeros({4, 3})), Normal(zeros({4, 3}), ones({4, 3})));
  EXPECT_EQ(rows.batch_shape(), Shape{4});
  EXPECT_EQ(rows.log_prob(zeros({4})).shape(), Shape{4});
  EXPECT_EQ(rows.sample(Rng(1), {7}).shape(), (Shape{7, 4}));
  EXPECT_EQ(rows.mean().shape(), Shape{4});
  // Vectors, with weights that all rows share.
  const Tensor means = numbers({2, 3, 5}), scales = square(numbers({2, 3, 5}, 1.0, 2)) + 0.3;
  const Categorical weights(numbers({3}));
  const Mixture vectors(weights, MultivariateNormal::diagonal(means, scales));
  const Mixture same(weights, Independent(Normal(means, scales), 1));
  const Tensor x = numbers({6, 2, 5}, 1.0, 3);
  EXPECT_EQ(vectors.event_shape(), Shape{5});
  EXPECT_EQ(vectors.log_prob(x).shape(), (Shape{6, 2}));
  EXPECT_EQ(vectors.sample(Rng(1), {6}).shape(), (Shape{6, 2, 5}));
  EXPECT_EQ(vectors.mean().shape(), (Shape{2, 5}));
  EXPECT_TRUE(allclose(vectors.log_prob(x), same.log_prob(x), 1e-13, 1e-13));
  EXPECT_TRUE(allclose(vectors.variance(), same.variance(), 1e-13, 1e-13));
  // By hand for one vector.
  const Tensor one = select(select(x, 0, 0), 0, 1);
  double density = 0.0;
  for (std::int64_t k = 0; k < 3; ++k) {
    double product = weights.probabilities().at({k});
    for (std::int64_t i = 0; i < 5; ++i) {
      product *= pdf(boost::math::normal(means.at({1, k, i}), scales.at({1, k, i})), one.at({i}));
    }
    density += product;
  }
  EXPECT_NEAR(vectors.log_prob(x).at({0, 1}), std::log(density), 1e-12);
}

TEST(Mixture, SamplesOfVectorsHaveTheMixturesMoments) {
  const Mixture law(
      Categorical(f64({0.5, -0.5})),
      MultivariateNormal::diagonal(f64({{-2.0, 1.0}, {3.0, 0.0}}), f64({{0.5, 1.0}, {1.0, 2.0}})));
  const Tensor x = law.sample(Rng(4), {50'000});
  EXPECT_TRUE(allclose(mean(x, 0), law.mean(), 0.0, 0.05));
  EXPECT_TRUE(allclose(var(x, 0), law.variance(), 0.02, 0.0));
}

TEST(Mixture, Gradients) {
  check_gradients("log_prob",
                  [](In p) { return Mixture(Categorical(p[0]), Normal(p[1], exp(p[2]))).log_prob(p[3]); },
                  {numbers({2, 3}), numbers({2, 3}, 1.0, 2), numbers({2, 3}, 0.5, 3), numbers({2}, 1.0, 4)},
                  {.tolerance = 1e-5});
  check_gradients("variance",
                  [](In p) { return Mixture(Categorical(p[0]), Normal(p[1], exp(p[2]))).variance(); },
                  {numbers({3}), numbers({3}, 1.0, 2), numbers({3}, 0.5, 3)}, {.tolerance = 1e-5});
}

TEST(Mixture, Refusals) {
  expect_refusal([] { Mixture(Categorical(zeros({3})), Normal(zeros({2}), 1.0)); },
                 "[Mixture] 3 weights for components of batch (2,)");
  expect_refusal([] { Mixture(Categorical(zeros({1})), Normal(0.0, 1.0)); },
                 "[Mixture] 1 weights for components of batch ()");
  expect_refusal(
      [] {
        Mixture(Categorical(zeros({4, 3})), Normal(zeros({3}), 1.0));
      },
      "[Mixture] weights (4, 3) do not broadcast to components of batch (3,)");
}

TEST(Independent, AddsUp) {
  const Normal base(numbers({4, 2, 3}), 1.5);
  const Independent law(base, 2);
  EXPECT_EQ(law.batch_shape(), Shape{4});
  EXPECT_EQ(law.event_shape(), (Shape{2, 3}));
  const Tensor x = numbers({4, 2, 3}, 1.0, 2);
  EXPECT_TRUE(allclose(law.log_prob(x), sum(base.log_prob(x), {1, 2})));
  EXPECT_TRUE(allclose(law.entropy(), sum(base.entropy(), {1, 2})));
  EXPECT_TRUE(array_equal(law.sample(Rng(1), {2}), base.sample(Rng(1), {2})));
  EXPECT_TRUE(array_equal(Independent(base, 0).log_prob(x), base.log_prob(x)));
  expect_refusal([&] { Independent(base, 4); }, "[Independent] 4 axes are needed, the batch is (4, 2, 3)");
}

TEST(Transformed, AnExponentialIsLogNormal) {
  const Transformed law(Normal(f64(0.3), 0.7), ExpMap());
  const boost::math::lognormal expected(static_cast<double>(0.3), static_cast<double>(law.base.scale.item()));
  for (const double x : {0.05, 1.0, 4.0}) {
    EXPECT_NEAR(law.log_prob(f64(x)).item(), std::log(pdf(expected, x)), 1e-13);
    EXPECT_NEAR(law.cdf(f64(x)).item(), cdf(expected, x), 1e-14);
  }
  for (const double x : {0.0, -2.0}) {
    EXPECT_EQ(law.log_prob(f64(x)).item(), -kInfinity);
    EXPECT_EQ(law.cdf(f64(x)).item(), 0.0);
    EXPECT_EQ(grad(f64(0.3),
                   [&](const Tensor& m) { return Transformed(Normal(m, 0.7), ExpMap()).log_prob(f64(x)); })
                  .item(),
              0.0);
  }
  const Tensor x = law.sample(Rng(1), {20'000});
  EXPECT_GT(kolmogorov_smirnov(x.to_vector<double>(), [&](double v) { return cdf(expected, v); }), kLeast);
}

// The density is the slope of the distribution function, whatever the map; and samples follow it.
template <class Map>
void check_map(const char* name, const Map& map, std::initializer_list<double> points, double above) {
  const Transformed law(Normal(f64(0.3), f64(0.8)), map);
  for (const double y : points) {
    const double slope = (law.cdf(f64(y + 1e-5)).item() - law.cdf(f64(y - 1e-5)).item()) / 2e-5;
    EXPECT_NEAR(std::exp(law.log_prob(f64(y)).item()), slope, 1e-7 * std::max(1.0, slope)) << name << y;
    EXPECT_NEAR(map.forward(map.inverse(f64(y))).item(), y, 1e-13) << name << y;
    check_gradients(name, [&](In p) { return Transformed(Normal(p[0], exp(p[1])), map).log_prob(p[2]); },
                    {f64(0.3), f64(-0.2), f64(y)}, {.tolerance = 1e-5});
    // log |dy/dx|
    const Tensor x = map.inverse(f64(y));
    const double dy = grad(x, [&](const Tensor& t) { return map.forward(t); }).item();
    EXPECT_NEAR(map.log_slope(x).item(), std::log(std::abs(dy)), 1e-12) << name << y;
  }
  const Tensor samples = law.sample(Rng(2), {20'000});
  const Tensor below = law.cdf(samples);
  EXPECT_GT(kolmogorov_smirnov(below.to_vector<double>(), [](double p) { return p; }), kLeast) << name;
  if (std::isfinite(above)) {
    EXPECT_EQ(law.log_prob(f64(above)).item(), -kInfinity) << name;
    EXPECT_EQ(law.cdf(f64(above)).item(), 1.0) << name;
  }
}

TEST(Transformed, EveryMap) {
  check_map("Exp", ExpMap(), {0.2, 1.0, 3.0}, kInfinity);
  check_map("Softplus", SoftplusMap(), {0.2, 1.0, 3.0}, kInfinity);
  check_map("Sigmoid", SigmoidMap(), {0.1, 0.5, 0.8}, 1.0);
  check_map("Tanh", TanhMap(), {-0.5, 0.1, 0.9}, 1.5);
  check_map("Affine", Affine(f64(1.0), f64(2.0)), {-2.0, 0.5, 4.0}, kInfinity);
  check_map("falling Affine", Affine(f64(1.0), f64(-2.0)), {-2.0, 0.5, 4.0}, kInfinity);
}

TEST(Transformed, LargeNumbersDoNotOverflow) {
  EXPECT_NEAR(TanhMap::log_slope(f64(400.0)).item(), 2.0 * std::log(2.0) - 800.0, 1e-10);
  EXPECT_NEAR(TanhMap::log_slope(f64(-400.0)).item(), 2.0 * std::log(2.0) - 800.0, 1e-10);
  EXPECT_NEAR(SigmoidMap::log_slope(f64(800.0)).item(), -800.0, 1e-10);
  EXPECT_NEAR(SoftplusMap::inverse(f64(800.0)).item(), 800.0, 1e-10);
}

TEST(Transformed, AnAffineMapOfANormalIsNormal) {
  const Transformed law(Normal(f64(0.5), f64(2.0)), Affine(f64(1.0), f64(-3.0)));
  const Normal expected(f64(-0.5), f64(6.0));
  EXPECT_NEAR(law.mean().item(), -0.5, 1e-15);
  EXPECT_NEAR(law.variance().item(), 36.0, 1e-13);
  EXPECT_NEAR(law.entropy().item(), expected.entropy().item(), 1e-14);
  EXPECT_NEAR(law.log_prob(f64(1.7)).item(), expected.log_prob(f64(1.7)).item(), 1e-14);
}

TEST(Transformed, VectorsAndNesting) {
  const Tensor m = numbers({4, 3}), x = square(numbers({4, 3}, 1.0, 2)) + 0.1;
  const Transformed vectors(MultivariateNormal::diagonal(m, ones({3}, DType::f64)), ExpMap());
  EXPECT_EQ(vectors.log_prob(x).shape(), Shape{4});
  const Independent same(LogNormal(m, 1.0), 1);
  EXPECT_TRUE(allclose(vectors.log_prob(x), same.log_prob(x), 1e-13, 1e-13));
  // A logit-normal law, shifted: one map after the other.
  const Transformed inner(Normal(f64(0.0), f64(1.0)), SigmoidMap());
  const Transformed outer(inner, Affine(f64(2.0), f64(4.0)));
  EXPECT_NEAR(outer.log_prob(f64(3.0)).item(), inner.log_prob(f64(0.25)).item() - std::log(4.0), 1e-14);
  EXPECT_EQ(outer.log_prob(f64(6.5)).item(), -kInfinity);
  EXPECT_EQ(outer.cdf(f64(6.5)).item(), 1.0);
}

TEST(Transformed, Refusals) {
  expect_refusal([] { Affine(0.0, 0.0); }, "[Affine] scale must be finite and not 0, got 0");
  expect_refusal([] { Transformed(Normal(0.0, 1.0), Affine(zeros({3}), 1.0)); },
                 "[Transformed] the map makes (3,) of the distribution's batch and event ()");
}

struct Posterior {
  Normal weight{zeros({3}), ones({3})};
  Mixture<Normal> other{Categorical(zeros({2})), Normal(zeros({2}), 1.0)};
  Transformed<Independent<Normal>, TanhMap> squashed{Independent(Normal(zeros({2}), 1.0), 1), TanhMap()};
  LIKELY_PARTS(weight, other, squashed)
};

TEST(Compose, DistributionsArePartsOfModels) {
  const Posterior model;
  std::vector<std::string> names;
  for (const Part& part : named_parts(model)) names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"weight.location", "weight.scale", "other.weights.logits",
                                             "other.components.location", "other.components.scale",
                                             "squashed.base.base.location", "squashed.base.base.scale"}));
  const Posterior gradient = grad(model, [](const Posterior& m) {
    return sum(m.weight.log_prob(tensor({1.0, 2.0, 3.0}))) + m.other.log_prob(tensor(0.5));
  });
  EXPECT_TRUE(allclose(gradient.weight.location, tensor({1.0, 2.0, 3.0})));
}

}  // namespace
}  // namespace likely
