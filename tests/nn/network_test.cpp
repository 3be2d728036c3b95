#include "likely/nn/network.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/average.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

template <class A, class B>
void expect_same_parts(const A& a, const B& b) {
  const std::vector<Part> left = named_parts(a), right = named_parts(b);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].name, right[i].name);
    EXPECT_EQ(left[i].kind, right[i].kind) << left[i].name;
    ASSERT_EQ(left[i].value.defined(), right[i].value.defined()) << left[i].name;
    if (!left[i].value.defined()) continue;
    EXPECT_TRUE(array_equal(left[i].value, right[i].value)) << left[i].name;
  }
}

// Prediction, gradient in training, buffers and a step of Adam: bit for bit those of the Sequential.
template <class Model>
void expect_same_training(const std::string& text, const Shape& example, std::uint64_t seed, Model model,
                          const Tensor& x) {
  nn::Network network = nn::network(text, example, Rng(seed));
  expect_same_parts(network, model);
  EXPECT_TRUE(array_equal(network(x), model(x)));
  EXPECT_EQ(nn::first_trained_layer(network), nn::first_trained_layer(model));
  optim::Adam of_network(network, {.lr = 0.1}), of_model(model, {.lr = 0.1});
  const Training once(Rng(7)), again(Rng(7));
  const auto left = value_and_grad(network, [&](nn::Network& m) { return mean(square(m(x, once))); });
  const auto right = value_and_grad(model, [&](Model& m) { return mean(square(m(x, again))); });
  EXPECT_TRUE(array_equal(left.value, right.value));
  expect_same_parts(left.gradient, right.gradient);
  of_network.step(network, left.gradient);
  of_model.step(model, right.gradient);
  expect_same_parts(network, model);
  EXPECT_TRUE(array_equal(network(x), model(x)));
  // Written back, it makes a network of the same layers.
  EXPECT_EQ(nn::text_of(network.description()), text);
  EXPECT_EQ(nn::read_description(text), network.description());
}

// One that a struct forgets to name would be missed.
static_assert(detail::holds_tensors<nn::Network>());

TEST(Network, IsTheSequentialOfTheSameLayersAndKeys) {
  Rng rng(3);
  nn::Sequential model{nn::Linear(4, 8, rng.split()), nn::BatchNorm(8), nn::Relu{}, nn::Dropout(0.25),
                       nn::Linear(8, 3, {.bias = false, .activation = Activation::tanh}, rng.split())};
  expect_same_training("linear 8, batch_norm, relu, dropout 0.25, linear 3 bias=false activation=tanh", {4},
                       3, model, numbers({6, 4}).to(DType::f32));
}

TEST(Network, OfImagesIsTheSequentialToo) {
  Rng rng(4);
  nn::Sequential model{
      nn::Conv2d(1, 4, {3, 2}, {.stride = {1, 2}, .padding = {1, 0}, .bias = false}, rng.split()),
      nn::BatchNorm(4, {.epsilon = 0.001, .relu = true}),
      nn::Residual{nn::Sequential{nn::Conv2d(4, 4, 3, {.padding = kSame, .relu = true}, rng.split()),
                                  nn::Dropout(0.5)}},
      nn::Residual{nn::Sequential{nn::Conv2d(4, 6, 1, rng.split())},
                   nn::Sequential{nn::Conv2d(4, 6, 1, {.groups = 2}, rng.split()), nn::Gelu{}}},
      nn::MaxPool2d(2, {.stride = 1}),
      nn::Flatten{},
      nn::LayerNorm(6 * 5 * 3, {.affine = false}),
      nn::Linear(6 * 5 * 3, 2, rng.split())};
  expect_same_training(
      "conv2d 4 3x2 stride=1x2 padding=1x0 bias=false, batch_norm epsilon=0.001 relu=true, "
      "residual [conv2d 4 3 padding=same relu=true, dropout 0.5], "
      "residual [conv2d 6 1] [conv2d 6 1 groups=2, gelu], "
      "max_pool 2 stride=1, flatten, layer_norm affine=false, linear 2",
      {1, 6, 8}, 4, model, numbers({3, 1, 6, 8}).to(DType::f32));
}

