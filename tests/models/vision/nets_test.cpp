// The classifiers: shapes, numbers of parameters, what they refuse, and that they learn.
#include <gtest/gtest.h>

#include "likely/likely.hpp"
#include "likely/models/vision/cnn.hpp"
#include "likely/models/vision/mlp.hpp"
#include "likely/models/vision/residual_net.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::vision {
namespace {

using likely::testing::expect_refusal;

const ResidualNetOptions kSignals{
    .height = 1, .width = 40, .kernel = {1, 3}, .stages = {8, 16}, .stage_stride = {1, 2}};

TEST(Mlp, HasTheParametersOfItsLayers) {
  EXPECT_EQ(count_parameters(Mlp({40, 10}, Rng(1))), 40 * 10 + 10);
  EXPECT_EQ(count_parameters(Mlp({40, 100, 100, 10}, Rng(1))), 40 * 100 + 100 + 100 * 100 + 100 + 1000 + 10);
  EXPECT_EQ(count_parameters(Mlp({784, 512, 512, 10}, Rng(1))), 669706);  // as published tables have it
}

TEST(Mlp, IsTheCompositionOfItsLayers) {
  const Mlp net({6, 5, 4, 3}, Rng(2));
  const Tensor x = Rng(3).normal({7, 6});
  Tensor h = relu(matmul(x, transpose(net.hidden[0].weight)) + net.hidden[0].bias);
  h = relu(matmul(h, transpose(net.hidden[1].weight)) + net.hidden[1].bias);
  const Tensor expected = matmul(h, transpose(net.out.weight)) + net.out.bias;
  EXPECT_LT(max(abs(net(x) - expected)).item(), 1e-5);
  EXPECT_LT(max(abs(net(reshape(x, {7, 2, 3})) - expected)).item(), 1e-5);  // images are flattened
  const std::vector<LayerOutput> layers = net.layers(x);
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[1].name, "hidden layer 2");
  EXPECT_LT(max(abs(layers[1].value - h)).item(), 1e-5);
  EXPECT_TRUE(array_equal(layers[2].value, net(x)));
}

TEST(Mlp, DropsOnlyInTraining) {
  const Mlp net({6, 50, 3}, {.input_dropout = 0.2, .hidden_dropout = 0.5}, Rng(2));
  const Tensor x = Rng(3).normal({7, 6});
  const Training training(Rng(4));
  EXPECT_TRUE(array_equal(net(x), net(x)));
  EXPECT_FALSE(array_equal(net(x), net(x, training)));
  const Mlp without({6, 50, 3}, Rng(2));
  EXPECT_TRUE(array_equal(without(x), without(x, training)));
}

TEST(Mlp, RefusesTooFewWidths) {
  expect_refusal([] { Mlp({40}, Rng(1)); },
                 "[Mlp] at least the widths of inputs and outputs are needed, got 1");
}

TEST(Cnn1d, IsThePublishedNetwork) {
  const Cnn1d net{Rng(1)};
  // Kernels of 5, 3, 3 with stride 2 make 40 places 19, 10 and 5.
  EXPECT_EQ(count_parameters(net), (25 * 5 + 25) + 2 * (25 * 25 * 3 + 25) + (25 * 5 * 10 + 10));
  const std::vector<LayerOutput> layers = net.layers(zeros({3, 40}));
  ASSERT_EQ(layers.size(), 4U);
  EXPECT_EQ(layers[0].value.shape(), Shape({3, 25, 19}));
  EXPECT_EQ(layers[1].value.shape(), Shape({3, 25, 10}));
  EXPECT_EQ(layers[2].value.shape(), Shape({3, 25, 5}));
  EXPECT_EQ(layers[3].value.shape(), Shape({3, 10}));
}

// (10.3) written as loops.
TEST(Cnn1d, FirstLayerIsTheWeightedSumOfNeighbours) {
  const Cnn1d net({.channels = 3}, Rng(2));
  const Tensor x = Rng(3).normal({2, 40});
  const std::vector<float> values = x.to_vector<float>();
  const std::vector<float> weights = net.first.weight.to_vector<float>();
  const std::vector<float> found = net.layers(x)[0].value.to_vector<float>();
  for (int row = 0; row < 2; ++row) {
    for (int channel = 0; channel < 3; ++channel) {
      for (int place = 0; place < 19; ++place) {
        double total = 0.0;  // biases start at 0
        for (int k = 0; k < 5; ++k) {
          const int from = 2 * place + k - 1;
          if (from >= 0 && from < 40) total += double{weights[channel * 5 + k]} * values[row * 40 + from];
        }
        EXPECT_NEAR(found[(row * 3 + channel) * 19 + place], std::max(total, 0.0), 1e-5);
      }
    }
  }
}

TEST(Cnn1d, TakesSignalsWithAndWithoutAChannelAxis) {
  const Cnn1d net({.length = 21, .channels = 4, .classes = 3, .dropout = 0.5}, Rng(1));
  const Tensor x = Rng(2).normal({5, 21});
  EXPECT_TRUE(array_equal(net(x), net(unsqueeze(x, 1))));
  EXPECT_EQ(net(x).shape(), Shape({5, 3}));
  EXPECT_TRUE(array_equal(net.layers(x).back().value, net(x)));
  EXPECT_FALSE(array_equal(net(x), net(x, Training(Rng(4)))));
  expect_refusal([] { Cnn1d({.length = 2}, Rng(1)); }, "[Cnn1d] signals must have at least 3 numbers, got 2");
}

