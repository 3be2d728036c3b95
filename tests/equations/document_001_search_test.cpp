// The document on softmax, its section on stochastic beam search.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/prob/log_sum.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"
#include "likely/prob/sequence/search.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/prob/sequence_tree.hpp"

namespace likely {
namespace {

using testing::all_sequences;
using testing::random_tree;
using testing::sequences_of;
using testing::Tokens;
using testing::TreeModel;

// p(Y_1:t) is the product of the conditionals: the sum of their logarithms, each normalised.
TEST(Document001StochasticBeamSearch, JointDensityIsTheProductOfConditionals) {
  const TreeModel tree = random_tree(5, 4, 2);
  const auto all = all_sequences(tree);
  double total = 0.0;
  for (const auto& [tokens, p] : all) total += std::exp(p);
  EXPECT_NEAR(total, 1.0, 1e-12);
  const auto found = stochastic_beam_search(tree, 5, Rng(1));
  const auto sequences = sequences_of(found.tokens, found.lengths);
  for (std::size_t i = 0; i < sequences.size(); ++i)
    EXPECT_NEAR(found.log_probabilities.at({0, static_cast<std::int64_t>(i)}), all.at(sequences[i]), 1e-12);
}

// Erratum: phi_i of a sequence is its log-probability, with that of the prefix; the conditional alone does
// not add up to 1 over the leaves.
TEST(Document001StochasticBeamSearch, PhiOfASequenceHasItsPrefixInIt) {
  const TreeModel tree = random_tree(5, 4, 2);
  double conditionals = 0.0;
  for (const auto& [tokens, p] : all_sequences(tree)) {
    std::int64_t node = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      node = tree.children[static_cast<std::size_t>(node)][static_cast<std::size_t>(tokens[i])];
    conditionals +=
        std::exp(tree.rows[static_cast<std::size_t>(node)][static_cast<std::size_t>(tokens.back())]);
  }
  EXPECT_GT(conditionals, 2.0);
}

// Erratum: phi_S is the log-sum-exp over the leaves below S, not their sum; exp(phi_S) is not their product.
TEST(Document001StochasticBeamSearch, PhiOfAPartialTreeIsALogSumExp) {
  const TreeModel tree = random_tree(5, 4, 2);
  const auto all = all_sequences(tree);
  for (std::int64_t token = 1; token < 4; ++token) {
    const double prefix = tree.rows[0][static_cast<std::size_t>(token)];
    if (std::isinf(prefix)) continue;
    std::vector<double> leaves;
    double sum = 0.0;
    for (const auto& [tokens, p] : all) {
      if (tokens[0] != token) continue;
      leaves.push_back(p);
      sum += p;
    }
    EXPECT_NEAR(detail::log_sum(leaves), prefix, 1e-12);
    if (leaves.size() > 1) {
      EXPECT_LT(sum, prefix - 0.1);
    }
  }
}

// G of a partial tree is the largest of its leaves: Gumbel(phi_S). Bottom up, which is what top down
// replaces.
TEST(Document001StochasticBeamSearch, BottomUpAndTopDownHaveOneLaw) {
  const TreeModel tree = random_tree(5, 4, 2);
  std::vector<Tokens> leaves;
  std::vector<double> phi;
  for (const auto& [tokens, p] : all_sequences(tree)) {
    leaves.push_back(tokens);
    phi.push_back(p);
  }
  constexpr std::int64_t kRuns = 4000;
  const Tensor gumbels = Rng(2).gumbel({kRuns, std::ssize(phi)}, DType::f64) + tensor(phi);
  const TopK bottom_up = topk(gumbels, 3);
  const auto top_down = stochastic_beam_search(tree, 3, Rng(3), {.starts = kRuns});
  // The distances of the three, and of the first from 0, by the two-sample Kolmogorov-Smirnov test.
  for (const auto& pick : {+[](const Tensor& x) {
                             return slice(x, -1, {0, 1});
                           },
                           +[](const Tensor& x) {
                             return slice(x, -1, {0, 1}) - slice(x, -1, {2, 3});
                           }}) {
    std::vector<double> a = pick(bottom_up.values).to_vector<double>(),
                        b = pick(top_down.perturbed).to_vector<double>();
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    double distance = 0.0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      (a[i] < b[j] ? i : j) += 1;
      distance = std::max(distance, std::abs(static_cast<double>(i) - static_cast<double>(j)) / kRuns);
    }
    EXPECT_LT(distance, 1.95 * std::sqrt(2.0 / kRuns));  // 0.1 % of all samples are further apart
  }
}

// The re-scaling of the children's Gumbels, -log(exp(-G_S) - exp(-Z) + exp(-G)), and the arrivals that the
// search draws one after the other instead have the same law: here of the second largest of three.
TEST(Document001StochasticBeamSearch, RescaledGumbelsAndArrivalsHaveOneLaw) {
  const Tensor phi = log_softmax(tensor({0.3, -0.4, 1.1}, DType::f64));
  constexpr double kMaximum = 0.7;
  constexpr std::int64_t kRuns = 20'000;
  const Tensor moved =
      gumbels_with_maximum(Rng(4).gumbel({kRuns, 3}, DType::f64) + phi, full({kRuns}, kMaximum, DType::f64));
  const Tensor second = select(topk(moved, 2).values, -1, 1);
  // Given the first token i, the second comes at a rate of 1 - p_i after the time e^-maximum.
  const std::vector<double> p = exp(phi).to_vector<double>();
  const auto cdf = [&](double g) {
    double total = 0.0;
    for (const double q : p) total += q * std::exp(-(1.0 - q) * (std::exp(-g) - std::exp(-kMaximum)));
    return total;
  };
  EXPECT_GT(kernels::kolmogorov_smirnov(second.to_vector<double>(), cdf), 0.001);
  EXPECT_TRUE(allclose(max(moved, {-1}), full({kRuns}, kMaximum, DType::f64)));
}

// exp(phi_S') = exp(phi_S) p(Y^S' | Y^S), and the largest of a prefix's continuations is what was drawn for
// it.
TEST(Document001StochasticBeamSearch, PrefixesKeepTheirLargestContinuation) {
  const TreeModel tree = random_tree(5, 4, 2);
  const auto count = std::ssize(all_sequences(tree));
  const auto leaves = stochastic_beam_search(tree, count, Rng(5));
  // The same key, cut after one token: prefixes with the largest of their leaves.
  const auto prefixes = stochastic_beam_search(tree, count, Rng(5), {.max_length = 1});
  std::map<std::int64_t, double> largest;
  const auto sequences = sequences_of(leaves.tokens, leaves.lengths);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const double g = leaves.perturbed.at({0, static_cast<std::int64_t>(i)});
    const auto [at, first] = largest.try_emplace(sequences[i][0], g);
    at->second = std::max(at->second, g);
  }
  const auto tokens = sequences_of(prefixes.tokens, prefixes.lengths);
  for (std::size_t i = 0; i < largest.size(); ++i)
    EXPECT_EQ(largest.at(tokens[i][0]), prefixes.perturbed.at({0, static_cast<std::int64_t>(i)}));
}

}  // namespace
}  // namespace likely
