#include "likely/data/dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/data/batches.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

// Row i is (10 i, 10 i + 1), its target i.
Dataset tens(std::int64_t rows) {
  std::vector<float> x;
  for (std::int64_t i = 0; i < rows; ++i) {
    x.push_back(static_cast<float>(10 * i));
    x.push_back(static_cast<float>(10 * i + 1));
  }
  return {tensor(x, {rows, 2}), arange(rows)};
}

std::vector<std::int64_t> targets_of(const Dataset& dataset) {
  return dataset.targets().to_vector<std::int64_t>();
}

// The rows of x must belong to those of y.
void expect_paired(const Batch& batch) {
  EXPECT_TRUE(array_equal(select(batch.x, 1, 0), batch.y.to(DType::f32) * 10.0));
  EXPECT_TRUE(array_equal(select(batch.x, 1, 1), batch.y.to(DType::f32) * 10.0 + 1.0));
}

// Counts from 1, like somebody's file.
class Counting final : public Source {
 public:
  std::int64_t size() const override { return 5; }
  Batch rows(std::span<const std::int64_t> which) const override {
    std::vector<float> x;
    for (const std::int64_t row : which) x.push_back(static_cast<float>(row + 1));
    return {tensor(x), {}};
  }
};

// Has 5 rows, and gives fewer, or targets of others.
class Careless final : public Source {
 public:
  explicit Careless(Batch given) : given_(std::move(given)) {}
  std::int64_t size() const override { return 5; }
  Batch rows(std::span<const std::int64_t>) const override { return given_; }

 private:
  Batch given_;
};

TEST(Dataset, RefusesASourceThatGivesOtherRowsThanItWasAskedFor) {
  const auto asked = [](const Batch& given) {
    const Dataset dataset(std::make_shared<Careless>(given));
    dataset.rows({0, 2, 4});
  };
  asked({zeros({3, 2}), zeros({3})});
  expect_refusal(
      [&] {
        asked({zeros({2, 2}), {}});
      },
      "[Dataset] the source was asked for 3 rows and gave shapes (2, 2) and none");
  expect_refusal(
      [&] {
        asked({zeros({3, 2}), zeros({2})});
      },
      "[Dataset] the source was asked for 3 rows and gave shapes (3, 2) and (2,)");
  expect_refusal(
      [&] {
        asked({{}, {}});
      },
      "[Dataset] the source was asked for 3 rows and gave shapes none and none");
  expect_refusal(
      [&] {
        Dataset(std::make_shared<Careless>(Batch{zeros({4, 2}), {}})).all();
      },
      "[Dataset] the source was asked for 5 rows and gave shapes (4, 2) and none");
}

TEST(Dataset, GivesTheRowsAskedFor) {
  const Dataset dataset = tens(6);
  EXPECT_EQ(dataset.size(), 6);
  const Batch batch = dataset.rows({4, 0, 4});
  EXPECT_TRUE(array_equal(batch.x, tensor({{40.0, 41.0}, {0.0, 1.0}, {40.0, 41.0}})));
  EXPECT_TRUE(array_equal(batch.y, tensor({4, 0, 4})));
  EXPECT_EQ(batch.size(), 3);
  EXPECT_EQ(dataset.rows({}).x.shape().string(), "(0, 2)");
}

TEST(Dataset, GivesConsecutiveRowsWithoutACopy) {
  const Tensor x = arange(12.0, 24.0);
  const Dataset dataset(x);
  EXPECT_EQ(dataset.range(3, 4).x.data<float>(), x.data<float>() + 3);
  EXPECT_EQ(dataset.rows({3, 4, 5}).x.data<float>(), x.data<float>() + 3);
  EXPECT_EQ(dataset.all().x.data<float>(), x.data<float>());
  EXPECT_FALSE(dataset.all().y.defined());
}

