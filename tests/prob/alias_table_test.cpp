#include "likely/prob/sampling/alias_table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "tests/support/refusal.hpp"

namespace likely {

namespace {

using testing::expect_refusal;

std::vector<double> normalised(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// All bits that differ in their first sixteen: what is drawn how often is then exactly the weights, where
// these are multiples of 1 / 2^16.
TEST(AliasTable, DrawsExactlyByTheWeights) {
  const std::vector<double> weights{1, 2, 3, 2, 0, 7, 0.5, 0.5};
  const AliasTable table(weights);
  std::vector<std::int64_t> drawn(weights.size());
  for (std::uint64_t i = 0; i < 65536; ++i) ++drawn[table(i << 48)];
  for (std::size_t i = 0; i < weights.size(); ++i)
    EXPECT_EQ(static_cast<double>(drawn[i]), weights[i] / 16.0 * 65536.0) << i;
}

TEST(AliasTable, KnowsItsProbabilities) {
  Rng rng(3);
  for (const std::int64_t count : {1, 2, 7, 100, 5000}) {
    std::vector<double> weights = rng.exponential({count}, 1.0, DType::f64).to_vector<double>();
    for (std::size_t i = 0; i < weights.size(); i += 3) weights[i] *= i % 2 == 0 ? 1e-9 : 1e3;
    if (count > 2) weights[1] = 0.0;
    const std::vector<double> exact = normalised(weights);
    const std::vector<double> own = AliasTable(weights).probabilities();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(own[i], exact[i], 1e-9 * exact[i] + 1e-9 / static_cast<double>(count))
          << count << ": " << i;
    }
    EXPECT_NEAR(std::accumulate(own.begin(), own.end(), 0.0), 1.0, 1e-12);
    if (count > 2) {
      EXPECT_EQ(own[1], 0.0);
    }
  }
}

// Ends of columns: the first and the last bits that a column is given.
TEST(AliasTable, StaysWithinItsColumns) {
  const AliasTable one(std::vector<double>{5.0});
  EXPECT_EQ(one(0), 0U);
  EXPECT_EQ(one(std::numeric_limits<std::uint64_t>::max()), 0U);
  const AliasTable three(std::vector<double>{1.0, 1.0, 1.0});
  EXPECT_EQ(three(0), 0U);
  EXPECT_EQ(three(std::numeric_limits<std::uint64_t>::max()), 2U);
}

TEST(AliasTable, Samples) {
  const std::vector<double> weights{5, 1, 0, 4};
  const AliasTable table(weights);
  const std::int64_t n = 200'000;
  const Tensor drawn = table.sample(Rng(7), {n});
  EXPECT_EQ(drawn.dtype(), DType::i64);
  EXPECT_TRUE(drawn.to_vector<std::int64_t>() == table.sample(Rng(7), {n}).to_vector<std::int64_t>());
  std::vector<double> counts(4);
  for (const std::int64_t i : drawn.to_vector<std::int64_t>()) ++counts[static_cast<std::size_t>(i)];
  double chi_square = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double expected = weights[i] / 10.0 * static_cast<double>(n);
    if (expected > 0.0) chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_EQ(counts[2], 0.0);
  EXPECT_LT(chi_square, 23.0);  // two degrees of freedom: one in 10^5
}

TEST(AliasTable, RefusesWeightsThatAreNone) {
  expect_refusal([] { AliasTable(std::vector<double>{}); }, "[AliasTable] there are no weights");
  expect_refusal(
      [] {
        AliasTable(std::vector<double>{1, -2});
      },
      "[AliasTable] weights must be finite and at least 0, got -2 at 1");
  expect_refusal(
      [] {
        AliasTable(std::vector<double>{1, std::numeric_limits<double>::infinity()});
      },
      "[AliasTable] weights must be finite and at least 0, got inf at 1");
  expect_refusal(
      [] {
        AliasTable(std::vector<double>{0, 0});
      },
      "[AliasTable] the sum of the weights must be finite and above 0, got 0");
}

}  // namespace

}  // namespace likely
