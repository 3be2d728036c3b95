// A model that was moved from is not written over a good one.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/io/model_file.hpp"
#include "likely/nn/nn.hpp"
#include "likely/optim/sgd.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

struct Model {
  Tensor weight, bias;
  Buffer mean;
  LIKELY_PARTS(weight, bias, mean)
};

TEST(MovedModel, IsNotSavedOverAGoodOne) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  Model model{tensor({1.0, 2.0}), {}, Buffer(tensor({3.0}))};
  save(path, model);
  const Model taken = std::move(model);
  expect_refusal(
      [&] { save(path, model); },  // NOLINT(bugprone-use-after-move): that is the test
      "[save] " + path.string() + " is not written: all tensors of the model are empty; was it moved from?");
  Model loaded{zeros({2}), {}, Buffer(zeros({1}))};
  load(path, loaded);
  EXPECT_TRUE(array_equal(loaded.weight, taken.weight));
}

// Half of it, too: each part in turn, a parameter that may be empty by right and a buffer among them.
TEST(MovedModel, APartThatWasMovedFromIsNamed) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  const Model whole{tensor({1.0, 2.0}), tensor({4.0}), Buffer(tensor({3.0}))};
  const auto message = [&](const std::string& part) {
    return "[save] " + path.string() + " is not written: part \"" + part + "\" was moved from";
  };
  save(path, whole);
  std::vector<Model> models(2, whole);
  const Tensor weight = std::move(models[1].weight);
  expect_refusal([&] { save(path, models); }, message("1.weight"));
  models[1].weight = weight;  // and back
  const Tensor bias = std::move(models[0].bias);
  expect_refusal([&] { save(path, models); }, message("0.bias"));
  models[0].bias = {};  // empty by right
  Buffer mean;
  mean = std::move(models[1].mean);
  expect_refusal([&] { save(path, models); }, message("1.mean"));
  const std::vector<Model> copy = models;
  expect_refusal([&] { save(path, copy); }, message("1.mean"));
  models[1].mean = mean;
  save(folder / "other.safetensors", models);
  Model loaded{zeros({2}), zeros({1}), Buffer(zeros({1}))};
  load(path, loaded);
  EXPECT_TRUE(array_equal(loaded.bias, whole.bias));
}

// A vector of layers whose layers have gone has no tensors at all: an empty file would be written over the
// good one.
TEST(MovedModel, AVectorWithoutItsLayersIsNotSavedOverAGoodOne) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  Rng rng(1);
  std::vector<nn::Linear> layers;
  layers.emplace_back(2, 3, rng.split());
  save(path, layers);
  const std::string written = testing::read_bytes(path);
  const std::vector<nn::Linear> taken = std::move(layers);
  const std::string message =
      "[save] " + path.string() +
      " is not written: the model holds no tensors, though its layers do; was it moved from?";
  expect_refusal([&] { save(path, layers); }, message);  // NOLINT(bugprone-use-after-move): that is the test
  expect_refusal([&] { save(path, std::pair(layers, std::optional<Tensor>())); }, message);
  EXPECT_EQ(testing::read_bytes(path), written);
  // What never holds any is no mistake.
  save(folder / "relu.safetensors", nn::Sequential{nn::Relu{}});
  std::vector<nn::Linear> loaded{nn::Linear(2, 3, rng.split())};
  load(path, loaded);
  EXPECT_TRUE(array_equal(loaded[0].weight, taken[0].weight));
}

struct Counted {
  Tensor weight;
  Buffer count;
  std::string misfit() const { return part_misfit("count", count, {}, DType::i64, Values::count); }
  LIKELY_PARTS(weight, count)
};

// What could not be read back is not written.
TEST(MovedModel, WhatDoesNotFitItselfIsNotSaved) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  const std::pair<Counted, Counted> whole{{tensor({1.0}), Buffer(tensor(3))},
                                          {tensor({2.0}), Buffer(tensor(4))}};
  save(path, whole);
  auto half = whole;
  half.second.count = Tensor();
  expect_refusal([&] { save(path, half); },
                 "[save] " + path.string() + " is not written: 1.count is empty, must be () i64");
  half.second.count = tensor(-1);
  expect_refusal(
      [&] { save(path, half); },
      "[save] " + path.string() + " is not written: 1.count holds -1, must be a count from 0 to 2^53");
  auto loaded = half;
  load(path, loaded);
  EXPECT_EQ(loaded.second.count.item(), 4.0);
}

TEST(MovedModel, ALayerWithoutItsWeightsIsNotSaved) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  Rng rng(1);
  std::pair<nn::Linear, nn::Conv1d> model{nn::Linear(2, 3, rng.split()), nn::Conv1d(1, 2, 3, rng.split())};
  save(path, model);
  const nn::Linear first = model.first;
  model.first.weight = Tensor();
  expect_refusal([&] { save(path, model); },
                 "[save] " + path.string() + " is not written: 0.weight is empty, must be there");
  model.first = first;
  model.second.weight = Tensor();
  expect_refusal([&] { save(path, model); },
                 "[save] " + path.string() + " is not written: 1.weight is empty, must be there");
}

// Empty buffers are an optimizer before its first step; no parts at all are a layer without numbers.
TEST(MovedModel, WhatIsEmptyByRightIsSaved) {
  const TemporaryFolder folder;
  const Model model{tensor({1.0}), {}, {}};
  optim::Sgd sgd(model, {.lr = 0.1});
  save(folder / "sgd.safetensors", sgd);
  load(folder / "sgd.safetensors", sgd);
  save(folder / "buffers.safetensors", std::vector<Buffer>(2));
  save(folder / "nothing.safetensors", std::vector<Tensor>());
}

}  // namespace
}  // namespace likely::io
