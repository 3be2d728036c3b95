#include "likely/prob/distributions/categorical.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/divergences/kl.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// softmax of one row, by hand.
std::vector<double> probabilities_of(const std::vector<double>& logits) {
  double total = 0.0;
  for (const double x : logits) total += std::exp(x);
  std::vector<double> p;
  for (const double x : logits) p.push_back(std::exp(x) / total);
  return p;
}

const std::vector<double> kLogits = {0.3, -1.2, 2.0, 0.1};

TEST(Categorical, LogProbabilitiesByHand) {
  const std::vector<double> p = probabilities_of(kLogits);
  const Categorical law(tensor(kLogits));
  const Tensor all = law.log_prob(tensor({0, 1, 2, 3}));
  EXPECT_EQ(all.shape(), Shape{4});
  for (std::int64_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(all.at({k}), std::log(p[static_cast<std::size_t>(k)]), 1e-14);
    EXPECT_NEAR(law.log_prob(tensor(k)).item(), std::log(p[static_cast<std::size_t>(k)]), 1e-14);
  }
  EXPECT_EQ(law.log_prob(tensor(2)).rank(), 0);
}

TEST(Categorical, TheMeanLogProbabilityIsTheFusedLoss) {
  const Tensor logits = numbers({5, 3}, 2.0);
  const Tensor labels = tensor({0, 2, 1, 1, 0});
  const auto loss = [&](const Tensor& x) { return -mean(Categorical(x).log_prob(labels)); };
  const auto fused = [&](const Tensor& x) { return softmax_cross_entropy(x, labels); };
  const auto [value, gradient] = value_and_grad(logits, loss);
  const auto [fused_value, fused_gradient] = value_and_grad(logits, fused);
  EXPECT_NEAR(value.item(), fused_value.item(), 1e-15);
  EXPECT_TRUE(allclose(gradient, fused_gradient, 1e-14, 1e-16));
}

TEST(Categorical, Gradients) {
  const Tensor labels = tensor({0, 2, 1});
  check_gradients("log_prob", [&](In x) { return Categorical(x[0]).log_prob(labels); },
                  {numbers({3, 3}, 2.0)});
  check_gradients("log_prob, broadcast",
                  [&](In x) { return Categorical(x[0]).log_prob(unsqueeze(labels, 1)); },
                  {numbers({2, 3}, 2.0)});
  check_gradients("entropy", [](In x) { return Categorical(x[0]).entropy(); }, {numbers({2, 3}, 2.0)});
  check_gradients("mean", [](In x) { return Categorical(x[0]).mean(); }, {numbers({2, 3}, 2.0)});
  check_gradients("variance", [](In x) { return Categorical(x[0]).variance(); }, {numbers({2, 3}, 2.0)});
  check_gradients("cdf", [&](In x) { return Categorical(x[0]).cdf(labels); }, {numbers({3, 3}, 2.0)});
  check_gradients("kl", [](In x) { return kl(Categorical(x[0]), Categorical(x[1])); },
                  {numbers({2, 3}, 2.0), numbers({2, 3}, 1.0, 4)});
}

TEST(Categorical, MomentsByHand) {
  const std::vector<double> p = probabilities_of(kLogits);
  const std::vector<double> q = probabilities_of({1.0, 0.0, 0.0, -1.0});
  const Categorical law(tensor(kLogits));
  double mean = 0, square = 0, entropy = 0, divergence = 0, below = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const auto number = static_cast<double>(k);
    mean += p[k] * number;
    square += p[k] * number * number;
    entropy -= p[k] * std::log(p[k]);
    divergence += p[k] * std::log(p[k] / q[k]);
    below += p[k];
    EXPECT_NEAR(law.cdf(tensor(static_cast<std::int64_t>(k))).item(), below, 1e-14);
  }
  EXPECT_NEAR(law.mean().item(), mean, 1e-14);
  EXPECT_NEAR(law.variance().item(), square - mean * mean, 1e-14);
  EXPECT_NEAR(law.entropy().item(), entropy, 1e-14);
  EXPECT_NEAR(kl(law, Categorical(tensor({1.0, 0.0, 0.0, -1.0}, DType::f64))).item(), divergence, 1e-14);
}

TEST(Categorical, ClassesThatAreNeverDrawn) {
  const Categorical law(tensor({0.0, -kInfinity, 0.0}, DType::f64));
  EXPECT_EQ(law.log_prob(tensor(1)).item(), -kInfinity);
  EXPECT_NEAR(law.entropy().item(), std::log(2.0), 1e-15);
  EXPECT_NEAR(kl(law, Categorical(zeros({3}, DType::f64))).item(), std::log(1.5), 1e-15);
  EXPECT_EQ(kl(Categorical(zeros({3}, DType::f64)), law).item(), kInfinity);
  for (const auto k : law.sample(Rng(1), {100}).to_vector<std::int64_t>()) EXPECT_NE(k, 1);
  EXPECT_TRUE(allclose(Categorical::from_probabilities(tensor({1.0, 0.0, 3.0})).probabilities(),
                       tensor({0.25, 0.0, 0.75})));
}

TEST(Categorical, SamplesFollowTheProbabilities) {
  const std::vector<double> p = probabilities_of(kLogits);
  const Tensor samples = Categorical(tensor(kLogits)).sample(Rng(7), {100, 1000});
  EXPECT_EQ(samples.shape(), (Shape{100, 1000}));
  EXPECT_EQ(samples.dtype(), DType::i64);
  std::vector<double> counts(4), expected(4);
  for (const auto k : samples.to_vector<std::int64_t>()) counts[static_cast<std::size_t>(k)] += 1;
  for (std::size_t k = 0; k < 4; ++k) expected[k] = 1e5 * p[k];
  EXPECT_GT(kernels::chi_square(counts, expected), 0.001);
  EXPECT_EQ(Categorical(zeros({2, 5, 3})).sample(Rng(1), {4}).shape(), (Shape{4, 2, 5}));
}

TEST(Categorical, Refusals) {
  expect_refusal([] { Categorical(tensor(1.0)); },
                 "[Categorical] logits must hold at least one element along the axis, got shape ()");
  expect_refusal([] { Categorical(tensor({1, 2})); }, "[Categorical] logits must be floating, got i64");
  const Categorical law(zeros({2, 3}));
  expect_refusal([&] { law.log_prob(tensor({0.0, 1.0})); }, "[Categorical] labels must be i64, got f32");
  expect_refusal(
      [&] {
        law.log_prob(tensor({0, 3}));
      },
      "[softmax_cross_entropy] label 3 of row 1 is not in [0, 3)");
  expect_refusal(
      [] {
        Categorical::from_probabilities(tensor({0.5, -0.5}));
      },
      "[Categorical] probabilities must be finite and not below 0, got -0.5 at (1,)");
  expect_refusal(
      [] {
        Categorical::from_probabilities(zeros({2, 2}));
      },
      "[Categorical] the sum of each row of probabilities must be finite and above 0, got 0 at (0,)");
}

}  // namespace
}  // namespace likely
