// Each layer does what its operation does, has PyTorch's shapes and names, and refuses what makes no sense.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/normalize.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

Tensor image(const Shape& shape) { return numbers(shape).to(DType::f32); }

// "name shape", one a part that is there.
template <class Layer>
std::string parts_of(const Layer& layer) {
  std::string text;
  for (const Part& part : named_parts(layer)) {
    if (part.value.defined()) text += part.name + part.value.shape().string() + " ";
  }
  return text;
}

TEST(Linear, ComputesALineOfAllInputs) {
  nn::Linear layer(2, 3, {.activation = Activation::relu}, Rng(1));
  EXPECT_EQ(parts_of(layer), "weight(3, 2) bias(3,) ");
  EXPECT_TRUE(array_equal(layer.bias, zeros({3})));
  layer.weight = tensor({{1.0, 2.0}, {-1.0, 0.5}, {0.0, -3.0}});
  layer.bias = tensor({0.5, 0.0, 1.0});
  EXPECT_TRUE(allclose(layer(tensor({{1.0, 1.0}, {2.0, -1.0}})), tensor({{3.5, 0.0, 0.0}, {0.5, 0.0, 4.0}})));
}

TEST(Linear, LeavesOutItsBias) {
  const nn::Linear layer(2, 3, {.bias = false}, Rng(1));
  EXPECT_EQ(parts_of(layer), "weight(3, 2) ");
  EXPECT_EQ(count_parameters(layer), 6);
  EXPECT_TRUE(array_equal(layer(zeros({4, 2})), zeros({4, 3})));
}

TEST(Linear, RefusesSizesThatHoldNothing) {
  expect_refusal([] { nn::Linear(0, 3, Rng(1)); }, "[Linear] in must be >= 1, got 0");
  expect_refusal([] { nn::Linear(2, -1, Rng(1)); }, "[Linear] out must be >= 1, got -1");
  const nn::Linear layer(2, 3, Rng(1));
  expect_refusal(
      [&] {
        layer(zeros({4, 3}));
      },
      "[linear] the input has shape (4, 3), the weight (3, 2): the last dimension must be 2");
}

TEST(Convolution, HasPyTorchsWeightsAndSizes) {
  const nn::Conv1d line(4, 6, 3, {.stride = 2, .padding = 1, .groups = 2}, Rng(1));
  EXPECT_EQ(parts_of(line), "weight(6, 2, 3) bias(6,) ");
  EXPECT_EQ(line(image({2, 4, 9})).shape().string(), "(2, 6, 5)");
  const nn::Conv2d plane(4, 6, {3, 1}, {.padding = kSame, .relu = true, .bias = false}, Rng(1));
  EXPECT_EQ(parts_of(plane), "weight(6, 4, 3, 1) ");
  const Tensor y = plane(image({2, 4, 5, 7}));
  EXPECT_EQ(y.shape().string(), "(2, 6, 5, 7)");
  EXPECT_EQ(min(y).item(), 0.0);
  EXPECT_TRUE(
      array_equal(y, conv2d(image({2, 4, 5, 7}), plane.weight, {}, {.padding = kSame, .relu = true})));
}

TEST(Convolution, TransposesUndoTheSizes) {
  const nn::ConvTranspose1d line(6, 4, 3, {.stride = 2, .padding = 1, .output_padding = 1, .groups = 2},
                                 Rng(1));
  EXPECT_EQ(parts_of(line), "weight(6, 2, 3) bias(4,) ");
  EXPECT_EQ(line(image({2, 6, 5})).shape().string(), "(2, 4, 10)");
  const nn::ConvTranspose2d plane(6, 4, 2, {.stride = 2}, Rng(1));
  EXPECT_EQ(parts_of(plane), "weight(6, 4, 2, 2) bias(4,) ");
  EXPECT_TRUE(array_equal(plane(image({2, 6, 5, 4})),
                          conv_transpose2d(image({2, 6, 5, 4}), plane.weight, plane.bias, {.stride = 2})));
}

