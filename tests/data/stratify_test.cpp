#include "likely/data/stratify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

TEST(Stratify, GivesEveryPartItsShareOfEveryClass) {
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 103; ++i) labels.push_back(i < 50 ? 0 : i < 93 ? 1 : 2);
  const auto parts = stratified_parts(tensor(labels), 5, Rng(1));
  ASSERT_EQ(parts.size(), 5U);
  std::vector<std::int64_t> all;
  for (const auto& part : parts) {
    EXPECT_TRUE(part.size() == 20 || part.size() == 21);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    std::map<std::int64_t, int> counts;
    for (const std::int64_t row : part) ++counts[labels[static_cast<std::size_t>(row)]];
    EXPECT_EQ(counts[0], 10);
    EXPECT_NEAR(counts[1], 43 / 5.0, 1.0);
    EXPECT_NEAR(counts[2], 2, 1);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> expected(103);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(Stratify, SpreadsNumbers) {
  const Tensor targets = Rng(3).normal({200});
  const std::vector<double> values = targets.to_vector<double>();
  const Sample sample = stratified_sample(targets, 0.25, Rng(4));
  EXPECT_EQ(sample.chosen.size(), 50U);
  EXPECT_EQ(sample.rest.size(), 150U);
  // One from each four neighbours in the order of the targets.
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> chosen;
  for (const std::int64_t row : sample.chosen) chosen.push_back(values[static_cast<std::size_t>(row)]);
  std::sort(chosen.begin(), chosen.end());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_GE(chosen[i], sorted[4 * i]);
    EXPECT_LE(chosen[i], sorted[4 * i + 3]);
  }
}

TEST(Stratify, DependsOnTheKeyAlone) {
  const Tensor targets = Rng(3).randint(0, 3, {60});
  EXPECT_EQ(stratified_parts(targets, 4, Rng(1)), stratified_parts(targets, 4, Rng(1)));
  EXPECT_NE(stratified_parts(targets, 4, Rng(1)), stratified_parts(targets, 4, Rng(2)));
  EXPECT_NE(stratified_sample(targets, 0.2, Rng(1)).chosen, stratified_sample(targets, 0.2, Rng(2)).chosen);
}

TEST(Stratify, RefusesWhatCannotBeDivided) {
  expect_refusal(
      [] {
        stratified_parts(tensor({1, 2, 3}), 4, Rng(1));
      },
      "[stratified_parts] from 2 to 3 parts can be made of 3 rows, got 4");
  expect_refusal(
      [] {
        stratified_parts(tensor({{1, 2}}), 2, Rng(1));
      },
      "[stratified_parts] one target a row is needed, got (1, 2)");
  expect_refusal(
      [] {
        stratified_sample(tensor({1, 2, 3}), 0.1, Rng(1));
      },
      "[stratified_sample] a fraction of 0.100000 of 3 rows leaves one side without rows");
  expect_refusal(
      [] {
        stratified_sample(tensor({1.0, std::nan("")}), 0.5, Rng(1));
      },
      "[stratified_sample] the target of row 1 is NaN");
}

}  // namespace
}  // namespace likely::data
