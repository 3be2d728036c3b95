// A model that was moved from is not written over a good one.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/io/model_file.hpp"
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
