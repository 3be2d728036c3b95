#include "likely/nn/any_layer.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/flat.hpp"
#include "likely/tree/nodes.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

// A layer of layers, of a list and of tensors of its own, with a buffer.
struct Block {
  std::vector<nn::Linear> parts;
  std::optional<nn::BatchNorm> norm;
  Tensor scale;
  Buffer seen;

  explicit Block(Rng rng) : norm(3), scale(ones({3})), seen(zeros({})) {
    for (int i = 0; i < 2; ++i) parts.emplace_back(3, 3, rng.split());
  }
  Tensor operator()(const Tensor& x) const { return (*norm)(nn::forward(parts, x)) * scale; }
  Tensor operator()(const Tensor& x, const Training& training) {
    seen = seen + 1.0;
    return (*norm)(nn::forward(parts, x), training) * scale;
  }
  std::string misfit() const { return seen.item() < 0.0 ? "seen is negative" : ""; }
  LIKELY_PARTS(parts, norm, scale, seen)
};

// Multiplies by a matrix with an operation that knows only its tensors.
struct Product {
  Tensor matrix;
  Tensor operator()(const Tensor& x) const { return matmul(x, matrix); }
  LIKELY_PARTS(matrix)
};

struct OnlyTrains {
  Tensor operator()(const Tensor& x, const Training&) const { return x; }
  LIKELY_PARTS()
};

std::string kinds_of(const auto& tree) {
  std::string text;
  for (const Part& part : named_parts(tree)) {
    text += part.name + (part.kind == PartKind::buffer   ? " buffer, "
                         : part.kind == PartKind::frozen ? " frozen, "
                                                         : ", ");
  }
  return text;
}

TEST(AnyLayer, IsTheTreeThatItsLayerIs) {
  Block block{Rng(1)};
  freeze(block.parts[1]);
  const nn::AnyLayer any = block;
  EXPECT_EQ(kinds_of(any), kinds_of(block));
  EXPECT_EQ(
      kinds_of(any),
      "parts.0.weight, parts.0.bias, parts.1.weight frozen, parts.1.bias frozen, norm.weight, norm.bias, "
      "norm.running_mean buffer, norm.running_var buffer, norm.num_batches_tracked buffer, scale, "
      "seen buffer, ");
  EXPECT_EQ(summary(any), summary(block));
  EXPECT_EQ(count_parameters(any), 3 * 3 + 3 + 3 + 3 + 3);
  EXPECT_EQ(cast_parts(any, DType::f64).get_if<Block>()->scale.dtype(), DType::f64);
  EXPECT_TRUE(array_equal(flatten_parts(any), flatten_parts(block)));
  const nn::AnyLayer moved = unflatten_parts(any, flatten_parts(any) + 1.0);
  EXPECT_EQ(moved.get_if<Block>()->scale.at({0}), 2.0);
  EXPECT_EQ(moved.get_if<Block>()->parts[1].bias.at({0}), 0.0);  // frozen
  EXPECT_NE(deep_copy(any).get_if<Block>()->scale.raw(), block.scale.raw());
  // One node, whatever is inside.
  std::string nodes;
  for_each_node(any, [&](const std::string& name, const auto&) { nodes += "[" + name + "]"; });
  EXPECT_EQ(nodes, "[]");
}

TEST(AnyLayer, ComputesAndLearnsAsItsLayer) {
  Block block{Rng(1)};
  nn::AnyLayer any = block;
  const Tensor x = numbers({6, 3}).to(DType::f32);
  EXPECT_TRUE(array_equal(any(x), block(x)));
  const Training once(Rng(2)), again(Rng(2));
  const auto of_block = value_and_grad(block, [&](Block& m) { return sum(square(m(x, once))); });
  const auto of_any = value_and_grad(any, [&](nn::AnyLayer& m) { return sum(square(m(x, again))); });
  EXPECT_TRUE(array_equal(of_any.value, of_block.value));
  EXPECT_TRUE(array_equal(flatten_parts(of_any.gradient), flatten_parts(of_block.gradient)));
  // What the layer wrote into its buffers is kept.
  EXPECT_EQ(any.get_if<Block>()->seen.item(), 1.0);
  EXPECT_TRUE(array_equal(any.get_if<Block>()->norm->running_var, block.norm->running_var));
}