TEST(Convolution, RefusesSizesAndGroups) {
  expect_refusal([] { nn::Conv1d(0, 6, 3, Rng(1)); }, "[Conv1d] in must be >= 1, got 0");
  expect_refusal([] { nn::Conv2d(4, 6, {3, 0}, Rng(1)); }, "[Conv2d] kernel must be >= 1, got 0");
  expect_refusal([] { nn::Conv2d(4, 6, 3, {.stride = 0}, Rng(1)); }, "[Conv2d] stride must be >= 1, got 0");
  expect_refusal([] { nn::Conv2d(4, 6, 3, {.groups = 4}, Rng(1)); },
                 "[Conv2d] 4 input and 6 output channels cannot be cut into 4 equal groups");
  expect_refusal([] { nn::ConvTranspose1d(4, 0, 3, Rng(1)); }, "[ConvTranspose1d] out must be >= 1, got 0");
  expect_refusal([] { nn::ConvTranspose2d(4, 6, 3, {.groups = 0}, Rng(1)); },
                 "[ConvTranspose2d] 4 input and 6 output channels cannot be cut into 0 equal groups");
}

TEST(BatchNorm, NormalizesByTheBatchInTrainingAndByWhatItRemembersOtherwise) {
  nn::BatchNorm layer(2, {.epsilon = 0.0, .momentum = 0.5});
  EXPECT_EQ(parts_of(layer), "weight(2,) bias(2,) running_mean(2,) running_var(2,) num_batches_tracked() ");
  const Tensor x = tensor({{1.0, 10.0}, {3.0, 30.0}, {5.0, 50.0}});
  const Tensor one = layer(x, Training(Rng(1)));
  // Mean 3 and variance 8/3 of the data; running: half of 0, 1 and half of 3, 4 (divided by n - 1).
  const double high = 2.0 / std::sqrt(8.0 / 3.0);
  EXPECT_TRUE(allclose(one, tensor({{-high, -high}, {0.0, 0.0}, {high, high}})));
  EXPECT_TRUE(allclose(layer.running_mean, tensor({1.5, 15.0})));
  EXPECT_TRUE(allclose(layer.running_var, tensor({2.5, 200.5})));
  EXPECT_EQ(layer.num_batches_tracked.item(), 1.0);
  const nn::BatchNorm& trained = layer;
  EXPECT_TRUE(allclose(trained(x), (x - layer.running_mean) / tensor({std::sqrt(2.5), std::sqrt(200.5)})));
  EXPECT_EQ(layer.num_batches_tracked.item(), 1.0);
}

TEST(BatchNorm, AddsAResidualBeforeTheRelu) {
  nn::BatchNorm layer(3, {.relu = true});
  const Tensor x = image({4, 3, 2, 2}), residual = image({4, 3, 2, 2}) * 0.5;
  nn::BatchNorm plain(3);
  const Training training(Rng(1));
  EXPECT_TRUE(allclose(layer(x, residual, training), relu(plain(x, training) + residual), 1e-5, 1e-6));
  EXPECT_TRUE(allclose(layer(x, residual), relu(plain(x) + residual), 1e-5, 1e-6));
}

TEST(BatchNorm, PredictsWhereOnlyNoiseIsWanted) {
  nn::Sequential model{nn::BatchNorm(2), nn::Dropout(0.5)};
  const Tensor x = image({8, 2}) + 3.0;
  const Tensor y = model.get<0>()(x, Training::only_noise(Rng(1)));
  EXPECT_TRUE(array_equal(y, model(x)));
  EXPECT_EQ(model.get<0>().num_batches_tracked.item(), 0.0);
  EXPECT_FALSE(array_equal(model(x, Training::only_noise(Rng(1))), model(x)));  // units drop
}

struct ScaledNorm {
  nn::BatchNorm norm;
  Tensor scale;
  LIKELY_PARTS(norm, scale)
};