TEST(Cnn2d, HasTheShapesAndParametersOfItsLayers) {
  const Cnn2d net{Rng(1)};
  EXPECT_EQ(count_parameters(net),
            (16 * 25 + 16) + (32 * 16 * 25 + 32) + (32 * 16 * 128 + 128) + (1280 + 10));
  const std::vector<LayerOutput> layers = net.layers(zeros({2, 1, 28, 28}));
  ASSERT_EQ(layers.size(), 4U);
  EXPECT_EQ(layers[0].value.shape(), Shape({2, 16, 24, 24}));
  EXPECT_EQ(layers[1].value.shape(), Shape({2, 32, 8, 8}));
  EXPECT_EQ(layers[2].value.shape(), Shape({2, 128}));
  const Tensor x = Rng(2).normal({2, 784});
  EXPECT_TRUE(array_equal(net(x), net(reshape(x, {2, 28, 28}))));
  EXPECT_TRUE(array_equal(net.layers(x).back().value, net(x)));
  expect_refusal([] { Cnn2d({.height = 15}, Rng(1)); },
                 "[Cnn2d] images must have at least 16 x 16 numbers, got 15 x 28");
}

TEST(ResidualNet, HasTheParametersOfItsLayers) {
  const ResidualNet net(kSignals, Rng(1));
  const auto norm = [](int channels) { return 2 * channels; };
  const int stem = 8 * 3 + norm(8);
  const int plain8 = 2 * (8 * 8 * 3 + norm(8));
  const int wider = 16 * 8 * 3 + 16 * 16 * 3 + 16 * 8 + 3 * norm(16);
  const int plain16 = 2 * (16 * 16 * 3 + norm(16));
  EXPECT_EQ(count_parameters(net), stem + 2 * plain8 + wider + plain16 + 16 * 10 + 10);
  const std::vector<LayerOutput> layers = net.layers(zeros({3, 40}));
  ASSERT_EQ(layers.size(), 6U);
  EXPECT_EQ(layers[2].value.shape(), Shape({3, 8, 1, 40}));
  EXPECT_EQ(layers[3].value.shape(), Shape({3, 16, 1, 20}));
  EXPECT_EQ(layers[5].value.shape(), Shape({3, 10}));
}

TEST(ResidualNet, RefusesWhatCannotBeBuilt) {
  expect_refusal([] { ResidualNet({.stages = {}}, Rng(1)); }, "[ResidualNet] there are no stages");
  expect_refusal([] { ResidualNet({.blocks = 0}, Rng(1)); },
                 "[ResidualNet] a stage needs at least 1 block, got 0");
  expect_refusal([] { ResidualNet({.kernel = 2}, Rng(1)); }, "[ResidualNet] kernels must be odd, got 2 x 2");
}

template <class Model>
Model trained(Model model, const data::Dataset& rows, std::int64_t epochs, double lr) {
  optim::Adam adam(model, {.lr = lr});
  train::fit(model, adam, {.train = rows},
             [](auto& m, const data::Batch& b, const auto&... training) {
               return softmax_cross_entropy(m(b.x, training...), b.y);
             },
             {.epochs = epochs, .batch = 50, .seed = 1, .progress = train::Progress::silent});
  return model;
}

// Curves with little noise: a few hundred are enough.
TEST(Nets, LearnSmallProblems) {
  const data::Mnist1d curves = data::mnist1d(Rng(5), {.samples = 1000, .correlated_noise = 0.05});
  const Cnn1d cnn = trained(Cnn1d({.channels = 12}, Rng(1)), curves.train, 40, 1e-2);
  EXPECT_GT(train::evaluate(cnn, curves.test, train::accuracy), 0.75);
  const ResidualNet residual = trained(ResidualNet(kSignals, Rng(1)), curves.train, 6, 1e-2);
  EXPECT_GT(train::evaluate(residual, curves.test, train::accuracy), 0.75);
}

TEST(Nets, AreTheSameBitsOnAnyNumberOfThreads) {
  const data::Mnist1d curves = data::mnist1d(Rng(5), {.samples = 250});
  Rng rng(6);
  const data::Dataset images(rng.normal({60, 784}), rng.randint(0, 10, {60}));
  const int before = threads();
  const auto run = [&](int count) {
    set_threads(count);
    std::vector<Part> parts;
    const auto keep = [&](const auto& model) {
      for (const Part& part : named_parts(model)) parts.push_back(part);
    };
    keep(trained(Mlp({40, 100, 100, 10}, {.hidden_dropout = 0.2}, Rng(1)), curves.train, 1, 1e-2));
    keep(trained(Cnn1d({.dropout = 0.2}, Rng(1)), curves.train, 1, 1e-2));
    keep(trained(ResidualNet(kSignals, Rng(1)), curves.train, 1, 1e-2));
    keep(trained(Cnn2d({.first = 4, .second = 8, .hidden = 16}, Rng(1)), images, 1, 1e-3));
    keep(trained(ResidualNet({.stem_stride = 2, .stages = {4, 8}, .blocks = 1}, Rng(1)), images, 1, 1e-3));
    return parts;
  };
  const std::vector<Part> one = run(1);
  for (const int count : {2, 3}) {
    const std::vector<Part> several = run(count);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!one[i].value.defined()) continue;
      EXPECT_TRUE(array_equal(one[i].value, several[i].value)) << one[i].name << ", " << count << " threads";
    }
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely::vision
