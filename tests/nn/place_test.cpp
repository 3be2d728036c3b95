// Errors name the layer that they happen in.
#include "likely/core/place.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

const std::string kReason =
    "[linear] the input has shape (5, 4), the weight (2, 3): the last dimension must be 3";

struct Block {
  nn::Linear in, out;
  Tensor operator()(const Tensor& x) const { return out(relu(in(x))); }
  LIKELY_PARTS(in, out)
};

struct Net {
  nn::Linear first;
  std::vector<Block> blocks;
  std::optional<nn::Linear> head;
  Tensor operator()(const Tensor& x) const {
    Tensor h = first(x);
    for (const Block& block : blocks) h = block(h);
    return (*head)(h);
  }
  LIKELY_PARTS(first, blocks, head)
};

// Six linear layers, of which the one before the last does not fit.
Net net(Rng rng) {
  const auto linear = [&](int in, int out) { return nn::Linear(in, out, rng.split()); };
  return {linear(4, 4), {{linear(4, 4), linear(4, 4)}, {linear(4, 4), linear(3, 2)}}, linear(2, 1)};
}

TEST(Place, AGradientNamesTheLayerOfAModel) {
  const Net model = net(Rng(1));
  const Tensor x = ones({5, 4});
  expect_refusal([&] { grad(model, [&](const Net& m) { return sum(m(x)); }); },
                 kReason + ", in layer \"blocks.1.out\" (Linear)");
  expect_refusal([&] { vjp(model, [&](const Net& m) { return m(x); }); },
                 kReason + ", in layer \"blocks.1.out\" (Linear)");
  // In a tuple the model is number 0.
  expect_refusal(
      [&] { grad(std::tuple(model, x), [](const Net& m, const Tensor& at) { return sum(m(at)); }); },
      kReason + ", in layer \"0.blocks.1.out\" (Linear)");
}

TEST(Place, WithoutAGradientAModelCanBeAskedToo) {
  const Net model = net(Rng(1));
  expect_refusal([&] { model(ones({5, 4})); }, kReason);
  expect_refusal([&] { naming_layers(model, [&] {
                         return model(ones({5, 4}));
                       }); },
                 kReason + ", in layer \"blocks.1.out\" (Linear)");
  EXPECT_EQ(naming_layers(model, [] { return 3; }), 3);
}

TEST(Place, ASequentialNamesItsLayers) {
  Rng rng(1);
  const nn::Sequential model{nn::Linear(4, 4, rng.split()), nn::Relu{}, nn::Linear(3, 2, rng.split())};
  expect_refusal([&] { model(ones({5, 4})); }, kReason + ", in layer \"2\" (Linear)");
  expect_refusal([&] { model(ones({5, 4}), Training(Rng(1))); }, kReason + ", in layer \"2\" (Linear)");
  const nn::Sequential outer{nn::Flatten{}, model};
  expect_refusal([&] { outer(ones({5, 2, 2})); }, kReason + ", in layer \"1.2\" (Linear)");
  expect_refusal([&] { grad(outer, [](const auto& m) {
                         return sum(m(ones({5, 2, 2})));
                       }); },
                 kReason + ", in layer \"1.2\" (Linear)");
}

TEST(Place, LayersWithoutTensorsAreNamedToo) {
  Rng rng(1);
  const nn::Sequential model{nn::Linear(4, 4, rng.split()), nn::Relu{}, nn::Softmax{.axis = 7}};
  expect_refusal(
      [&] {
        model(ones({5, 4}));
      },
      "[softmax] axis 7 is out of range for shape (5, 4), in layer \"2\" (Softmax)");
}

TEST(Place, ListsAndResidualsAndOtherLayers) {
  Rng rng(1);
  std::vector<nn::LayerNorm> norms{nn::LayerNorm(4), nn::LayerNorm(3)};
  const nn::Sequential lists{norms};
  expect_refusal(
      [&] {
        lists(ones({5, 4}));
      },
      "[LayerNorm] made for last axes of shape (3,), got (5, 4), in layer \"0.1\" (LayerNorm)");
  const nn::Residual block{nn::Sequential{nn::Linear(4, 3, rng.split())}};
  expect_refusal([&] { block(ones({5, 4})); }, "[add] shapes do not broadcast: (5, 4) and (5, 3)");
  const nn::Sequential around{nn::Identity{}, block};
  expect_refusal(
      [&] {
        around(ones({5, 4}));
      },
      "[add] shapes do not broadcast: (5, 4) and (5, 3), in layer \"1\" (Residual)");
  nn::Sequential normed{nn::BatchNorm(4)};
  EXPECT_THROW(normed(ones({5, 3})), LayerError);
  EXPECT_THROW(normed(ones({5, 3}), Training(Rng(1))), LayerError);
}

// A mistake of the loss, outside all layers, is not blamed on one.
TEST(Place, WhatHappensOutsideLayersKeepsItsMessage) {
  Rng rng(1);
  const nn::Linear model(4, 2, rng.split());
  expect_refusal([&] { grad(model, [](const nn::Linear& m) {
                         return sum(m(ones({5, 4})) + ones({3}));
                       }); },
                 "[add] shapes do not broadcast: (5, 2) and (3,)");
}

struct Own {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return x * weight; }
  Tensor operator()(const Tensor& x, const Training&) const { return x * weight * 2.0; }
  LIKELY_PARTS(weight)
};
struct Handing {  // hands training on to layers that have no use for it
  nn::Linear in;
  std::vector<nn::Linear> rest;
  Tensor operator()(const Tensor& x, const auto&...) const { return in(x); }
  LIKELY_PARTS(in, rest)
};

TEST(TrainedLayers, AreFoundByTheirCall) {
  Rng rng(1);
  const auto linear = [&] { return nn::Linear(2, 2, rng.split()); };
  EXPECT_EQ(nn::first_trained_layer(linear()), "");
  EXPECT_EQ(nn::first_trained_layer(nn::Sequential{linear(), nn::Relu{}, linear()}), "");
  EXPECT_EQ(nn::first_trained_layer(nn::Residual{nn::Sequential{linear(), nn::Relu{}}}), "");
  EXPECT_EQ(nn::first_trained_layer(Handing{linear(), {linear(), linear()}}), "");
  EXPECT_EQ(nn::first_trained_layer(tensor({1.0})), "");
  EXPECT_EQ(nn::first_trained_layer(nn::Sequential{linear(), nn::Dropout(0.1), linear()}), "1");
  EXPECT_EQ(nn::first_trained_layer(nn::Sequential{linear(), nn::Residual{nn::Sequential{nn::BatchNorm(2)}}}),
            "1.body.0");
  EXPECT_EQ(nn::first_trained_layer(std::vector<nn::GaussianNoise>{nn::GaussianNoise(0.1)}), "0");
  EXPECT_EQ(nn::first_trained_layer(nn::Dropout(0.1)), "the model");
  EXPECT_EQ(nn::first_trained_layer(nn::Sequential{nn::Dropout(0.0), nn::GaussianNoise(0.0)}), "");
  EXPECT_EQ(nn::first_trained_layer(std::pair(linear(), Own{tensor({1.0})})), "1");
}

}  // namespace
}  // namespace likely
