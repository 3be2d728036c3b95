// Errors name the layer that they happen in.
#include "likely/core/layer_error.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/attention.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/einsum.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/normalize.hpp"
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

TEST(LayerErrors, AGradientNamesTheLayerOfAModel) {
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

TEST(LayerErrors, WithoutAGradientAModelCanBeAskedToo) {
  const Net model = net(Rng(1));
  expect_refusal([&] { model(ones({5, 4})); }, kReason);
  expect_refusal([&] { naming_layers(model, [&] {
                         return model(ones({5, 4}));
                       }); },
                 kReason + ", in layer \"blocks.1.out\" (Linear)");
  EXPECT_EQ(naming_layers(model, [] { return 3; }), 3);
}

TEST(LayerErrors, ASequentialNamesItsLayers) {
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

TEST(LayerErrors, LayersWithoutTensorsAreNamedToo) {
  Rng rng(1);
  const nn::Sequential model{nn::Linear(4, 4, rng.split()), nn::Relu{}, nn::Softmax{.axis = 7}};
  expect_refusal(
      [&] {
        model(ones({5, 4}));
      },
      "[softmax] axis 7 is out of range for shape (5, 4), in layer \"2\" (Softmax)");
}

TEST(LayerErrors, ListsAndResidualsAndOtherLayers) {
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

// A copy of a layer is found by the numbers it shares with the model's.
TEST(LayerErrors, LayersTakenByValueAreNamed) {
  const Net model = net(Rng(1));
  const Tensor x = ones({5, 4});
  const std::string named = kReason + ", in layer \"blocks.1.out\" (Linear)";
  // NOLINTNEXTLINE(performance-unnecessary-value-param): that is the test
  expect_refusal([&] { grad(model, [&](Net m) { return sum(m(x)); }); }, named);
  const auto block_by_block = [&](const Net& m) {
    Tensor h = m.first(x);
    for (std::size_t i = 0; i < m.blocks.size(); ++i) {
      const Block block = m.blocks[i];  // NOLINT(performance-unnecessary-copy-initialization)
      h = block(h);
    }
    return sum(h);
  };
  expect_refusal([&] { grad(model, block_by_block); }, named);
  expect_refusal([&] { naming_layers(model, [&] { return block_by_block(model); }); }, named);

  Rng rng(1);
  const std::pair pair{nn::Sequential{nn::Linear(4, 4, rng.split()), nn::Softmax{.axis = 7}},
                       nn::Linear(4, 4, rng.split())};
  using Pair = std::remove_const_t<decltype(pair)>;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): that is the test
  expect_refusal(
      [&] { grad(std::tuple(pair, 1.0 * x), [](Pair m, const Tensor& at) { return sum(m.first(at)); }); },
      "[softmax] axis 7 is out of range for shape (5, 4), in layer \"0.0.1\" (Softmax)");
}

// Which layer without tensors a copy was made of, nobody can tell.
TEST(LayerErrors, ACopyThatMayBeOfAnyIsNotGuessed) {
  const std::vector<nn::Softmax> model(1, nn::Softmax{.axis = 7});
  const auto call = [](const nn::Softmax& layer) {
    return inside_layer(layer, [&] { return layer(ones({2})); });
  };
  const std::string reason = "[softmax] axis 7 is out of range for shape (2,)";
  expect_refusal([&] { naming_layers(model, [&] { return call(nn::Softmax{.axis = 7}); }); }, reason);
  expect_refusal([&] { naming_layers(model, [&] { return call(model[0]); }); },
                 reason + ", in layer \"0\" (Softmax)");
}

// Layers of one's own that call operations themselves.
struct OwnLinear {
  Tensor weight, bias;
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
  LIKELY_PARTS(weight, bias)
};
struct OwnProduct {
  std::vector<Tensor> factors;
  Tensor operator()(const Tensor& x) const { return matmul(x, factors[1]); }
  LIKELY_PARTS(factors)
};
struct OwnScale {
  Tensor scale;
  Tensor operator()(const Tensor& x) const { return x * scale; }
  LIKELY_PARTS(scale)
};
struct OwnFilter {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return conv1d(x, weight); }
  LIKELY_PARTS(weight)
};
struct OwnTable {
  Tensor table;
  Tensor operator()(const Tensor& ids) const { return embedding(table, ids); }
  LIKELY_PARTS(table)
};
struct OwnNorm {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return layer_norm(x, 1, weight, {}); }
  LIKELY_PARTS(weight)
};