TEST(Network, OfSequencesIsTheSequentialToo) {
  Rng rng(5);
  nn::Sequential model{nn::Conv1d(2, 4, 3, {.stride = 2, .padding = 1, .dilation = 2}, rng.split()),
                       nn::GroupNorm(2, 4),
                       nn::ConvTranspose1d(4, 3, 2, {.stride = 2}, rng.split()),
                       nn::AvgPool1d(2, {.padding = 1, .count_padding = false}),
                       nn::RmsNorm(6, 0.01),
                       nn::AdaptiveAvgPool1d{3},
                       nn::LeakyRelu{0.2},
                       nn::LogSoftmax{1}};
  expect_same_training(
      "conv1d 4 3 stride=2 padding=1 dilation=2, group_norm 2, conv_transpose1d 3 2 stride=2, "
      "average_pool 2 padding=1 count_padding=false, rms_norm epsilon=0.01, adaptive_average_pool 3, "
      "leaky_relu 0.2, log_softmax axis=1",
      {2, 11}, 5, model, numbers({3, 2, 11}).to(DType::f32));
}

TEST(Network, OfIdsStartsWithATable) {
  Rng rng(6);
  nn::Sequential model{nn::Embedding(10, 4, rng.split()), nn::LayerNorm(Shape{5, 4}), nn::Flatten{},
                       nn::Linear(20, 2, rng.split())};
  expect_same_training("embedding 10 4, layer_norm axes=2, flatten, linear 2", {5}, 6, model,
                       tensor({{1.0, 2.0, 3.0, 4.0, 5.0}, {9.0, 0.0, 9.0, 0.0, 9.0}}).to(DType::i64));
}

TEST(Network, KnowsEveryLayerWithItsSettings) {
  // Each is made, predicts, and is written back as it was read.
  for (const char* const text :
       {"relu",
        "leaky_relu",
        "elu",
        "elu 0.5",
        "gelu",
        "gelu_tanh",
        "silu",
        "hardswish",
        "sigmoid",
        "tanh",
        "softplus",
        "softmax",
        "softmax axis=2",
        "log_softmax",
        "identity",
        "flatten first=2",
        "flatten last=2",
        "gaussian_noise 0.1",
        "max_pool 2x1 stride=1x2 padding=1x0",
        "average_pool 2",
        "adaptive_max_pool 2x3",
        "adaptive_average_pool 1",
        "upsample_nearest 2",
        "upsample_nearest 1.5x2",
        "upsample_bilinear size=9x7",
        "conv_transpose2d 6 3x2 stride=2 padding=1x0 output_padding=1x0 groups=2 bias=false",
        "conv_transpose2d 3 2 dilation=2",
        "batch_norm momentum=0.3 affine=false",
        "rms_norm",
        "layer_norm axes=3 epsilon=1e-06",
        "group_norm 1 epsilon=0.1 affine=false",
        "linear 5 activation=silu",
        "residual [identity]"}) {
    const nn::Network made = nn::network(text, {4, 6, 6}, Rng(1));
    EXPECT_EQ(nn::text_of(made.description()), text);
    EXPECT_EQ(made(numbers({2, 4, 6, 6}).to(DType::f32)).dim(0), 2) << text;
    EXPECT_EQ(misfit(made), "");
  }
}

TEST(Network, ReadsItsDescriptionWithAnyBlanksAndOrder) {
  const nn::Description read =
      nn::read_description("conv2d kernel=3 out=2\n padding=1 ,residual[relu,tanh][ identity ],flatten");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].settings, (std::vector<std::pair<std::string, std::string>>{
                                  {"kernel", "3"}, {"out", "2"}, {"padding", "1"}}));
  EXPECT_EQ(nn::text_of(read), "conv2d kernel=3 out=2 padding=1, residual [relu, tanh] [identity], flatten");
  EXPECT_EQ(nn::text_of(nn::network(read, {1, 5, 5}, Rng(1)).description()),
            "conv2d 2 3 padding=1, residual [relu, tanh] [identity], flatten");
}

TEST(Network, RefusesTextThatIsNoDescription) {
  const auto refused = [](const char* text, const std::string& why) {
    expect_refusal([&] { nn::read_description(text); }, "[network] " + why);
  };
  refused("", "layer 0: the name of a layer is missing before the end");
  refused("relu, , tanh", "layer 1: the name of a layer is missing before \",\"");
  refused("relu,", "layer 1: the name of a layer is missing before the end");
  refused("relu]", "there is a ] without a [ before it");
  refused("linear 4 [relu]", "layer 0 (linear): a comma is needed before \"[relu]\"");
  refused("linear 4 8",
          "layer 0 (linear): \"8\" is one value too many; it takes out, and as name=value bias, activation");
  refused("linear out=", "layer 0 (linear): \"out=\" must be name=value");
  refused("linear =3", "layer 0 (linear): \"=3\" must be name=value");
  refused("relu, relu 3", "layer 1 (relu): \"3\" is one value too many; it takes nothing");
  refused("residual 3",
          "layer 0 (residual): its layers are missing, in brackets: residual [linear 64, relu]");
  refused("relu, residual [relu, tanh", "layer 1 (residual): a ] is missing");
  refused("residual []", "layer 0.body.0: the name of a layer is missing before \"]\"");
  refused(
      "relu, rleu",
      "layer 1 (rleu): there is no such layer; did you mean \"relu\"? The layers are "
      "adaptive_average_pool, adaptive_max_pool, average_pool, batch_norm, conv1d, conv2d, "
      "conv_transpose1d, conv_transpose2d, dropout, elu, embedding, flatten, gaussian_noise, gelu, "
      "gelu_tanh, group_norm, hardswish, identity, layer_norm, leaky_relu, linear, log_softmax, max_pool, "
      "relu, residual, rms_norm, sigmoid, silu, softmax, softplus, tanh, upsample_bilinear, "
      "upsample_nearest");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "residual [";
  refused(deep.c_str(), "layer 0: residuals may lie 32 deep in each other at most");
}