TEST(BatchNorm, KeepsWhatItSawInsideAGradient) {
  nn::BatchNorm layer(2, {.affine = false});
  EXPECT_EQ(count_parameters(layer), 0);
  ScaledNorm model{layer, ones({1})};
  const Tensor x = image({8, 2});
  grad(model, [&](ScaledNorm& m) { return sum(square(m.norm(x * m.scale, Training(Rng(1))))); });
  EXPECT_EQ(model.norm.num_batches_tracked.item(), 1.0);
  EXPECT_TRUE(allclose(model.norm.running_mean, mean(x, 0) * 0.1));
}

TEST(BatchNorm, RefusesNoChannelsAndBatchesOfOne) {
  expect_refusal([] { nn::BatchNorm(0); }, "[BatchNorm] channels must be >= 1, got 0");
  nn::BatchNorm layer(2);
  expect_refusal(
      [&] {
        layer(ones({1, 2}), Training(Rng(1)));
      },
      "[batch_norm] batch statistics need more than one value a channel, got shape (1, 2)");
}

TEST(Norms, AreThoseOfTheOperations) {
  const Tensor x = image({2, 4, 6});
  nn::LayerNorm layer(Shape{4, 6});
  EXPECT_EQ(parts_of(layer), "weight(4, 6) bias(4, 6) ");
  EXPECT_TRUE(array_equal(layer(x), layer_norm(x, 2)));
  layer.weight = image({4, 6});
  layer.bias = image({4, 6}) + 1.0;
  EXPECT_TRUE(array_equal(layer(x), layer_norm(x, 2, layer.weight, layer.bias)));
  EXPECT_EQ(parts_of(nn::LayerNorm(6, {.affine = false})), "");
  EXPECT_EQ(parts_of(nn::RmsNorm(6)), "weight(6,) ");
  EXPECT_TRUE(array_equal(nn::RmsNorm(6)(x), rms_norm(x, 1)));
  EXPECT_EQ(parts_of(nn::GroupNorm(2, 4)), "weight(4,) bias(4,) ");
  EXPECT_TRUE(array_equal(nn::GroupNorm(2, 4)(x), group_norm(x, 2)));
}

TEST(Norms, RefuseShapesThatDoNotFit) {
  expect_refusal([] { nn::LayerNorm(0); }, "[LayerNorm] a shape with elements is needed, got (0,)");
  expect_refusal(
      [] {
        nn::LayerNorm(6, {.affine = false})(ones({2, 5}));
      },
      "[LayerNorm] made for last axes of shape (6,), got (2, 5)");
  expect_refusal([] { nn::RmsNorm(-1); }, "[RmsNorm] features must be >= 1, got -1");
  expect_refusal([] { nn::GroupNorm(3, 4); }, "[GroupNorm] 4 channels cannot be cut into 3 equal groups");
}

TEST(Dropout, DropsInTrainingOnly) {
  const nn::Dropout layer(0.25);
  const Tensor x = ones({4000});
  EXPECT_TRUE(array_equal(layer(x), x));
  const Training training(Rng(5));
  const Tensor first = layer(x, training), second = layer(x, training);
  EXPECT_FALSE(array_equal(first, second));  // each call has a key of its own
  EXPECT_TRUE(array_equal(first, layer(x, Training(Rng(5)))));
  // Binomial: 1000 dropped, standard deviation 27.
  EXPECT_NEAR(sum(first == 0.0).item(), 1000.0, 4 * 27.4);
  EXPECT_NEAR(max(first).item(), 4.0 / 3.0, 1e-6);
  expect_refusal([] { nn::Dropout(1.0); }, "[Dropout] p must lie in [0, 1), got 1");
}

TEST(GaussianNoise, IsAddedInTrainingOnly) {
  const nn::GaussianNoise layer(0.5);
  const Tensor x = ones({100, 100});
  EXPECT_TRUE(array_equal(layer(x), x));
  const Tensor noise = layer(x, Training(Rng(5))) - x;
  EXPECT_NEAR(mean(noise).item(), 0.0, 4 * 0.005);
  EXPECT_NEAR(std(noise).item(), 0.5, 4 * 0.5 / std::sqrt(2e4));
  expect_refusal([] { nn::GaussianNoise(-1.0); }, "[GaussianNoise] stddev must be >= 0, got -1");
}

