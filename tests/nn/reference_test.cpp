// A network of many layers with the state of PyTorch's: the same names, the same shapes, the same numbers.
#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

TEST(Parity, OfLayersAndTheirNames) {
  Rng rng(1);
  auto model = cast_parts(
      nn::Sequential{
          nn::Conv2d(2, 6, {3, 2}, {.stride = 2, .padding = 1, .groups = 2}, rng.split()), nn::BatchNorm(6),
          nn::Relu{},
          nn::ConvTranspose2d(6, 4, 3, {.stride = 2, .padding = 1, .output_padding = 1, .bias = false},
                              rng.split()),
          nn::GroupNorm(2, 4), nn::Silu{}, nn::MaxPool2d(2), nn::Flatten{}, nn::LayerNorm(64),
          nn::Linear(64, 5, rng.split()), nn::LogSoftmax{}},
      DType::f64);
  const std::vector<ReferenceRun> runs = reference_runs("layers");
  ASSERT_EQ(runs.size(), 1U);
  std::size_t named = 0;
  for_each_named_leaf(model, [&](const std::string& name, Tensor& value, PartKind) {
    if (!value.defined()) return;
    ++named;
    ASSERT_TRUE(runs[0].first.contains(name)) << name;
    ASSERT_EQ(value.shape().string(), runs[0].first.at(name).shape().string()) << name;
    value = runs[0].first.at(name);
  });
  EXPECT_EQ(named, runs[0].first.size());
  expect_near("prediction", model(runs[0].x), runs[0].y, 1e-11);
  const Tensor trained = model(runs[0].x, Training(Rng(1)));
  EXPECT_NEAR(sum(square(trained)).item(), runs[0].losses[0], 1e-9 * runs[0].losses[0]);
  for_each_named_leaf(model, [&](const std::string& name, Tensor& value, PartKind) {
    if (value.defined()) expect_near(name, value, runs[0].last.at(name), 1e-12);
  });
}

TEST(Parity, OfLabelSmoothing) {
  expect_parity("regularizers", {{"label_smoothing", [](const std::vector<Tensor>& in) {
                                    return softmax_cross_entropy(
                                        in[0], nn::smooth_labels(in[1], 5, 0.1, DType::f64));
                                  }}});
}

}  // namespace
}  // namespace likely::testing
