#include "likely/nn/sequential.hpp"

#include <gtest/gtest.h>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::numbers;

template <class Model>
std::string names_of(const Model& model) {
  std::string text;
  for (const Part& part : named_parts(model)) {
    if (part.value.defined()) text += part.name + " ";
  }
  return text;
}

TEST(Sequential, CallsItsLayersInOrderAndNumbersThemAsPyTorch) {
  Rng rng(1);
  const nn::Sequential model{nn::Linear(3, 4, rng.split()), nn::Tanh{}, nn::Linear(4, 2, rng.split())};
  EXPECT_EQ(names_of(model), "0.weight 0.bias 2.weight 2.bias ");
  const Tensor x = numbers({5, 3}).to(DType::f32);
  EXPECT_TRUE(array_equal(model(x), model.get<2>()(tanh(model.get<0>()(x)))));
  // The first layer has the first key.
  Rng again(1);
  EXPECT_TRUE(array_equal(model.get<0>().weight, nn::Linear(3, 4, again.split()).weight));
}

TEST(Sequential, HoldsListsAndOtherSequences) {
  Rng rng(1);
  std::vector<nn::Linear> deep;
  for (int i = 0; i < 3; ++i)
    deep.emplace_back(4, 4, nn::LinearOptions{.activation = Activation::relu}, rng.split());
  const nn::Sequential model{deep, nn::Sequential{nn::Linear(4, 1, rng.split()), nn::Sigmoid{}}};
  EXPECT_EQ(names_of(model),
            "0.0.weight 0.0.bias 0.1.weight 0.1.bias 0.2.weight 0.2.bias 1.0.weight 1.0.bias ");
  Tensor h = numbers({2, 4}).to(DType::f32);
  const Tensor y = model(h);
  for (const nn::Linear& layer : deep) h = layer(h);
  EXPECT_TRUE(array_equal(y, sigmoid(model.get<1>().get<0>()(h))));
}

TEST(Sequential, HandsTrainingToTheLayersThatTakeIt) {
  Rng rng(1);
  nn::Sequential model{nn::Linear(3, 8, rng.split()), nn::BatchNorm(8), nn::Relu{},
                       nn::Sequential{nn::Dropout(0.5), nn::Linear(8, 2, rng.split())}};
  const Tensor x = numbers({6, 3}).to(DType::f32);
  const Tensor inferred = model(x);
  EXPECT_TRUE(array_equal(inferred, model(x)));
  const Training training(Rng(2));
  const Tensor first = model(x, training), second = model(x, training);
  EXPECT_FALSE(array_equal(first, second));  // other units were dropped
  EXPECT_EQ(model.get<1>().num_batches_tracked.item(), 2.0);
  EXPECT_FALSE(array_equal(inferred, model(x)));  // the statistics moved
}

TEST(Sequential, OfConstLayersTrainsWhereNothingIsWritten) {
  const nn::Sequential model{nn::Dropout(0.5), nn::Relu{}};
  const Tensor x = ones({64});
  EXPECT_TRUE(array_equal(model(x), x));
  EXPECT_FALSE(array_equal(model(x, Training(Rng(1))), x));
}

TEST(Sequential, TakesAnyFunction) {
  const nn::Sequential model{nn::Flatten{}, nn::Apply{[](const Tensor& x) { return x * 2.0; }},
                             nn::Identity{}};
  EXPECT_EQ(model(ones({2, 3, 4})).shape().string(), "(2, 12)");
  EXPECT_EQ(sum(model(ones({2, 3, 4}))).item(), 48.0);
  EXPECT_EQ(count_parameters(model), 0);
}