TEST(Network, RefusesLayersThatCannotBe) {
  const auto refused = [](const char* text, const Shape& example, const std::string& why) {
    expect_refusal([&] { nn::network(text, example, Rng(1)); }, "[network] " + why);
  };
  refused("linear 4, linear", {3}, "layer 1 (linear): out is missing; it needs out");
  refused("conv1d 4", {1, 3}, "layer 0 (conv1d): kernel is missing; it needs out and kernel");
  refused(
      "linear 4 biass=true", {3},
      "layer 0 (linear): there is no setting \"biass\"; did you mean \"bias\"? It has out, bias, activation");
  refused("relu slope=1", {3}, "layer 0 (relu): there is no setting \"slope\". It has none");
  refused("linear 4 out=5", {3}, "layer 0 (linear): out is given twice");
  refused("linear many", {3}, "layer 0 (linear): out must be a whole number, got \"many\"");
  refused("linear 4 bias=no", {3}, "layer 0 (linear): bias must be true or false, got \"no\"");
  refused("linear 4 activation=elu", {3},
          "layer 0 (linear): activation must be one of none, relu, tanh, sigmoid, gelu, silu, got \"elu\"");
  refused("conv2d 4 3by3", {1, 5, 5},
          "layer 0 (conv2d): kernel must be a whole number, or two as 3x1 (height, width), got \"3by3\"");
  refused("dropout half", {3}, "layer 0 (dropout): p must be a number, got \"half\"");
  refused("softmax axis=9", {3}, "layer 0 (softmax): axis must be a whole number from -8 to 7, got \"9\"");
  refused("upsample_nearest", {1, 2, 2}, "layer 0 (upsample_nearest): needs either scale or size");
  refused("upsample_nearest 2x", {1, 2, 2},
          "layer 0 (upsample_nearest): scale must be a number, or two as 1.5x2 (height, width), got \"2x\"");
  refused("layer_norm axes=3", {4, 5},
          "layer 0 (layer_norm): axes must be from 1 to 2, for examples of shape (4, 5), got 3");
  // What the layer itself refuses.
  refused("relu, dropout 1", {3},
          "layer 1 (dropout): does not fit examples of shape (3,): [Dropout] p must lie in [0, 1), got 1");
  refused("linear 0", {3},
          "layer 0 (linear): does not fit examples of shape (3,): [Linear] out must be >= 1, got 0");
  refused("group_norm 3", {4},
          "layer 0 (group_norm): does not fit examples of shape (4,): [GroupNorm] 4 channels cannot be cut "
          "into 3 "
          "equal groups");
  refused(
      "linear 1000000000000000", {2},
      "layer 0 (linear): does not fit examples of shape (2,): [tensor] out of memory: 8000000000000000 bytes "
      "wanted");
  // Shapes.
  refused("linear 64, relu, conv2d 8 3", {10},
          "layer 2 (conv2d): needs examples of shape (channels, height, width), gets (64,)");
  refused("max_pool 2", {10},
          "layer 0 (max_pool): needs examples of shape (channels, length) or (channels, height, width), gets "
          "(10,)");
  refused("linear 3", {}, "layer 0 (linear): needs examples with at least one axis, gets single numbers");
  refused("flatten first=0", {3, 2},
          "layer 0 (flatten): mixes the examples of a batch, whose axis is the first");
  refused(
      "relu, residual [tanh, linear 1]", {4},
      "layer 1 (residual): of examples of shape (4,) its body makes (1,) and its shortcut (4,), which cannot "
      "be added; give a body or a shortcut that fits, as in residual [linear 8, relu] [linear 8]");
  refused("residual [relu, residual [conv1d 4 3]]", {4},
          "layer 0.body.1.body.0 (conv1d): needs examples of shape (channels, length), gets (4,)");
  refused("relu", {0}, "examples must have elements and at most 7 axes, got the shape (0,)");
  expect_refusal([] { nn::network(nn::Description{}, {3}, Rng(1)); },
                 "[network] the description has no layers");
  expect_refusal([] { nn::network(nn::Description{{.layer = "relu", .body = {{"relu"}}}}, {3}, Rng(1)); },
                 "[network] layer 0 (relu): only a residual has layers inside it");
  expect_refusal([] { nn::network(nn::Description{{.layer = "residual"}}, {3}, Rng(1)); },
                 "[network] layer 0 (residual): its layers are missing");
  expect_refusal(
      [] {
        nn::network(nn::Description{{.layer = "residual", .settings = {{"p", "1"}}, .body = {{"relu"}}}}, {3},
                    Rng(1));
      },
      "[network] layer 0 (residual): it has no settings, only the layers of its body and shortcut");
}