TEST(Embedding, LooksUpRows) {
  const nn::Embedding table(5, 3, Rng(1));
  EXPECT_EQ(parts_of(table), "weight(5, 3) ");
  const Tensor y = table(tensor({{4, 0}, {1, 1}}));
  EXPECT_EQ(y.shape().string(), "(2, 2, 3)");
  EXPECT_EQ(y.at({0, 0, 2}), table.weight.at({4, 2}));
  expect_refusal([] { nn::Embedding(0, 3, Rng(1)); }, "[Embedding] count must be >= 1, got 0");
  expect_refusal([] { nn::Embedding(5, 0, Rng(1)); }, "[Embedding] width must be >= 1, got 0");
}

TEST(Pooling, LayersAreTheOperations) {
  const Tensor x = image({2, 3, 6, 8}), line = image({2, 3, 8});
  EXPECT_TRUE(array_equal(nn::MaxPool1d(2)(line), max_pool1d(line, 2)));
  EXPECT_TRUE(array_equal(nn::MaxPool2d({3, 2}, {.stride = 2, .padding = 1})(x),
                          max_pool2d(x, {3, 2}, {.stride = 2, .padding = 1})));
  EXPECT_TRUE(array_equal(nn::AvgPool1d(2, {.stride = 1})(line), avg_pool1d(line, 2, {.stride = 1})));
  EXPECT_TRUE(array_equal(nn::AvgPool2d(2)(x), avg_pool2d(x, 2)));
  EXPECT_TRUE(array_equal(nn::AdaptiveAvgPool1d{3}(line), adaptive_avg_pool1d(line, 3)));
  EXPECT_TRUE(array_equal(nn::AdaptiveAvgPool2d{1}(x), adaptive_avg_pool2d(x, 1)));
  EXPECT_TRUE(array_equal(nn::AdaptiveMaxPool1d{3}(line), adaptive_max_pool1d(line, 3)));
  EXPECT_TRUE(array_equal(nn::AdaptiveMaxPool2d{{2, 3}}(x), adaptive_max_pool2d(x, {2, 3})));
  EXPECT_TRUE(array_equal(nn::UpsampleNearest{{.scale = 2.0}}(x), upsample_nearest(x, {.scale = 2.0})));
  EXPECT_TRUE(array_equal(nn::UpsampleBilinear{{.size = 9}}(x), upsample_bilinear(x, {.size = 9})));
}

TEST(Activations, LayersAreTheFunctions) {
  const Tensor x = image({3, 5}) * 3.0;
  EXPECT_TRUE(array_equal(nn::Relu{}(x), relu(x)));
  EXPECT_TRUE(array_equal(nn::LeakyRelu{0.2}(x), leaky_relu(x, 0.2)));
  EXPECT_TRUE(array_equal(nn::Elu{}(x), elu(x)));
  EXPECT_TRUE(array_equal(nn::Gelu{}(x), gelu(x)));
  EXPECT_TRUE(array_equal(nn::GeluTanh{}(x), gelu_tanh(x)));
  EXPECT_TRUE(array_equal(nn::Silu{}(x), silu(x)));
  EXPECT_TRUE(array_equal(nn::Hardswish{}(x), hardswish(x)));
  EXPECT_TRUE(array_equal(nn::Sigmoid{}(x), sigmoid(x)));
  EXPECT_TRUE(array_equal(nn::Tanh{}(x), tanh(x)));
  EXPECT_TRUE(array_equal(nn::Softplus{}(x), softplus(x)));
  EXPECT_TRUE(array_equal(nn::Softmax{0}(x), softmax(x, 0)));
  EXPECT_TRUE(array_equal(nn::LogSoftmax{}(x), log_softmax(x)));
}

}  // namespace
}  // namespace likely