TEST(Residual, AddsTheBodyToTheShortcut) {
  Rng rng(1);
  const nn::Residual same{nn::Linear(3, 3, rng.split())};
  const Tensor x = numbers({5, 3}).to(DType::f32);
  EXPECT_TRUE(array_equal(same(x), x + same.body(x)));
  EXPECT_EQ(names_of(same), "body.weight body.bias ");
  nn::Residual wider{nn::Sequential{nn::Linear(3, 6, rng.split()), nn::Dropout(0.5)},
                     nn::Linear(3, 6, {.bias = false}, rng.split())};
  EXPECT_EQ(names_of(wider), "body.0.weight body.0.bias shortcut.weight ");
  EXPECT_TRUE(array_equal(wider(x), wider.shortcut(x) + wider.body(x)));
  EXPECT_FALSE(array_equal(wider(x), wider(x, Training(Rng(2)))));
}

TEST(Sequential, HasTheGradientOfItsFunction) {
  Rng rng(3);
  const auto model =
      cast_parts(nn::Sequential{nn::Conv1d(1, 2, 3, {.padding = 1}, rng.split()), nn::Tanh{},
                                nn::Residual{nn::Sequential{nn::GroupNorm(2, 2), nn::Silu{}}}, nn::Flatten{},
                                nn::Linear(8, 2, {.activation = Activation::tanh}, rng.split())},
                 DType::f64);
  std::vector<Tensor> leaves{numbers({2, 1, 4})};
  for_each_leaf(model, [&](const Tensor& t, PartKind) { leaves.push_back(t); });
  testing::check_gradients(
      "sequential",
      [&](const std::vector<Tensor>& in) {
        auto moved = model;
        std::size_t next = 1;
        for_each_leaf(moved, [&](Tensor& t, PartKind) { t = in[next++]; });
        return moved(in[0]);
      },
      leaves);
}

// A whole little network: learns, and does so in the same bits for any number of threads.
TEST(Sequential, TrainsInTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const auto run = [](int n) {
    set_threads(n);
    Rng rng(11);
    nn::Sequential model{
        nn::Conv2d(1, 8, 3, {.padding = 1, .bias = false}, rng.split()),
        nn::BatchNorm(8, {.relu = true}),
        nn::MaxPool2d(2),
        nn::Residual{
            nn::Sequential{nn::Conv2d(8, 8, 3, {.padding = 1, .relu = true}, rng.split()), nn::Dropout(0.1)}},
        nn::AdaptiveAvgPool2d{2},
        nn::Flatten{},
        nn::Linear(32, 2, rng.split())};
    using Model = decltype(model);
    const Tensor x = rng.normal({32, 1, 12, 12});
    const Tensor y = (mean(x, {1, 2, 3}) > 0.0).to(DType::i64);
    optim::Sgd sgd(model, {.lr = 0.1, .momentum = 0.9});
    std::vector<double> losses;
    for (int step = 0; step < 30; ++step) {
      const Training training(rng.split());
      const auto [loss, gradient] =
          value_and_grad(model, [&](Model& m) { return softmax_cross_entropy(m(x, training), y); });
      sgd.step(model, gradient);
      losses.push_back(loss.item());
    }
    return losses;
  };
  const std::vector<double> one = run(1);
  EXPECT_LT(one.back(), 0.5 * one.front());
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(3));
  set_threads(before);
}

// Who is to blame is known outside of the layer, too.
TEST(Sequential, KeepsTheFaultOfAnError) {
  Rng rng(1);
  const nn::Sequential model{nn::Linear(3, 4, rng.split()), nn::Tanh{}};
  const auto fault_of = [&](const Tensor& x) {
    try {
      naming_layers(model, [&] { return model(x); });
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).ends_with(", in layer \"0\" (Linear)")) << error.what();
      return error.fault();
    }
    ADD_FAILURE() << "nothing was refused";
    return Fault::input;
  };
  EXPECT_EQ(fault_of(zeros({2, 5})), Fault::input);
  EXPECT_EQ(fault_of(expand(zeros({1, 3}), {std::int64_t{1} << 50, 3})), Fault::memory);
}

}  // namespace
}  // namespace likely
