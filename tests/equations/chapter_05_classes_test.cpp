// Chapter 5, loss functions, for answers, classes and several outputs (5.16-5.26): each numbered equation
// against plain arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/equations/chapter_05_rows.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/plain_network.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::book {
namespace {

using testing::golden_number;
using testing::numbers;
using testing::plain_sigmoid;

TEST(Udl05, Eq16_BernoulliProbabilities) {
  for (const double lambda : {0.01, 0.3, 0.5, 0.99}) {
    const Bernoulli law = Bernoulli::from_probabilities(number(lambda));
    EXPECT_NEAR(std::exp(law.log_prob(number(0.0)).item()), 1.0 - lambda, 1e-15);
    EXPECT_NEAR(std::exp(law.log_prob(number(1.0)).item()), lambda, 1e-15);
  }
}

TEST(Udl05, Eq17_BernoulliInOneExpression) {
  for (const double lambda : {0.07, 0.62}) {
    for (const double y : {0.0, 1.0})
      EXPECT_NEAR(std::exp(Bernoulli::from_probabilities(number(lambda)).log_prob(number(y)).item()),
                  std::pow(1.0 - lambda, 1.0 - y) * std::pow(lambda, y), 1e-15);
  }
}

TEST(Udl05, Eq18_Sigmoid) {
  for (const double z : {-30.0, -2.0, -0.1, 0.0, 0.4, 3.0, 25.0})
    EXPECT_NEAR(sigmoid(number(z)).item(), 1.0 / (1.0 + std::exp(-z)), 1e-15);
}

TEST(Udl05, Eq19_ProbabilityOfAnAnswer) {
  const Tensor f = numbers({9}, 4.0, 7), y = heaviside(numbers({9}, 1.0, 8));
  ASSERT_GT(sum(y).item(), 0.0);  // both answers are there
  ASSERT_LT(sum(y).item(), 9.0);
  const Tensor log_prob = Bernoulli(f).log_prob(y);
  for (std::int64_t i = 0; i < 9; ++i) {
    const double s = plain_sigmoid(f.at({i}));
    EXPECT_NEAR(std::exp(log_prob.at({i})), std::pow(1.0 - s, 1.0 - y.at({i})) * std::pow(s, y.at({i})),
                1e-14);
  }
}

TEST(Udl05, Eq20_BinaryCrossEntropy) {
  const Tensor f = numbers({9}, 4.0, 7), y = heaviside(numbers({9}, 1.0, 8));
  double expected = 0.0;
  for (std::int64_t i = 0; i < 9; ++i) {
    const double s = plain_sigmoid(f.at({i}));
    expected += -(1.0 - y.at({i})) * std::log(1.0 - s) - y.at({i}) * std::log(s);
  }
  EXPECT_NEAR(-sum(Bernoulli(f).log_prob(y)).item(), expected, 1e-12);
  EXPECT_NEAR(binary_cross_entropy_from_logits(f, y, {.reduction = Reduction::sum}).item(), expected, 1e-12);
}

// Answers that a line separates: twice as steep is always better, and 0 is never reached.
TEST(Udl05, Eq20_NoMinimumWhereALineSeparates) {
  const Tensor y = heaviside(x_data() - 0.4);
  double before = std::numeric_limits<double>::infinity();
  for (const double steepness : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    double expected = 0.0;  // every answer is on its own side
    for (const double x : kX) expected += std::log1p(std::exp(-steepness * std::abs(x - 0.4)));
    const double loss = -sum(Bernoulli(steepness * (x_data() - 0.4)).log_prob(y)).item();
    EXPECT_NEAR(loss, expected, 1e-12);
    EXPECT_LT(loss, before);
    EXPECT_GT(loss, 0.0);
    before = loss;
  }
}

TEST(Udl05, Eq20_BinaryCrossEntropyOfTheBook) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const Tensor f = golden_network(file, "/ch05_bernoulli")(golden_column(file, "/ch05_bernoulli/x"));
  const Tensor y = golden_column(file, "/ch05_bernoulli/y");
  const double nll = -sum(Bernoulli(f).log_prob(y)).item();
  EXPECT_NEAR(nll, golden_number(file, "/ch05_bernoulli/nll"), 1e-10);
  EXPECT_NEAR(std::exp(-nll), golden_number(file, "/ch05_bernoulli/likelihood"), 1e-10 * std::exp(-nll));
}

