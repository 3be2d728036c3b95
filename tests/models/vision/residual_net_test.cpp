// Residual networks as they are built of layers, against the same networks put together from plain operations
// in f64: values and gradients.
#include "likely/models/vision/residual_net.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"

namespace likely::vision {
namespace {

// A convolution as one product for each element of the kernel.
Tensor plain_convolution(const Tensor& x, const nn::Conv2d& layer) {
  const Tensor& weight = layer.weight;
  const std::int64_t down = weight.dim(2);
  const std::int64_t across = weight.dim(3);
  const auto [step_down, step_across] = layer.options.stride;
  const std::int64_t height = (x.dim(2) - 1) / step_down + 1;
  const std::int64_t width = (x.dim(3) - 1) / step_across + 1;
  const Tensor padded = pad(x, {{0, 0}, {0, 0}, {down / 2, down / 2}, {across / 2, across / 2}});
  Tensor total;
  for (std::int64_t i = 0; i < down; ++i) {
    for (std::int64_t j = 0; j < across; ++j) {
      const Tensor rows =
          slice(padded, 2, {.start = i, .stop = i + (height - 1) * step_down + 1, .step = step_down});
      const Tensor places =
          slice(rows, 3, {.start = j, .stop = j + (width - 1) * step_across + 1, .step = step_across});
      const Tensor term = einsum("ncij,oc->noij", {places, select(select(weight, 3, j), 2, i)});
      total = total.defined() ? total + term : term;
    }
  }
  return total;
}

// (11.7-11.9) with the statistics of the batch, the variance inside the root.
Tensor plain_norm(const Tensor& x, const nn::BatchNorm& layer) {
  const auto by_channel = [](const Tensor& t) { return reshape(t, {1, t.size(), 1, 1}); };
  const Tensor centred = x - mean(x, {0, 2, 3}, true);
  const Tensor variance = mean(square(centred), {0, 2, 3}, true);
  return centred / sqrt(variance + layer.epsilon) * by_channel(layer.weight) + by_channel(layer.bias);
}

Tensor plain_loss(const ResidualNet& net, const Tensor& x, const Tensor& y) {
  Tensor h = relu(plain_norm(plain_convolution(x, net.stem), net.stem_norm));
  for (const ResidualBlock& block : net.blocks) {
    const Tensor inner = relu(plain_norm(plain_convolution(h, block.first), block.first_norm));
    const Tensor through = plain_norm(plain_convolution(inner, block.second), block.second_norm);
    const Tensor beside =
        block.shortcut ? plain_norm(plain_convolution(h, *block.shortcut), *block.shortcut_norm) : h;
    h = relu(beside + through);
  }
  const Tensor scores = matmul(mean(h, {2, 3}), transpose(net.out.weight)) + net.out.bias;
  return -mean(sum(log_softmax(scores, -1) * one_hot(y, scores.dim(1), DType::f64), -1));
}

void expect_plain(const ResidualNetOptions& options, std::int64_t rows) {
  Rng rng(5);
  ResidualNet net(options, rng.split());
  // Not the ones and zeros that normalizations start with.
  for_each_named_leaf(net, [&](const std::string& name, Tensor& part, PartKind kind) {
    if (kind == PartKind::parameter && part.rank() == 1)
      part =
          name.ends_with("bias") ? rng.normal(part.shape(), 0.0, 0.1) : rng.uniform(part.shape(), 0.5, 1.5);
  });
  const Tensor x = rng.normal({rows, options.channels, options.height, options.width});
  const Tensor y = rng.randint(0, options.classes, {rows});
  const Training training(Rng(1));
  const auto with_layers = [&](ResidualNet& n, const Tensor& rows_of) {
    return softmax_cross_entropy(n(rows_of, training), y);
  };
  const Tensor x64 = x.to(DType::f64);
  ResidualNet net64 = cast_parts(net, DType::f64);
  const auto [expected_loss, expected] =
      value_and_grad(std::as_const(net64), [&](const ResidualNet& n) { return plain_loss(n, x64, y); });
  const auto [loss64, gradient64] =
      value_and_grad(net64, [&](ResidualNet& n) { return with_layers(n, x64); });
  const auto [loss, gradient] = value_and_grad(net, [&](ResidualNet& n) { return with_layers(n, x); });

  EXPECT_NEAR(loss64.item(), expected_loss.item(), 1e-12);
  EXPECT_NEAR(loss.item(), expected_loss.item(), 1e-5);
  const std::vector<Part> wanted = named_parts(expected);
  const std::vector<Part> got64 = named_parts(gradient64);
  const std::vector<Part> got = named_parts(gradient);
  double error = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].kind != PartKind::parameter) continue;
    const auto distance = [&](const Tensor& t) { return norm(t.to(DType::f64) - wanted[i].value).item(); };
    EXPECT_LT(distance(got64[i].value), 1e-10 * (1.0 + norm(wanted[i].value).item())) << wanted[i].name;
    error = std::hypot(error, distance(got[i].value));
    size = std::hypot(size, norm(wanted[i].value).item());
  }
  EXPECT_LT(error, 1e-3 * size);  // of single precision
}

TEST(ResidualNet, OfSignalsIsItsPlainComposition) {
  expect_plain({.height = 1, .width = 40, .kernel = {1, 3}, .stages = {8, 16}, .stage_stride = {1, 2}}, 16);
}

TEST(ResidualNet, OfDigitsIsItsPlainComposition) {
  expect_plain({.stem_stride = 2, .stages = {8, 12}, .blocks = 1}, 12);
}

// The size that the benchmark trains: four blocks of 32 channels on 3 x 32 x 32.
TEST(ResidualNet, OfColourImagesIsItsPlainComposition) {
  expect_plain({.channels = 3, .height = 32, .width = 32, .stages = {32}, .blocks = 4}, 4);
}

TEST(ResidualNet, PredictsWithTheStatisticsItHasSeen) {
  ResidualNet net({.height = 1, .width = 12, .kernel = {1, 3}, .stages = {4}, .blocks = 1}, Rng(1));
  Rng rng(2);
  const Tensor x = rng.normal({64, 12}, 3.0, 2.0);
  const Tensor before = net(x);
  const Training training(Rng(3));
  Tensor seen;
  for (int i = 0; i < 200; ++i) seen = net(x, training);
  EXPECT_FALSE(array_equal(before, net(x)));
  // Running statistics have converged to those of the batch; they keep the unbiased variance.
  EXPECT_LT(max(abs(net(x) - seen)).item(), 0.02);
}

}  // namespace
}  // namespace likely::vision
