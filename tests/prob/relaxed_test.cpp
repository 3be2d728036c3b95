// Relaxed one-hot vectors and coins.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/prob/distributions/concrete.hpp"
#include "likely/prob/distributions/relaxed_bernoulli.hpp"
#include "likely/prob/sampling/temperature.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using kernels::kolmogorov_smirnov;
using testing::check_gradients;
using testing::expect_refusal;
using In = const std::vector<Tensor>&;

constexpr double kLeast = 0.001;
constexpr double kInf = std::numeric_limits<double>::infinity();

// Numbers of the line whose logistic function goes through (0, 1), and the weights of an integral over it:
// the trapezoidal rule by u, x = sigmoid(u).
struct Line {
  Tensor x, rest, weight;  // x, 1 - x, dx
};

Line line(std::int64_t count, double reach) {
  const Tensor u = linspace(-reach, reach, count, DType::f64);
  const Tensor x = sigmoid(u), rest = sigmoid(-u);
  return {x, rest, x * rest * (2.0 * reach / static_cast<double>(count - 1))};
}

TEST(Concrete, DensityIntegratesToOneOverTwoAndThreeClasses) {
  for (const double temperature : {0.3, 0.7, 1.0, 2.5}) {
    const Line a = line(801, 60.0 / std::min(1.0, temperature));
    const Tensor two = stack({a.x, a.rest}, -1);
    EXPECT_NEAR(
        sum(exp(Concrete(temperature, tensor({0.4, -0.8}, DType::f64)).log_prob(two)) * a.weight).item(), 1.0,
        1e-9)
        << temperature;
    // x = s t, y = s (1 - t), z = 1 - s, of volume s.
    const Line b = line(401, 40.0 / std::min(1.0, temperature));
    const Tensor s = unsqueeze(b.x, -1), none = unsqueeze(b.rest, -1);
    const Tensor x = s * b.x, y = s * b.rest, z = expand(none, x.shape());
    const Concrete law(temperature, tensor({0.4, -0.8, 1.1}, DType::f64));
    const Tensor mass = exp(law.log_prob(stack({x, y, z}, -1))) * s * unsqueeze(b.weight, -1) * b.weight;
    EXPECT_NEAR(sum(mass).item(), 1.0, 1e-9) << temperature;
    // Of logarithms, by those of the first two: the factor e^y of the third is not in that volume.
    const Tensor logs = log(stack({x, y, z}, -1));
    const Tensor density = exp(ExpConcrete(temperature, law.logits).log_prob(logs)) / (x * y * z);
    EXPECT_NEAR(sum(density * s * unsqueeze(b.weight, -1) * b.weight).item(), 1.0, 1e-9) << temperature;
  }
}

TEST(Concrete, LogarithmsHaveTheDensityOfTheVectorTimesTheirProduct) {
  const Tensor logits = testing::numbers({4, 3}, 1.0);
  const Tensor temperature = tensor({0.2, 0.5, 1.0, 3.0}, DType::f64);
  const Tensor x = softmax(testing::numbers({4, 3}, 2.0, 5));
  const Tensor difference = ExpConcrete(temperature, logits).log_prob(log(x)) - sum(log(x), -1) -
                            Concrete(temperature, logits).log_prob(x);
  EXPECT_LT(max(abs(difference)).item(), 1e-12);
  // So far down that the vector itself is one-hot in any type.
  const ExpConcrete cold(1e-3, logits);
  const Tensor y = cold.sample(Rng(3), {100});
  EXPECT_TRUE(all(is_finite(cold.log_prob(y))).item() != 0.0);
  EXPECT_LT(min(y).item(), -745.0);
  EXPECT_TRUE(allclose(logsumexp(y, -1), zeros({100, 4}, DType::f64)));
}