TEST(Dataset, GathersRowsOfEveryTypeAndWidthOnAnyNumberOfThreads) {
  const int before = threads();
  Rng rng(7);
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    for (const std::int64_t width : {1, 2, 3, 784}) {
      const Tensor x = rng.randint(0, 2, {500, width}).to(dtype);
      const std::vector<std::int64_t> which = rng.randint(0, 500, {700}).to_vector<std::int64_t>();
      for (const int count : {1, 2, 3}) {
        set_threads(count);
        const Tensor rows = Dataset(x).rows(which).x;
        for (std::int64_t i = 0; i < 700; i += 13) {
          ASSERT_TRUE(array_equal(select(rows, 0, i), select(x, 0, which[static_cast<std::size_t>(i)])));
        }
      }
    }
  }
  set_threads(before);
}

TEST(Dataset, TakesViewsAsTheyLook) {
  const Tensor x = transpose(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}));
  EXPECT_TRUE(array_equal(Dataset(x).rows({2, 0}).x, tensor({{3.0, 6.0}, {1.0, 4.0}})));
}

TEST(Dataset, TakesSomebodysOwnSource) {
  const Dataset dataset(std::make_shared<Counting>());
  EXPECT_TRUE(array_equal(dataset.rows({4, 1}).x, tensor({5.0, 2.0})));
  EXPECT_TRUE(array_equal(dataset.all().x, tensor({1.0, 2.0, 3.0, 4.0, 5.0})));
  EXPECT_TRUE(array_equal(dataset.subset({4, 0}).all().x, tensor({5.0, 1.0})));
}

TEST(Dataset, SubsetsOfSubsetsNameRowsOfWhatTheyWereTakenFrom) {
  const Dataset part = tens(10).subset(2, 6).subset({5, 0, 0});
  EXPECT_EQ(targets_of(part), (std::vector<std::int64_t>{7, 2, 2}));
  expect_paired(part.all());
  expect_paired(part.rows({2, 0}));
  EXPECT_EQ(part.rows({2, 0}).y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 7}));
  EXPECT_EQ(tens(10).subset(4, 0).size(), 0);
}

TEST(Dataset, ShufflesByTheKeyAlone) {
  const Dataset shuffled = tens(100).shuffle(Rng(3));
  EXPECT_EQ(targets_of(shuffled), targets_of(tens(100).shuffle(Rng(3))));
  EXPECT_NE(targets_of(shuffled), targets_of(tens(100).shuffle(Rng(4))));
  EXPECT_NE(targets_of(shuffled), targets_of(tens(100)));
  std::vector<std::int64_t> sorted = targets_of(shuffled);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, targets_of(tens(100)));
  expect_paired(shuffled.all());
}