struct OwnSum {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return einsum("ni,io->no", {x, weight}); }
  LIKELY_PARTS(weight)
};
struct OwnMemory {  // keys that are learned
  Tensor keys;
  Tensor operator()(const Tensor& x) const { return attention(x, keys, keys); }
  LIKELY_PARTS(keys)
};
struct OwnChoice {
  Tensor otherwise;
  Tensor operator()(const Tensor& x) const { return where(x > 0.0, x, otherwise); }
  LIKELY_PARTS(otherwise)
};
struct OwnToken {  // a row that is learned before all others
  Tensor token;
  Tensor operator()(const Tensor& x) const { return concat({token, x}, 0); }
  LIKELY_PARTS(token)
};
struct OwnPair {
  Tensor other;
  Tensor operator()(const Tensor& x) const { return stack({x, other}, 0); }
  LIKELY_PARTS(other)
};

template <class Layer>
void expect_named(const Layer& good, const Layer& bad, const Tensor& x, const std::string& reason,
                  const std::string& type) {
  const std::vector<Layer> model{good, bad};
  const auto loss = [&](const auto& m) { return sum(m[0](x)) + sum(m[1](x)); };
  const std::string named = reason + ", in layer \"1\" (" + type + ")";
  expect_refusal([&] { grad(model, loss); }, named);
  expect_refusal([&] { naming_layers(model, [&] { return loss(model); }); }, named);
  // In a Sequential the layer is known by itself, and by what it is inside of.
  const nn::Sequential outer{nn::Identity{}, nn::Apply{[](const Tensor& t) { return t; }}, bad};
  expect_refusal([&] { grad(outer, [&](const auto& m) { return sum(m(x)); }); },
                 reason + ", in layer \"2\" (" + type + ")");
}

TEST(LayerErrors, OwnLayersThatCallOperationsAreNamed) {
  const Tensor x = ones({5, 4});
  expect_named(OwnLinear{ones({2, 4}), {}}, OwnLinear{ones({2, 3}), zeros({2})}, x, kReason, "OwnLinear");
  expect_named(OwnProduct{{ones({1}), ones({4, 2})}}, OwnProduct{{ones({1}), ones({3, 2})}}, x,
               "[matmul] inner dimensions differ: (5, 4) x (3, 2)", "OwnProduct");
  expect_named(OwnScale{ones({4})}, OwnScale{ones({3})}, x,
               "[multiply] shapes do not broadcast: (5, 4) and (3,)", "OwnScale");
  expect_named(OwnNorm{ones({4})}, OwnNorm{ones({3})}, x,
               "[layer_norm] weight must have shape (4,), got (3,)", "OwnNorm");
  expect_named(OwnFilter{ones({1, 2, 3})}, OwnFilter{ones({1, 3, 3})}, ones({5, 2, 8}),
               "[conv1d] the weight takes 3 channels in 1 groups: input (5, 2, 8) and weight (1, 3, 3)",
               "OwnFilter");
  expect_named(OwnTable{ones({4, 2})}, OwnTable{ones({3, 2})}, tensor({0, 3}),
               "[embedding] index 3 at (1,) is not in [0, 3)", "OwnTable");
  expect_named(OwnSum{ones({4, 2})}, OwnSum{ones({3, 2})}, x,
               "[einsum] \"ni,io->no\": index 'i' has size 4 in operand 0 and 3 in operand 1", "OwnSum");
  expect_named(OwnSum{ones({4, 2})}, OwnSum{ones({4})}, x,
               "[einsum] \"ni,io->no\": operand 1 has 1 dimensions, 2 are named", "OwnSum");
  expect_named(OwnMemory{ones({7, 4})}, OwnMemory{ones({7, 3})}, x,
               "[attention] shapes must be (..., queries, depth), (..., keys, depth) and (..., keys, "
               "value_depth), got (5, 4), (7, 3) and (7, 3)",
               "OwnMemory");
  expect_named(OwnChoice{ones({4})}, OwnChoice{ones({3})}, x,
               "[where] shapes do not broadcast: (5, 4) and (3,)", "OwnChoice");
  expect_named(OwnToken{ones({1, 4})}, OwnToken{ones({1, 3})}, x,
               "[concat] shapes differ outside axis 0: (1, 3) and (5, 4)", "OwnToken");
  expect_named(OwnPair{ones({5, 4})}, OwnPair{ones({4})}, x, "[stack] shapes differ: (5, 4) and (4,)",
               "OwnPair");
}