// Each ratio of two numbers is logistic: t log(x_i / x_j) - (a_i - a_j).
TEST(Concrete, SamplesFollowTheirLaw) {
  for (const double temperature : {0.4, 1.0, 3.0}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor logits = tensor({0.4, -0.8, 1.1}, DType::f64).to(dtype);
      const ExpConcrete law(temperature, logits);
      const Tensor y = law.sample(Rng(4), {20'000}).to(DType::f64);
      EXPECT_TRUE(allclose(sum(exp(y), -1), ones({20'000}, DType::f64), 1e-5));
      for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 2}}) {
        const Tensor ratio =
            (select(y, -1, i) - select(y, -1, j)) * temperature - (logits.at({i}) - logits.at({j}));
        EXPECT_GT(kolmogorov_smirnov(ratio.to_vector<double>(),
                                     [](double v) { return 1.0 / (1.0 + std::exp(-v)); }),
                  kLeast);
      }
    }
  }
}

// Which number is largest does not depend on the temperature: it is the argmax of the same perturbed logits.
TEST(Concrete, TheLargestFollowsSoftmaxAtAnyTemperature) {
  const Tensor logits = tensor({0.4, -0.8, 1.1});
  const Tensor cold = argmax(Concrete(0.1, logits).sample(Rng(5), {30'000}), -1);
  EXPECT_TRUE(array_equal(cold, argmax(Concrete(5.0, logits).sample(Rng(5), {30'000}), -1)));
  std::vector<double> counts(3);
  for (const std::int64_t i : cold.to_vector<std::int64_t>()) counts[static_cast<std::size_t>(i)] += 1.0;
  EXPECT_GT(chi_square(counts, (softmax(logits) * 30'000.0).to_vector<double>()), kLeast);
}

TEST(Concrete, LimitsOfTheTemperature) {
  const Tensor logits = tensor({0.4, -0.8, 1.1}, DType::f64);
  // One-hot at the argmax as it becomes 0 ...
  const Tensor cold = Concrete(1e-4, logits).sample(Rng(6), {1000});
  EXPECT_GT(mean(max(cold, -1)).item(), 0.999);
  EXPECT_TRUE(allclose(mean(Concrete(1e-4, logits).sample(Rng(6), {40'000}), 0), softmax(logits), 1e-9,
                       4.0 * 0.5 / 200.0));
  // ... and 1 / K each as it grows.
  EXPECT_LT(max(abs(Concrete(1e5, logits).sample(Rng(6), {1000}) - 1.0 / 3.0)).item(), 1e-3);
}

TEST(Concrete, StraightThroughIsOneHotWithTheGradientOfTheSample) {
  const Tensor logits = testing::numbers({2, 4}, 1.0).to(DType::f32);
  const Concrete law(0.5, logits);
  const Tensor hard = law.straight_through(Rng(7), {50});
  const Tensor soft = law.rsample(Rng(7), {50});
  EXPECT_TRUE(array_equal(hard, one_hot(argmax(soft, -1), 4)));
  const Tensor weights = Rng(8).normal({50, 2, 4});
  const auto slope = [&](bool straight) {
    return grad(logits, [&](const Tensor& a) {
      const Concrete moved(0.5, a);
      return sum((straight ? moved.straight_through(Rng(7), {50}) : moved.rsample(Rng(7), {50})) * weights);
    });
  };
  EXPECT_TRUE(array_equal(slope(true), slope(false)));
  EXPECT_GT(max(abs(slope(true))).item(), 0.1);
}

TEST(Concrete, Derivatives) {
  const Tensor logits = testing::numbers({2, 3}, 1.0), temperature = tensor({0.6, 1.7}, DType::f64);
  const Tensor x = softmax(testing::numbers({5, 2, 3}, 1.5, 3));
  check_gradients("Concrete", [&](In in) { return Concrete(in[0], in[1]).log_prob(softmax(in[2])); },
                  {temperature, logits, log(x)});
  check_gradients("Concrete::rsample", [&](In in) { return Concrete(in[0], in[1]).rsample(Rng(9), {4}); },
                  {temperature, logits});
  check_gradients("ExpConcrete",
                  [&](In in) {
                    const ExpConcrete law(in[0], in[1]);
                    return law.log_prob(law.rsample(Rng(9), {4}));
                  },
                  {temperature, logits});
}

TEST(Concrete, ShapesEdgesAndRefusals) {
  const Concrete law(tensor({0.5, 1.0}), zeros({3, 1, 4}));
  EXPECT_EQ(law.batch_shape(), (Shape{3, 2}));
  EXPECT_EQ(law.event_shape(), Shape{4});
  EXPECT_EQ(law.sample(Rng(1), {5}).shape(), (Shape{5, 3, 2, 4}));
  EXPECT_EQ(law.log_prob(law.sample(Rng(1), {5})).shape(), (Shape{5, 3, 2}));
  EXPECT_EQ(Concrete(0.5, zeros({2})).log_prob(tensor({1.0, 0.0})).item(), -kInf);
  EXPECT_TRUE(
      all(is_finite(Concrete(0.01, zeros({2})).log_prob(Concrete(0.01, zeros({2})).sample(Rng(2), {500}))))
          .item() != 0.0);
  expect_refusal([] { Concrete(0.0, zeros({2})); },
                 "[Concrete] temperature must be finite and above 0, got 0");
  expect_refusal([] { ExpConcrete(-1.0, zeros({2})); },
                 "[ExpConcrete] temperature must be finite and above 0, got -1");
  expect_refusal(
      [] {
        Concrete(1.0, tensor({0.0, kInf}));
      },
      "[Concrete] logits must be finite, got inf at (1,)");
  expect_refusal([] { Concrete(1.0, tensor(0.0)); },
                 "[Concrete] logits must hold at least one element along the axis, got shape ()");
  expect_refusal(
      [] {
        Concrete(1.0, zeros({2})).log_prob(tensor({0.5, 0.6}));
      },
      "[Concrete] x must add up to 1 along the last axis, got 1.100000023841858 in row 0");
  expect_refusal(
      [] { ExpConcrete(1.0, zeros({2})).log_prob(zeros({2})); },
      "[ExpConcrete] y must have a log-sum-exp of 0 along the last axis, got 0.6931471824645996 in row 0");
}

TEST(RelaxedBernoulli, FollowsItsDistributionFunctionAndIntegratesToOne) {
  for (const double temperature : {0.3, 1.0, 2.5}) {
    const RelaxedBernoulli law(temperature, tensor(0.7, DType::f64));
    const Line a = line(2001, 60.0 / std::min(1.0, temperature));
    // Where x is next to 1 in a double there is next to nothing left.
    EXPECT_NEAR(sum(exp(law.log_prob(a.x)) * a.weight).item(), 1.0, temperature < 1.0 ? 5e-4 : 1e-9)
        << temperature;
    const auto cdf = [&](double x) { return law.cdf(tensor(x, DType::f64)).item(); };
    EXPECT_GT(kolmogorov_smirnov(law.sample(Rng(3), {4000}).to_vector<double>(), cdf), kLeast);
    EXPECT_NEAR(cdf(0.5), 1.0 / (1.0 + std::exp(0.7)), 1e-15);
    const Tensor p = linspace(0.01, 0.99, 9, DType::f64);
    EXPECT_TRUE(allclose(law.cdf(law.quantile(p)), p, 1e-10));
    EXPECT_EQ(cdf(-1.0), 0.0);
    EXPECT_EQ(cdf(1.0), 1.0);
    EXPECT_EQ(law.log_prob(tensor(1.0)).item(), -kInf);
    EXPECT_EQ(law.quantile(tensor({0.0, 1.0})).to_vector<double>(), (std::vector<double>{0.0, 1.0}));
  }
  // The Concrete law of two classes, by its first number.
  const Tensor x = linspace(0.05, 0.95, 7, DType::f64);
  EXPECT_TRUE(allclose(RelaxedBernoulli(0.6, 0.9).log_prob(x),
                       Concrete(0.6, tensor({0.9, 0.0}, DType::f64)).log_prob(stack({x, 1.0 - x}, -1)),
                       1e-6));
}

TEST(RelaxedBernoulli, StraightThroughDerivativesAndRefusals) {
  const Tensor a = testing::numbers({5}, 2.0), t = tensor(0.7, DType::f64);
  const RelaxedBernoulli law(t, a);
  const Tensor hard = law.straight_through(Rng(2), {200});
  EXPECT_TRUE(array_equal(hard, (law.rsample(Rng(2), {200}) > 0.5).to(DType::f64)));
  const auto slope = [&](bool straight) {
    return grad(a, [&](const Tensor& logits) {
      const RelaxedBernoulli moved(t, logits);
      return sum(straight ? moved.straight_through(Rng(2), {200}) : moved.rsample(Rng(2), {200}));
    });
  };
  EXPECT_TRUE(array_equal(slope(true), slope(false)));
  check_gradients("RelaxedBernoulli",
                  [](In in) { return RelaxedBernoulli(in[0], in[1]).log_prob(sigmoid(in[2])); },
                  {t, a, testing::numbers({3, 5}, 2.0, 4)});
  check_gradients("RelaxedBernoulli::rsample",
                  [](In in) { return RelaxedBernoulli(in[0], in[1]).rsample(Rng(3), {6}); }, {t, a});
  check_gradients("RelaxedBernoulli::cdf",
                  [](In in) { return RelaxedBernoulli(in[0], in[1]).cdf(sigmoid(in[2])); },
                  {t, a, testing::numbers({3, 5}, 2.0, 4)});
  expect_refusal([] { RelaxedBernoulli(0.0, 0.0); },
                 "[RelaxedBernoulli] temperature must be finite and above 0, got 0");
  expect_refusal([] { RelaxedBernoulli(1.0, kInf); }, "[RelaxedBernoulli] logits must be finite, got inf");
  expect_refusal([] { RelaxedBernoulli(1.0, 0.0).quantile(tensor(1.5)); },
                 "[RelaxedBernoulli] the probability of a quantile must lie in [0, 1], got 1.5");
}

TEST(TemperatureSchedule, FallsToItsFloorInSteps) {
  const TemperatureSchedule schedule{.first = 2.0, .rate = 1e-2, .floor = 0.5, .every = 10};
  EXPECT_EQ(schedule(0), 2.0);
  EXPECT_EQ(schedule(9), 2.0);
  EXPECT_EQ(schedule(10), 2.0 * std::exp(-0.1));
  EXPECT_EQ(schedule(19), 2.0 * std::exp(-0.1));
  EXPECT_EQ(schedule(10'000), 0.5);
  EXPECT_EQ(TemperatureSchedule()(5000), std::exp(-0.5));
  EXPECT_EQ(optim::Schedule(schedule)(10), schedule(10));
  expect_refusal([&] { schedule(-1); }, "[TemperatureSchedule] the step must be >= 0, got -1");
  expect_refusal([] { TemperatureSchedule{.every = 0}(1); },
                 "[TemperatureSchedule] every must be >= 1, got 0");
  expect_refusal([] { TemperatureSchedule{.floor = 0.0}(1); },
                 "[TemperatureSchedule] floor must be finite and above 0, got 0");
  expect_refusal([] { TemperatureSchedule{.first = -1.0}(1); },
                 "[TemperatureSchedule] first must be finite and above 0, got -1");
  expect_refusal([] { TemperatureSchedule{.rate = -1.0}(1); },
                 "[TemperatureSchedule] rate must be finite and not below 0, got -1");
}

}  // namespace
}  // namespace likely
