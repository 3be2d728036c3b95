#include "likely/data/augmentations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

TEST(Augmentations, NoiseHasTheSizeAskedFor) {
  const Batch noisy = add_noise(0.3)({zeros({200, 100}), {}}, Rng(1));
  EXPECT_NEAR(mean(noisy.x).item(), 0.0, 0.01);
  EXPECT_NEAR(std::sqrt(mean(square(noisy.x)).item()), 0.3, 0.01);
}

TEST(Augmentations, ShiftedSequencesKeepTheirNumbersAndFillWithZeros) {
  const Tensor x = expand(tensor({1.0, 2.0, 3.0, 4.0}), {500, 4});
  const Tensor shifted = shift_sequences(2)({x, {}}, Rng(2)).x;
  std::set<std::vector<float>> seen;
  for (std::int64_t row = 0; row < 500; ++row) seen.insert(select(shifted, 0, row).to_vector<float>());
  const std::set<std::vector<float>> possible{
      {0, 0, 1, 2}, {0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 0}, {3, 4, 0, 0}};
  EXPECT_EQ(seen, possible);
}

TEST(Augmentations, ShiftedImagesMoveAllChannelsAlike) {
  // Every pixel has a number of its own; channel 1 is channel 0 plus 100.
  const Tensor plane = reshape(arange(1.0, 13.0), {1, 3, 4});
  const Tensor x = expand(stack({plane, plane + 100.0}, 1), {400, 2, 3, 4});
  const Tensor shifted = shift_images(1)({x, {}}, Rng(3)).x;
  std::set<std::pair<int, int>> moves;
  for (std::int64_t row = 0; row < 400; ++row) {
    // The centre pixel 6, at (1, 1), always stays inside.
    for (int down = -1; down <= 1; ++down) {
      for (int right = -1; right <= 1; ++right) {
        if (shifted.at({row, 0, 1 + down, 1 + right}) == 6.0) {
          moves.insert({down, right});
          EXPECT_EQ(shifted.at({row, 1, 1 + down, 1 + right}), 106.0);
          EXPECT_EQ(shifted.at({row, 0, 0, 0}), down == 1 || right == 1 ? 0.0 : 1.0 - 4.0 * down - right);
        }
      }
    }
  }
  EXPECT_EQ(moves.size(), 9U);
}

TEST(Augmentations, FlipsMirrorSomeRows) {
  const Tensor x = expand(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), {1000, 2, 3});
  const Tensor flipped = flip(0.25)({x, {}}, Rng(4)).x;
  int count = 0;
  for (std::int64_t row = 0; row < 1000; ++row) {
    const Tensor one = select(flipped, 0, row);
    const bool mirrored = array_equal(one, tensor({{3.0, 2.0, 1.0}, {6.0, 5.0, 4.0}}));
    EXPECT_TRUE(mirrored || array_equal(one, tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})));
    count += mirrored ? 1 : 0;
  }
  EXPECT_NEAR(count, 250, 60);
  EXPECT_TRUE(array_equal(flip(0.0)({x, {}}, Rng(4)).x, x.contiguous()));
}

TEST(Augmentations, ReachTheBatchesOfShuffledEpochs) {
  const Dataset dataset = Dataset(ones({10, 4})).augment(shift_sequences(1)).augment(add_noise(0.1));
  EXPECT_TRUE(array_equal(dataset.batches(5, Rng(1))[0].x, dataset.batches(5, Rng(1), {.prefetch = 1})[0].x));
  EXPECT_FALSE(array_equal(dataset.batches(5, Rng(1))[0].x, dataset.batches(5, Rng(2))[0].x));
  EXPECT_TRUE(array_equal(dataset.all().x, ones({10, 4})));
}

TEST(LabelNoise, ReplacesTheShareAskedFor) {
  const Tensor labels = zeros({20'000}, DType::i64);
  const Tensor noisy = label_noise(labels, 0.2, 4, Rng(5));
  std::vector<int> counts(4, 0);
  for (const std::int64_t label : noisy.to_vector<std::int64_t>()) ++counts[static_cast<std::size_t>(label)];
  EXPECT_NEAR(counts[0], 17'000, 250);  // 80 % kept and a quarter of the others drawn again
  for (int label = 1; label < 4; ++label) EXPECT_NEAR(counts[static_cast<std::size_t>(label)], 1'000, 150);
  EXPECT_TRUE(array_equal(label_noise(labels, 0.0, 4, Rng(5)), labels));
  EXPECT_TRUE(array_equal(label_noise(labels, 0.2, 4, Rng(5)), noisy));
}

TEST(Augmentations, RefuseWhatMakesNoSense) {
  expect_refusal([] { add_noise(-1.0); }, "[add_noise] stddev must not be negative, got -1.000000");
  expect_refusal([] { shift_images(-1); }, "[shift_images] the most must not be negative, got -1");
  expect_refusal([] { shift_sequences(-1); }, "[shift_sequences] the most must not be negative, got -1");
  expect_refusal([] { flip(1.5); }, "[flip] a probability from 0 to 1 is needed, got 1.500000");
  expect_refusal(
      [] {
        shift_images(1)({zeros({2, 3}), {}}, Rng(1));
      },
      "[shift_images] 2 axes are needed behind the rows, got shape (2, 3)");
  expect_refusal(
      [] {
        label_noise(tensor({0, 3}), 0.1, 3, Rng(1));
      },
      "[label_noise] label 3 is out of range for 3 classes");
  expect_refusal([] { label_noise(tensor({0.0}), 0.1, 3, Rng(1)); },
                 "[label_noise] labels must be i64, got f32");
}

}  // namespace
}  // namespace likely::data
