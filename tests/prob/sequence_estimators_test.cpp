// Means over all sequences from some of them.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/prob/sequence/markov_chain.hpp"
#include "likely/prob/sequence/without_replacement.hpp"
#include "tests/prob/sequence_tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::all_sequences;
using testing::expect_refusal;
using testing::random_tree;
using testing::sequences_of;
using testing::Tokens;
using testing::TreeModel;

struct Moments {
  double mean = 0.0, variance = 0.0, error = 0.0;  // of the mean
};
Moments moments(const std::vector<double>& x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (const double v : x) m.mean += v / n;
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / (n - 1.0);
  m.error = std::sqrt(m.variance / n);
  return m;
}

// Any function of a sequence: here of its tokens and their places.
double value_of(const Tokens& tokens) {
  double value = 1.0;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    value += std::sin(3.0 * static_cast<double>(tokens[i] + std::ssize(tokens)) + static_cast<double>(i));
  return value;
}

Tensor values_of(const Sequences& found) {
  std::vector<double> values;
  for (const Tokens& tokens : sequences_of(found.tokens, found.lengths)) values.push_back(value_of(tokens));
  return tensor(values, found.lengths.shape());
}

double exact_mean(const TreeModel& tree) {
  double mean = 0.0;
  for (const auto& [tokens, p] : all_sequences(tree)) mean += std::exp(p) * value_of(tokens);
  return mean;
}

TEST(WithoutReplacement, UnbiasedWithLessVarianceThanWithReplacement) {
  for (const double sharpness : {1.0, 3.0}) {
    const TreeModel tree = random_tree(5, 4, 2, sharpness);
    ASSERT_GE(all_sequences(tree).size(), 9U);
    const double exact = exact_mean(tree);
    constexpr std::int64_t kRuns = 8000;
    for (const std::int64_t count : {2, 4, 7}) {
      const auto some = stochastic_beam_search(tree, count, Rng(41), {.starts = kRuns});
      const WithoutReplacement estimate = mean_without_replacement(some, values_of(some));
      const Moments unbiased = moments(estimate.unbiased.to_vector<double>());
      EXPECT_NEAR(unbiased.mean, exact, 4.5 * unbiased.error) << count;
      const auto drawn = sample_sequences(tree, count, Rng(43), {.starts = kRuns});
      const Moments replaced = moments(mean(values_of(drawn), {-1}).to_vector<double>());
      EXPECT_NEAR(replaced.mean, exact, 4.5 * replaced.error);
      const Moments normalised = moments(estimate.normalised.to_vector<double>());
      EXPECT_LT(normalised.variance, replaced.variance) << count;
      // The weights themselves have the mean 1.
      const Moments weights = moments(sum(exp(importance_log_weights(some)), {-1}).to_vector<double>());
      EXPECT_NEAR(weights.mean, 1.0, 4.5 * weights.error);
      // The stated variance has the true one as its mean.
      const Moments stated = moments(square(estimate.standard_error).to_vector<double>());
      std::vector<double> squares;
      for (const double x : estimate.unbiased.to_vector<double>())
        squares.push_back((x - unbiased.mean) * (x - unbiased.mean));
      EXPECT_NEAR(stated.mean, unbiased.variance, 5.0 * std::hypot(stated.error, moments(squares).error))
          << count;
      if (count > 3) {
        EXPECT_LT(unbiased.variance, replaced.variance) << count;
      }
    }
  }
}

TEST(WithoutReplacement, AllSequencesGiveTheMeanItself) {
  const TreeModel tree = random_tree(21, 4, 2);
  const auto all = all_sequences(tree);
  double entropy = 0.0;
  for (const auto& [tokens, p] : all) entropy -= std::exp(p) * p;
  for (const std::int64_t more : {0, 2}) {
    const auto some = stochastic_beam_search(tree, std::ssize(all) + more, Rng(3), {.starts = 2});
    const WithoutReplacement estimate = mean_without_replacement(some, values_of(some));
    const WithoutReplacement of_entropy = entropy_without_replacement(some);
    for (std::int64_t start = 0; start < 2; ++start) {
      EXPECT_NEAR(estimate.unbiased.at({start}), exact_mean(tree), 1e-12);
      EXPECT_NEAR(estimate.normalised.at({start}), exact_mean(tree), 1e-12);
      EXPECT_EQ(estimate.standard_error.at({start}), 0.0);
      EXPECT_EQ(estimate.normalised_standard_error.at({start}), 0.0);
      EXPECT_NEAR(of_entropy.unbiased.at({start}), entropy, 1e-12);
    }
  }
  const auto some = stochastic_beam_search(tree, 3, Rng(3));
  expect_refusal(
      [&] {
        (void)mean_without_replacement(some, tensor({1.0, 2.0}));
      },
      "[mean_without_replacement] values must be (1, 3), one for each sequence, got (2,)");
}

// The mean is a sum of weights and values: those are its gradient, and a place without a sequence has none.
TEST(WithoutReplacement, HasTheGradientOfTheValues) {
  const TreeModel tree = random_tree(21, 4, 2);
  for (const std::int64_t count : {std::int64_t{3}, std::ssize(all_sequences(tree)) + 1}) {
    const auto some = stochastic_beam_search(tree, count, Rng(3), {.starts = 2});
    const Tensor found = grad(values_of(some), [&](const Tensor& values) {
      return sum(mean_without_replacement(some, values).unbiased);
    });
    const Tensor weights = where(some.lengths > 0.0, exp(importance_log_weights(some)), 0.0);
    EXPECT_TRUE(allclose(found, weights, 1e-13, 1e-13));
    EXPECT_GT(sum(found).item(), 0.5);
    testing::check_gradients("normalised",
                             [&](const std::vector<Tensor>& values) {
                               return mean_without_replacement(some, values[0]).normalised;
                             },
                             {values_of(some)}, {.second = false});
  }
}

// H of n steps of a chain that begins in its stationary law: H(pi) + (n - 1) sum_i pi_i H(P_i).
TEST(WithoutReplacement, EntropyOfAChainOfKnownRate) {
  const double a = 0.3, b = 0.1;
  const Tensor stationary = tensor({b / (a + b), a / (a + b)}, DType::f64);
  const MarkovChain chain(stationary, tensor({{1 - a, a}, {b, 1 - b}}, DType::f64));
  const auto h = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
  constexpr std::int64_t kLength = 12, kRuns = 2000;
  const double exact = h(0.25) + (kLength - 1) * (0.25 * h(a) + 0.75 * h(b));
  const auto some = stochastic_beam_search(chain, 12, Rng(5), {.max_length = kLength, .starts = kRuns});
  const WithoutReplacement estimate = entropy_without_replacement(some);
  const Moments unbiased = moments(estimate.unbiased.to_vector<double>());
  EXPECT_NEAR(unbiased.mean, exact, 4.5 * unbiased.error);
  const auto drawn = sample_sequences(chain, 12, Rng(6), {.max_length = kLength, .starts = kRuns});
  const Moments replaced = moments((-mean(drawn.log_probabilities, {-1})).to_vector<double>());
  EXPECT_NEAR(replaced.mean, exact, 4.5 * replaced.error);
  const Moments normalised = moments(estimate.normalised.to_vector<double>());
  EXPECT_LT(normalised.variance, replaced.variance);
}

}  // namespace
}  // namespace likely