TEST(Network, RefusesToDescribeWhatHasNoName) {
  const nn::Network network({nn::Relu{}, nn::Apply{[](const Tensor& x) { return x; }}});
  expect_refusal([&] { network.description(); },
                 "[description] layer 1 (Apply) is none of those that a description can name");
  expect_refusal(
      [] {
        nn::text_of({{.layer = "linear", .settings = {{"out", "a b"}}}});
      },
      "[network] layer 0 (linear): \"a b\" cannot be written as a word");
  expect_refusal(
      [] {
        nn::text_of({{.layer = "linear", .settings = {{"o=", "3"}}}});
      },
      "[network] layer 0 (linear): \"o=\" cannot be written as a word");
}

TEST(Network, IsMadeOfLayersByHandToo) {
  Rng rng(1);
  nn::Network network({nn::Linear(4, 5, rng.split()), nn::Tanh{}});
  network.layers.push_back(nn::Sequential{nn::Linear(5, 2, rng.split())});
  EXPECT_EQ(network(ones({3, 4})).shape().string(), "(3, 2)");
  EXPECT_EQ(count_parameters(network), 4 * 5 + 5 + 5 * 2 + 2);
  expect_refusal(
      [&] {
        network(ones({3, 6}));
      },
      "[linear] the input has shape (3, 6), the weight (5, 4): the last dimension must be 4, in layer "
      "\"0\" (Linear)");
  const nn::Network nested({network, nn::Relu{}});
  EXPECT_EQ(named_parts(nested)[2].name, "0.2.0.weight");
  const nn::Network copy{nested};  // not a network around it
  EXPECT_EQ(copy.layers.size(), 2U);
}

TEST(Network, ThatWasMovedFromIsNoticed) {
  nn::Network network = nn::network("linear 2", {3}, Rng(1));
  nn::Network taken = std::move(network);
  expect_refusal(
      [&] {
        network(ones({1, 3}));  // NOLINT(bugprone-use-after-move): what is tested
      },
      "[Network] this network was moved from");
  expect_refusal([&] { network.description(); }, "[Network] this network was moved from");
  EXPECT_EQ(misfit(network), "layers were moved from");
  network = std::move(taken);
  EXPECT_EQ(network(ones({1, 3})).dim(1), 2);
  EXPECT_EQ(misfit(taken), "layers were moved from");  // NOLINT(bugprone-use-after-move)
  taken.layers.push_back(nn::Relu{});
  EXPECT_EQ(misfit(taken), "");
}

TEST(Network, RefusesGradientsAndAveragesOfOtherLayers) {
  nn::Network network = nn::network("linear 2, relu", {3}, Rng(1));
  optim::Adam adam(network);
  nn::Network other = nn::network("linear 3, relu", {3}, Rng(1));
  EXPECT_NE(testing::refusal_of([&] { adam.step(network, other); }).find("0.weight"), std::string::npos);
  optim::Average average(network, {.decay = 0.9});
  EXPECT_NE(testing::refusal_of([&] { average.update(other); }).find("0.weight"), std::string::npos);
  other = nn::network("relu, linear 2, batch_norm", {3}, Rng(1));
  EXPECT_NE(testing::refusal_of([&] { adam.step(network, other); }), "nothing was refused");
  EXPECT_NE(testing::refusal_of([&] { average.update(other); }), "nothing was refused");
  average.update(network);
  EXPECT_TRUE(array_equal(average.model(ones({1, 3})), network(ones({1, 3}))));
}

}  // namespace
}  // namespace likely