TEST(AnyLayer, IsAValue) {
  nn::AnyLayer first = nn::Linear(2, 2, Rng(1));
  nn::AnyLayer copy = first;
  copy.get_if<nn::Linear>()->bias = ones({2});
  EXPECT_EQ(first.get_if<nn::Linear>()->bias.at({0}), 0.0);

  // Of the same type: assigned in place, and what is frozen stays so.
  freeze(first);
  const nn::Linear* const place = first.get_if<nn::Linear>();
  first = copy;
  EXPECT_EQ(first.get_if<nn::Linear>(), place);
  EXPECT_EQ(place->bias.at({0}), 1.0);
  EXPECT_EQ(kinds_of(first), "weight frozen, bias frozen, ");
  first = nn::AnyLayer(nn::Linear(2, 2, Rng(3)));  // moved
  EXPECT_EQ(first.get_if<nn::Linear>(), place);
  EXPECT_EQ(kinds_of(first), "weight frozen, bias frozen, ");

  // Of another type: exchanged.
  first = nn::AnyLayer(Product{ones({2, 2})});
  EXPECT_EQ(first.get_if<nn::Linear>(), nullptr);
  EXPECT_TRUE(first.type() == typeid(Product));
  EXPECT_EQ(kinds_of(first), "matrix, ");

  // A function that holds something cannot be assigned, but copied; marks stay all the same.
  const double factor = 2.0;
  const nn::Sequential twice{nn::Linear(2, 2, Rng(1)),
                             nn::Apply{[factor](const Tensor& x) { return x * factor; }}};
  nn::AnyLayer function = twice;
  freeze(function);
  const nn::AnyLayer other = twice;
  function = other;
  EXPECT_EQ(kinds_of(function), "0.weight frozen, 0.bias frozen, ");
  unfreeze(function);
  nn::AnyLayer third = other;
  freeze(third);
  function = std::move(third);
  EXPECT_EQ(kinds_of(function), "0.weight, 0.bias, ");
}

TEST(AnyLayer, ThatWasMovedFromIsNoticed) {
  nn::AnyLayer any = nn::Linear(2, 2, Rng(1));
  EXPECT_FALSE(any.moved_from());
  const nn::AnyLayer taken = std::move(any);
  EXPECT_TRUE(any.moved_from());  // NOLINT(bugprone-use-after-move): what is tested
  expect_refusal([&] { any(ones({1, 2})); }, "[AnyLayer] this layer was moved from");
  expect_refusal([&] { any(ones({1, 2}), Training(Rng(1))); }, "[AnyLayer] this layer was moved from");
  expect_refusal([&] { any.type(); }, "[AnyLayer] this layer was moved from");
  EXPECT_EQ(misfit(any), "layer was moved from");
  const std::vector<nn::AnyLayer> copied{taken, any};
  EXPECT_EQ(misfit(copied), "1.layer was moved from");
  EXPECT_EQ(kinds_of(any), "");
  EXPECT_EQ(any.get_if<nn::Linear>(), nullptr);
  any = taken;
  EXPECT_EQ(any(ones({1, 2})).shape().string(), "(1, 2)");
}

TEST(AnyLayer, AsksItsLayerWhatDoesNotFit) {
  Block block{Rng(1)};
  block.seen = full({}, -1.0);
  EXPECT_EQ(misfit(std::vector<nn::AnyLayer>{nn::Relu{}, block}), "1.seen is negative");
  block.seen = zeros({});
  block.norm->running_var = full({3}, -1.0);
  const std::string wrong = misfit(std::vector<nn::AnyLayer>{nn::AnyLayer(block)});
  EXPECT_EQ(wrong.substr(0, 19), "0.norm.running_var ") << wrong;
}

