// Being frozen belongs to the part of a model, not to the value that it has.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/tree/tree.hpp"

namespace likely {
namespace {

struct Layer {
  Tensor weight, bias;
  LIKELY_PARTS(weight, bias)
};

Layer layer() { return {tensor({1.0, 2.0}), tensor({3.0})}; }

TEST(Frozen, ANewValueLeavesAPartFrozen) {
  Layer frozen = layer();
  freeze(frozen);
  frozen.weight = tensor({5.0, 6.0});
  EXPECT_TRUE(frozen.weight.frozen());
  frozen.weight = frozen.weight * 2.0;
  EXPECT_TRUE(frozen.weight.frozen());
  frozen.weight += tensor({1.0, 1.0});
  EXPECT_TRUE(frozen.weight.frozen());
  frozen.weight.set({0}, 1.0);
  EXPECT_TRUE(frozen.weight.frozen());
  const Layer other = layer();
  frozen.weight = other.weight;
  EXPECT_TRUE(frozen.weight.frozen());
  EXPECT_EQ(count_parameters(frozen), 0);
}

TEST(Frozen, ItsValueDoesNotFreezeAnotherPart) {
  Layer frozen = layer(), free = layer();
  freeze(frozen);
  free.weight = frozen.weight;
  EXPECT_FALSE(free.weight.frozen());
  free.bias = std::move(frozen.bias);
  EXPECT_FALSE(free.bias.frozen());
  EXPECT_EQ(count_parameters(free), 3);
}

TEST(Frozen, ACopyOfAModelHasTheSamePartsFrozen) {
  Layer original = layer();
  freeze(original.bias);
  const Layer copy = original;
  EXPECT_FALSE(copy.weight.frozen());
  EXPECT_TRUE(copy.bias.frozen());
  std::vector<Layer> grown{original};
  for (int i = 0; i < 10; ++i) grown.push_back(layer());
  EXPECT_TRUE(grown[0].bias.frozen());
  EXPECT_TRUE(deep_copy(original).bias.frozen());
  EXPECT_TRUE(cast_parts(original, DType::f64).bias.frozen());
}

TEST(Frozen, AssigningAModelLeavesTheOthersMarks) {
  Layer best = layer(), model = layer();
  freeze(model.weight);
  freeze(best.bias);
  model = best;
  EXPECT_TRUE(model.weight.frozen());
  EXPECT_FALSE(model.bias.frozen());
}

struct Mine {
  Tensor weight;
  LIKELY_PARTS(weight)
};

// C++ copies a whole model and puts a new one together in the same way, so both take the marks along.
TEST(Frozen, ANewPartBeginsWithTheMarkOfWhatItIsMadeFrom) {
  Layer trained = layer();
  freeze(trained.weight);
  Mine mine{trained.weight};
  EXPECT_TRUE(mine.weight.frozen());
  unfreeze(mine);
  EXPECT_FALSE(mine.weight.frozen());
  EXPECT_TRUE(trained.weight.frozen());
  EXPECT_FALSE(Mine{trained.weight.copy()}.weight.frozen());
  EXPECT_FALSE(Mine{trained.bias}.weight.frozen());
  const Mine moved{std::move(trained.weight)};
  EXPECT_TRUE(moved.weight.frozen());
  EXPECT_TRUE(trained.weight.frozen());  // NOLINT(bugprone-use-after-move): the part stays what it was
}

TEST(Frozen, ElementsOfAVectorArePartsByTheirPlace) {
  std::vector<Layer> blocks{layer(), layer(), layer()};
  freeze(blocks[0]);
  blocks[0].weight.set({0}, 7.0);
  std::swap(blocks[0], blocks[1]);
  EXPECT_EQ(blocks[1].weight.at({0}), 7.0);
  EXPECT_TRUE(blocks[0].weight.frozen());
  EXPECT_FALSE(blocks[1].weight.frozen());
  blocks.erase(blocks.begin());
  EXPECT_EQ(blocks[0].weight.at({0}), 7.0);
  EXPECT_TRUE(blocks[0].weight.frozen());
  EXPECT_FALSE(blocks[1].weight.frozen());
  for (int i = 0; i < 10; ++i) blocks.push_back(layer());
  EXPECT_TRUE(blocks[0].weight.frozen());
  EXPECT_FALSE(blocks[11].weight.frozen());
  const std::vector<Layer> others(12, layer());
  blocks = others;
  EXPECT_TRUE(blocks[0].weight.frozen());
}

TEST(Frozen, ResultsAreNot) {
  Tensor frozen = tensor({1.0, 2.0});
  frozen.set_frozen(true);
  const Tensor results[] = {frozen * 1.0,          pow(frozen, 1.0),        cast(frozen, DType::f32),
                            frozen.contiguous(),   frozen.to(DType::f32),   frozen.copy(),
                            frozen.with_track({}), frozen.view({2}, {1}, 0)};
  int i = 0;
  for (const Tensor& result : results) EXPECT_FALSE(result.frozen()) << "number " << i++;
}

}  // namespace
}  // namespace likely