struct Mine : Error {
  explicit Mine(int what) : Error("mine"), code(what) {}
  int code;
};
struct Throwing {
  Tensor weight;
  Tensor operator()(const Tensor&) const { throw Mine(42); }
  LIKELY_PARTS(weight)
};

TEST(LayerErrors, ErrorsOfAClassOfTheirOwnArriveAsTheyAre) {
  const nn::Sequential model{nn::Relu{}, Throwing{ones({1})}};
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Mine& error) {
      return error.code;
    }
    return 0;
  };
  EXPECT_EQ(code_of([&] { model(ones({1})); }), 42);
  EXPECT_EQ(code_of([&] { grad(model, [](const auto& m) { return sum(m(ones({1}))); }); }), 42);
  const Tensor x = ones({1});
  EXPECT_EQ(code_of([&] { concerning({&x}, [] { throw Mine(42); }); }), 42);
}

struct Two {
  Tensor first, second;
  LIKELY_PARTS(first, second)
};

// A model that is a layer itself has no name, but its parts do.
TEST(LayerErrors, PartsOfTheModelItselfAreNamed) {
  const Two model{ones({4, 3}), ones({4, 2})};
  expect_refusal(
      [&] { grad(model, [](const Two& m) {
              return sum(matmul(matmul(ones({5, 4}), m.first), m.second));
            }); },
      "[matmul] inner dimensions differ: (5, 3) x (4, 2), with part \"second\"");
}

// A mistake of the loss, outside all layers, is not blamed on one.
TEST(LayerErrors, WhatHappensOutsideLayersKeepsItsMessage) {
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
struct Generic {  // takes anything, and so says nothing of training
  Tensor weight;
  Tensor operator()(const Tensor& x, const auto&...) const { return x * weight; }
  LIKELY_PARTS(weight)
};
struct Deduced {
  Tensor weight;
  auto operator()(const auto& x, auto&&... training) {
    if constexpr (sizeof...(training) > 0) (training.split(), ...);
    return x * weight;
  }
  LIKELY_PARTS(weight)
};
struct Asked {  // takes anything, and says what it does with it
  Tensor weight;
  Tensor operator()(const Tensor& x, const auto&...) const { return x * weight; }
  bool changes_in_training() const { return true; }
  LIKELY_PARTS(weight)
};
struct Overloaded {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return x * weight; }
  Tensor operator()(const Tensor& x, const Tensor& mask) const { return x * weight * mask; }
  template <class Number>
  Tensor operator()(const Tensor& x, Number temperature, int) const {
    return x * weight * temperature;
  }
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

TEST(TrainedLayers, ACallThatTakesAnythingIsNone) {
  EXPECT_EQ(nn::first_trained_layer(Generic{tensor({1.0})}), "");
  EXPECT_EQ(nn::first_trained_layer(Deduced{tensor({1.0})}), "");
  EXPECT_EQ(nn::first_trained_layer(Overloaded{tensor({1.0})}), "");
  EXPECT_EQ(nn::first_trained_layer(std::pair(Generic{tensor({1.0})}, Own{tensor({1.0})})), "1");
  EXPECT_EQ(nn::first_trained_layer(Asked{tensor({1.0})}), "the model");
}

}  // namespace
}  // namespace likely