TEST(Dataset, SplitsIntoPartsThatHoldEveryRowOnce) {
  for (const std::int64_t rows : {0, 1, 7, 10, 101}) {
    const std::vector<Dataset> parts = tens(rows).split({0.7, 0.2, 0.1}, Rng(1));
    ASSERT_EQ(parts.size(), 3U);
    std::multiset<std::int64_t> seen;
    for (const Dataset& part : parts) {
      for (const std::int64_t target : targets_of(part)) seen.insert(target);
    }
    EXPECT_EQ(std::vector<std::int64_t>(seen.begin(), seen.end()), targets_of(tens(rows)));
  }
  const std::vector<Dataset> in_order = tens(10).split({0.8, 0.2});
  EXPECT_EQ(targets_of(in_order[1]), (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(tens(1000).split({0.9, 0.1}, Rng(1))[0].size(), 900);
}

TEST(Dataset, MapsWhateverIsRead) {
  const Dataset mapped = tens(6).map([](const Batch& batch) { return Batch{batch.x + 0.5, batch.y}; });
  EXPECT_TRUE(array_equal(mapped.rows({1}).x, tensor({{10.5, 11.5}})));
  EXPECT_TRUE(array_equal(mapped.subset({3, 1}).all().x, tensor({{30.5, 31.5}, {10.5, 11.5}})));
  const Dataset twice = mapped.map([](const Batch& batch) { return Batch{batch.x * 2.0, batch.y}; });
  EXPECT_TRUE(array_equal(twice.rows({1}).x, tensor({{21.0, 23.0}})));
}

TEST(Dataset, TakesOtherTargets) {
  const Dataset other = tens(4).subset({3, 1}).with_targets(tensor({30, 10}));
  EXPECT_TRUE(array_equal(other.rows({1, 0}).y, tensor({10, 30})));
  EXPECT_TRUE(array_equal(other.rows({1, 0}).x, tensor({{10.0, 11.0}, {30.0, 31.0}})));
  EXPECT_EQ(targets_of(other), (std::vector<std::int64_t>{30, 10}));
}

TEST(Dataset, JoinsPartsAndKeepsTheOrderAskedFor) {
  const Dataset joined = concat({tens(3), tens(10).subset(5, 2), tens(1)});
  EXPECT_EQ(joined.size(), 6);
  EXPECT_EQ(targets_of(joined), (std::vector<std::int64_t>{0, 1, 2, 5, 6, 0}));
  const Batch batch = joined.rows({4, 0, 5, 3, 4});
  EXPECT_EQ(batch.y.to_vector<std::int64_t>(), (std::vector<std::int64_t>{6, 0, 0, 5, 6}));
  expect_paired(batch);
  expect_paired(joined.shuffle(Rng(2)).all());
  EXPECT_EQ(joined.rows({}).x.shape().string(), "(0, 2)");
}

TEST(Dataset, ReadsTargetsOfManyRowsInPieces) {
  EXPECT_EQ(targets_of(tens(5000)), arange(5000).to_vector<std::int64_t>());
}

TEST(Dataset, RefusesWhatDoesNotFit) {
  const Dataset dataset = tens(3);
  expect_refusal([] { Dataset{Tensor()}; }, "[Dataset] x is an empty tensor");
  expect_refusal([] { Dataset(tensor(1.0)); }, "[Dataset] rows are needed along axis 0, x is a scalar");
  expect_refusal(
      [] {
        Dataset(zeros({3, 2}), zeros({4}));
      },
      "[Dataset] x and y must have the same number of rows, got shapes (3, 2) and (4,)");
  expect_refusal([] { Dataset(std::shared_ptr<const Source>()); }, "[Dataset] the source is a null pointer");
  expect_refusal([&] { dataset.rows({0, 3}); }, "[Dataset::rows] row 3 is out of range for 3 rows");
  expect_refusal([&] { dataset.rows({-1}); }, "[Dataset::rows] row -1 is out of range for 3 rows");
  expect_refusal([&] { dataset.subset({5}); }, "[Dataset::subset] row 5 is out of range for 3 rows");
  expect_refusal([&] { dataset.subset(1, 3); },
                 "[Dataset::subset] 3 rows from row 1 are out of range for 3 rows");
  expect_refusal([&] { dataset.range(-1, 1); },
                 "[Dataset::range] 1 rows from row -1 are out of range for 3 rows");
  expect_refusal(
      [&] {
        dataset.split({0.5, 0.4});
      },
      "[Dataset::split] the fractions must add up to 1, got 0.900000");
  expect_refusal(
      [&] {
        dataset.split({1.5, -0.5}, Rng(1));
      },
      "[Dataset::split] a fraction must not be negative, got -0.500000");
  expect_refusal([&] { dataset.with_targets(zeros({2})); },
                 "[Dataset::with_targets] a target is needed for each of 3 rows, got shape (2,)");
  expect_refusal([] { Dataset(zeros({2})).targets(); }, "[Dataset::targets] this dataset has no targets");
  expect_refusal([] { concat({}); }, "[concat] at least one dataset is needed");
  expect_refusal(
      [&] {
        concat({dataset, Dataset(zeros({1, 2}))}).rows({0, 3});
      },
      "[concat] some parts have targets and others have none");
  expect_refusal([&] { dataset.map({}); }, "[Dataset::map] the function is empty");
  const Dataset shorter = dataset.map([](const Batch& batch) {
    return Batch{slice(batch.x, 0, {.stop = 1}), batch.y};
  });
  expect_refusal(
      [&] {
        shorter.rows({0, 2});
      },
      "[Dataset::map] the function made shapes (1, 2) and (2,) of a batch of 2 rows");
  const Dataset augmented = dataset.augment([](Batch batch, Rng) { return batch; });
  expect_refusal([&] { concat({augmented}); },
                 "[concat] the dataset is augmented already: augment the result instead");
}

}  // namespace
}  // namespace likely::data
