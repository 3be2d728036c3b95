#include "likely/data/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

TEST(KFold, HoldsOutEveryRowOnce) {
  for (const std::int64_t k : {2, 3, 5, 11}) {
    const std::vector<Fold> folds = k_fold(Dataset(zeros({11}), arange(11)), k, Rng(1));
    ASSERT_EQ(folds.size(), static_cast<std::size_t>(k));
    std::multiset<std::int64_t> held_out;
    for (const Fold& fold : folds) {
      EXPECT_GE(fold.validation.size(), 11 / k);
      EXPECT_LE(fold.validation.size(), 11 / k + 1);
      std::vector<std::int64_t> all = fold.train.targets().to_vector<std::int64_t>();
      for (const std::int64_t row : fold.validation.targets().to_vector<std::int64_t>()) {
        held_out.insert(row);
        all.push_back(row);
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, arange(11).to_vector<std::int64_t>());
    }
    EXPECT_EQ(std::vector<std::int64_t>(held_out.begin(), held_out.end()),
              arange(11).to_vector<std::int64_t>());
  }
}

TEST(KFold, RefusesTooFewOrTooMany) {
  const Dataset dataset(zeros({5}));
  expect_refusal([&] { k_fold(dataset, 1, Rng(1)); }, "[k_fold] k must be from 2 to the 5 rows, got 1");
  expect_refusal([&] { k_fold(dataset, 6, Rng(1)); }, "[k_fold] k must be from 2 to the 5 rows, got 6");
}

}  // namespace
}  // namespace likely::data