TEST(Udl05, Eq21_Categorical) {
  const std::vector<double> lambda{0.1, 0.45, 0.05, 0.4};
  const Categorical law = Categorical::from_probabilities(tensor(lambda));
  for (std::size_t k = 0; k < lambda.size(); ++k)
    EXPECT_NEAR(std::exp(law.log_prob(tensor(static_cast<std::int64_t>(k))).item()), lambda[k], 1e-15);
}

double plain_softmax(const Tensor& z, std::int64_t row, std::int64_t k) {
  double total = 0.0;
  for (std::int64_t j = 0; j < z.dim(1); ++j) total += std::exp(z.at({row, j}));
  return std::exp(z.at({row, k})) / total;
}

TEST(Udl05, Eq22_Softmax) {
  const Tensor z = numbers({6, 5}, 3.0, 9);
  const Tensor y = softmax(z);
  for (std::int64_t i = 0; i < 6; ++i) {
    double total = 0.0;
    for (std::int64_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(y.at({i, k}), plain_softmax(z, i, k), 1e-15);
      total += y.at({i, k});
    }
    EXPECT_NEAR(total, 1.0, 1e-15);
  }
}

TEST(Udl05, Eq23_ProbabilitiesByTheNetwork) {
  const ShallowNetwork network(2, 6, 3, {.activation = Activation::tanh, .dtype = DType::f64}, Rng(6));
  const Tensor x = numbers({5, 2}, 2.0, 10);
  const Tensor probabilities = Categorical(network(x)).probabilities();
  for (std::int64_t i = 0; i < 5; ++i) {
    const testing::Row h = testing::plain_layer(network.hidden.weight, network.hidden.bias,
                                                testing::row_of(x, i), testing::plain_tanh);
    const testing::Row f =
        testing::plain_layer(network.out.weight, network.out.bias, h, testing::plain_identity);
    const double total = std::exp(f[0]) + std::exp(f[1]) + std::exp(f[2]);
    for (std::int64_t k = 0; k < 3; ++k)
      EXPECT_NEAR(probabilities.at({i, k}), std::exp(f[static_cast<std::size_t>(k)]) / total, 1e-14);
  }
}

TEST(Udl05, Eq24_MulticlassCrossEntropy) {
  const Tensor f = numbers({6, 5}, 3.0, 11);
  const std::vector<std::int64_t> labels{4, 0, 2, 2, 1, 3};
  double first = 0.0, second = 0.0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const std::int64_t label = labels[static_cast<std::size_t>(i)];
    double total = 0.0;
    for (std::int64_t k = 0; k < 5; ++k) total += std::exp(f.at({i, k}));
    first -= std::log(plain_softmax(f, i, label));
    second -= f.at({i, label}) - std::log(total);
  }
  EXPECT_NEAR(first, second, 1e-12);
  EXPECT_NEAR(-sum(Categorical(f).log_prob(tensor(labels))).item(), first, 1e-12);
  EXPECT_NEAR(softmax_cross_entropy(f, tensor(labels), {.reduction = Reduction::sum}).item(), first, 1e-12);
}

TEST(Udl05, Eq25_SeveralOutputs) {
  const Tensor f = numbers({4, 3}, 1.0, 12), y = numbers({4, 3}, 2.0, 13);
  const Tensor joint = Independent(Normal(f, 0.7), 1).log_prob(y);
  ASSERT_EQ(joint.shape(), Shape({4}));
  for (std::int64_t i = 0; i < 4; ++i) {
    double product = 1.0;
    for (std::int64_t d = 0; d < 3; ++d) product *= normal_density(y.at({i, d}), f.at({i, d}), 0.49);
    EXPECT_NEAR(std::exp(joint.at({i})), product, 1e-14);
  }
}

TEST(Udl05, Eq26_LossOfSeveralOutputs) {
  const Tensor f = numbers({4, 3}, 1.0, 12), y = numbers({4, 3}, 2.0, 13);
  double expected = 0.0;
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t d = 0; d < 3; ++d)
      expected -= std::log(normal_density(y.at({i, d}), f.at({i, d}), 0.49));
  }
  EXPECT_NEAR(-sum(Independent(Normal(f, 0.7), 1).log_prob(y)).item(), expected, 1e-11);
}

}  // namespace
}  // namespace likely::book
