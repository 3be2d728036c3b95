#include "likely/tree/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

struct Layer {
  Tensor weight;
  Tensor bias;
  LIKELY_PARTS(weight, bias)
};

struct Running {
  Layer layer;
  Buffer mean;
  LIKELY_PARTS(layer, mean)
};

struct Model {
  Running first;
  std::vector<Layer> blocks;
  std::array<Tensor, 2> pair;
  std::optional<Tensor> head;
  std::tuple<Tensor, Layer> mixed;
  std::pair<Tensor, Tensor> two;
  Tensor labels;
  Tensor nothing;
  LIKELY_PARTS(first, blocks, pair, head, mixed, two, labels, nothing)
};

struct Bare {
  int width = 3;
  LIKELY_PARTS()
};

Layer layer(double w) { return {full({2, 3}, w), full({3}, w + 0.5)}; }

Model model() {
  return {.first = {layer(1), zeros({3})},
          .blocks = {layer(2), layer(3)},
          .pair = {full({1}, 4), full({2}, 5)},
          .head = full({2}, 6),
          .mixed = {full({1}, 7), layer(8)},
          .two = {full({1}, 9), full({1}, 10)},
          .labels = arange(4),
          .nothing = {}};
}

std::vector<std::string> names(const Model& m) {
  std::vector<std::string> result;
  for (const Part& part : named_parts(m)) result.push_back(part.name);
  return result;
}

TEST(Tree, NamesInTheOrderWritten) {
  EXPECT_EQ(names(model()),
            (std::vector<std::string>{"first.layer.weight", "first.layer.bias", "first.mean",
                                      "blocks.0.weight", "blocks.0.bias", "blocks.1.weight", "blocks.1.bias",
                                      "pair.0", "pair.1", "head", "mixed.0", "mixed.1.weight", "mixed.1.bias",
                                      "two.0", "two.1", "labels", "nothing"}));
}

TEST(Tree, AnAbsentOptionalHasNoParts) {
  Model m = model();
  m.head.reset();
  EXPECT_EQ(names(m).size(), 16U);
  EXPECT_EQ(std::ranges::count(names(m), "head"), 0);
}

TEST(Tree, KindsOfParts) {
  Model m = model();
  freeze(m.blocks[0]);
  for (const Part& part : named_parts(m)) {
    const bool buffer = part.name == "first.mean" || part.name == "labels" || part.name == "nothing";
    const bool frozen = part.name.starts_with("blocks.0");
    EXPECT_EQ(part.kind, buffer   ? PartKind::buffer
                         : frozen ? PartKind::frozen
                                  : PartKind::parameter)
        << part.name;
  }
}

TEST(Tree, NamedPartsShareMemory) {
  const Model m = model();
  EXPECT_EQ(named_parts(m)[0].value.raw(), m.first.layer.weight.raw());
}

TEST(Tree, Counts) {
  Model m = model();
  // Four layers of 9 numbers (first, two blocks, mixed), pair 3, head 2, mixed.0 1, two 2.
  EXPECT_EQ(count_parameters(m), 4 * 9 + 3 + 2 + 1 + 2);
  EXPECT_EQ(count_numbers(m), count_parameters(m) + 3 + 4);
  freeze(m.mixed);
  EXPECT_EQ(count_parameters(m), 3 * 9 + 3 + 2 + 2);
  unfreeze(m);
  EXPECT_EQ(count_parameters(m), 4 * 9 + 3 + 2 + 1 + 2);
  EXPECT_EQ(count_parameters(Bare{}), 0);
  EXPECT_TRUE(named_parts(Bare{}).empty());
}

TEST(Tree, MapKeepsShapeOfTheTreeAndFrozenMarks) {
  Model m = model();
  freeze(m.two);
  const Model doubled = map_parts(m, [](const Tensor& x) { return x * 2.0; });
  EXPECT_EQ(doubled.blocks[1].weight.at({0, 0}), 6.0);
  EXPECT_EQ(doubled.labels.at({3}), 6.0);
  EXPECT_FALSE(doubled.nothing.defined());
  EXPECT_TRUE(doubled.two.first.frozen());
  EXPECT_FALSE(doubled.head->frozen());
  EXPECT_EQ(m.blocks[1].weight.at({0, 0}), 3.0);
}

TEST(Tree, ZipPairsParts) {
  const Model a = model();
  const Model b = map_parts(a, [](const Tensor& x) { return x * 10.0; });
  const Model total = zip_parts(a, b, [](const Tensor& x, const Tensor& y) { return x + y; });
  EXPECT_EQ(total.pair[1].at({0}), 55.0);
  EXPECT_EQ(std::get<1>(total.mixed).bias.at({2}), 93.5);
  Model shorter = model();
  shorter.blocks.pop_back();
  expect_refusal([&] { zip_parts(a, shorter, [](const Tensor& x, const Tensor&) { return x; }); },
                 "[zip_parts] the models have 17 and 15 parts");
  const std::pair<std::vector<Tensor>, std::vector<Tensor>> one_each{{ones({1})}, {ones({1})}},
      both_last{{}, {ones({1}), ones({1})}};
  expect_refusal([&] { zip_parts(one_each, both_last, [](const Tensor& x, const Tensor&) { return x; }); },
                 "[zip_parts] the vectors or optionals of the two models do not have as many elements");
}

TEST(Tree, CopiesAreSnapshots) {
  Model m = model();
  const Model plain = m;
  const Model deep = deep_copy(m);
  EXPECT_EQ(plain.head->raw(), m.head->raw());
  EXPECT_NE(deep.head->raw(), m.head->raw());
  m.head->set({0}, -1.0);
  EXPECT_EQ(plain.head->at({0}), 6.0);
  EXPECT_EQ(deep.head->at({0}), 6.0);
}

TEST(Tree, CastChangesFloatingPartsAlone) {
  const Model wide = cast_parts(model(), DType::f64);
  EXPECT_EQ(wide.first.layer.weight.dtype(), DType::f64);
  EXPECT_EQ(wide.first.mean.dtype(), DType::f64);
  EXPECT_EQ(wide.labels.dtype(), DType::i64);
  expect_refusal([] { cast_parts(model(), DType::i64); }, "[cast_parts] a floating type is needed, got i64");
}

TEST(Tree, Summary) {
  Running m{layer(1), zeros({3})};
  freeze(m.layer.bias);
  EXPECT_EQ(summary(m),
            "name          shape   type       numbers  kind\n"
            "layer.weight  (2, 3)  f32              6  parameter\n"
            "layer.bias    (3,)    f32              3  frozen\n"
            "mean          (3,)    f32              3  buffer\n"
            "12 numbers, 6 learned\n");
  EXPECT_EQ(summary(zeros({1000, 1234})),
            "name  shape         type       numbers  kind\n"
            "      (1000, 1234)  f32      1,234,000  parameter\n"
            "1,234,000 numbers, 1,234,000 learned\n");
}

TEST(Tree, FrozenPartsAndBuffersGetNoGradient) {
  Running m{layer(1), full({3}, 2.0)};
  freeze(m.layer.bias);
  const Running g = grad(std::as_const(m), [](const Running& at) {
    return sum(at.layer.weight * at.layer.weight) + sum(at.layer.bias) + sum(at.mean);
  });
  EXPECT_EQ(g.layer.weight.at({1, 2}), 2.0);
  EXPECT_EQ(g.layer.bias.at({0}), 0.0);
  EXPECT_EQ(g.mean.at({0}), 0.0);
}

}  // namespace
}  // namespace likely