TEST(AnyLayer, ErrorsNameTheLayerInside) {
  const std::string reason =
      "[linear] the input has shape (5, 4), the weight (2, 3): the last dimension must be 3";
  const auto refusal = [](const auto& model) {
    return testing::refusal_of([&] {
      grad(model, [](const auto& m) { return sum(nn::forward(m, ones({5, 4}))); });
    });
  };
  EXPECT_EQ(refusal(std::vector<nn::AnyLayer>{nn::Relu{}, nn::Linear(3, 2, Rng(1))}),
            reason + ", in layer \"1\" (Linear)");
  EXPECT_EQ(
      refusal(std::vector<nn::AnyLayer>{nn::Sequential{nn::Relu{}, nn::Residual{nn::Linear(3, 2, Rng(1))}}}),
      reason + ", in layer \"0.1.body\" (Linear)");
  // Of an operation that knows only its tensors.
  EXPECT_EQ(refusal(std::vector<nn::AnyLayer>{nn::Relu{}, Product{ones({3, 2})}}),
            "[matmul] inner dimensions differ: (5, 4) x (3, 2), in layer \"1\" (Product)");
  // Of a layer without tensors.
  EXPECT_EQ(refusal(std::vector<nn::AnyLayer>{nn::Linear(4, 4, Rng(1)), nn::MaxPool1d(9)}),
            testing::refusal_of([] {
              nn::MaxPool1d(9)(ones({5, 4}));
            }) + ", in layer \"1\" (MaxPool1d)");
}

TEST(AnyLayer, TellsWhichLayerTrains) {
  using Layers = std::vector<nn::AnyLayer>;
  EXPECT_EQ(nn::first_trained_layer(Layers{nn::Linear(2, 2, Rng(1)), nn::Dropout(0.0)}), "");
  EXPECT_EQ(nn::first_trained_layer(Layers{nn::Relu{}, nn::Dropout(0.5)}), "1");
  EXPECT_EQ(nn::first_trained_layer(Layers{nn::Relu{}, nn::Sequential{nn::Relu{}, nn::BatchNorm(2)}}), "1.1");
  EXPECT_EQ(nn::first_trained_layer(nn::AnyLayer(nn::Dropout(0.5))), nn::kWholeModel);
  EXPECT_EQ(nn::unnamed_trained_layer(Layers{nn::Relu{}}), "");
}

TEST(AnyLayer, ThatIsConstTrainsWhereNothingIsWritten) {
  const nn::AnyLayer drop = nn::Dropout(0.5);
  EXPECT_FALSE(array_equal(drop(ones({64}), Training(Rng(1))), ones({64})));
  const nn::AnyLayer norm = nn::Sequential{nn::BatchNorm(3)};
  const Tensor x = numbers({6, 3}).to(DType::f32);
  expect_refusal(
      [&] { norm(x, Training(Rng(1))); },
      "[AnyLayer] this layer changes its buffers in training (as BatchNorm does): call a model that is "
      "not const");
  EXPECT_TRUE(array_equal(norm(x, Training::only_noise(Rng(1))), norm(x)));
}

TEST(AnyLayer, ThatOnlyTrainsIsRefusedOtherwise) {
  nn::AnyLayer any = OnlyTrains{};
  EXPECT_EQ(any(ones({2}), Training(Rng(1))).at({0}), 1.0);
  expect_refusal([&] { any(ones({2})); },
                 "[AnyLayer] this layer can only be called with a Training, layer(x, training)");
}

// What is no layer cannot become one, and a struct that forgets to name one is not compiled.
static_assert(!std::is_convertible_v<Tensor, nn::AnyLayer> && !std::is_convertible_v<int, nn::AnyLayer>);
static_assert(!std::is_convertible_v<std::vector<Tensor>, nn::AnyLayer>);
static_assert(std::is_convertible_v<std::vector<nn::AnyLayer>, nn::AnyLayer>);
static_assert(detail::holds_tensors<nn::AnyLayer>());
struct Forgetful {
  nn::AnyLayer body;
  nn::Relu relu;
  LIKELY_PARTS(relu)
};
static_assert(!detail::names_every_part<Forgetful>());

}  // namespace
}  // namespace likely
