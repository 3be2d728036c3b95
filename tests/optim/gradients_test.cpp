// What is done to gradients and parameters besides stepping: clipping, groups, averages.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/optim.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::optim {
namespace {

using testing::expect_refusal;
using testing::numbers;

struct Layer {
  Tensor weight, bias;
  Buffer running;
  LIKELY_PARTS(weight, bias, running)
};
struct Model {
  Layer first, second;
  LIKELY_PARTS(first, second)
};

Model make_model(DType dtype = DType::f64) {
  const auto layer = [&](int seed) {
    return Layer{numbers({3, 2}, 1.0, seed).to(dtype), numbers({3}, 1.0, seed + 1).to(dtype),
                 ones({3}, dtype)};
  };
  return {layer(1), layer(3)};
}

TEST(Clip, ScalesTheWholeTreeToTheNorm) {
  std::vector<Tensor> gradient{tensor({3.0, 0.0}), full({2, 2}, 2.0, DType::f64)};  // 9 + 16
  const Tensor held = gradient[0];
  EXPECT_DOUBLE_EQ(global_norm(gradient), 5.0);
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 10.0), 5.0);
  EXPECT_EQ(gradient[0].at({0}), 3.0);
  EXPECT_DOUBLE_EQ(clip_norm(gradient, 1.0), 5.0);
  EXPECT_NEAR(gradient[0].at({0}), 0.6, 1e-7);
  EXPECT_DOUBLE_EQ(gradient[1].at({1, 1}), 0.4);
  EXPECT_NEAR(global_norm(gradient), 1.0, 1e-7);
  EXPECT_EQ(held.at({0}), 3.0);  // a value that others hold
}

TEST(Clip, LeavesBuffersAndWhatIsNotFiniteAlone) {
  Model gradient = make_model();
  clip_norm(gradient, 1e-3);
  EXPECT_TRUE(array_equal(gradient.first.running, ones({3}, DType::f64)));
  std::vector<Tensor> broken{tensor({1.0, std::numeric_limits<double>::infinity()}), ones({1})};
  EXPECT_TRUE(std::isinf(clip_norm(broken, 1.0)));
  EXPECT_EQ(broken[0].at({0}), 1.0);
  broken[0] = tensor({1.0, std::nan("")});
  EXPECT_TRUE(std::isnan(clip_norm(broken, 1.0)));
  EXPECT_EQ(broken[1].item(), 1.0);
}

TEST(Clip, MovesEachNumberIntoTheInterval) {
  std::vector<Tensor> gradient{tensor({3.0, -0.5, -2.0}), transpose(full({1, 2}, 7.0, DType::f64))};
  clip_value(gradient, 1.0);
  EXPECT_TRUE(array_equal(gradient[0], tensor({1.0, -0.5, -1.0})));
  EXPECT_TRUE(array_equal(gradient[1], ones({2, 1}, DType::f64)));
  std::vector<Tensor> broken{tensor({std::nan(""), 2.0})};
  clip_value(broken, 1.0);
  EXPECT_TRUE(std::isnan(broken[0].at({0})));
  EXPECT_EQ(broken[0].at({1}), 1.0);
}

TEST(Clip, RefusesLimitsThatLetNothingPass) {
  std::vector<Tensor> gradient{ones({2})};
  expect_refusal([&] { clip_norm(gradient, 0.0); }, "[clip_norm] the norm must be > 0, got 0");
  expect_refusal([&] { clip_value(gradient, -1.0); }, "[clip_value] the limit must be > 0, got -1");
}

TEST(Clip, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const auto run = [](int n) {
    set_threads(n);
    std::vector<Tensor> gradient;
    for (int i = 0; i < 4; ++i) gradient.push_back(numbers({61, 5003}, 1.0, i).to(DType::f32));
    const double norm = clip_norm(gradient, 1.0);
    return std::pair(norm, gradient[3]);
  };
  const auto one = run(1);
  double square = 0.0;
  for (int i = 0; i < 4; ++i) square += sum(likely::square(numbers({61, 5003}, 1.0, i))).item();
  EXPECT_NEAR(one.first, std::sqrt(square), 1e-6 * std::sqrt(square));
  for (const int n : {2, 3}) {
    const auto several = run(n);
    EXPECT_EQ(one.first, several.first);
    EXPECT_TRUE(array_equal(one.second, several.second));
  }
  set_threads(before);
}

TEST(Groups, TreatPartsDifferently) {
  Model model = make_model();
  const Model start = model;
  const Model gradient = map_parts(model, [](const Tensor& t) { return ones_like(t); });
  Sgd sgd(model, {.lr = 0.1, .weight_decay = 1.0},
          {{.names = "second.*", .lr_multiple = 0.5}, {.max_rank = 1, .weight_decay = 0.0}});
  sgd.step(model, gradient);
  EXPECT_TRUE(allclose(model.first.weight, start.first.weight * 0.9 - 0.1, 1e-14));
  EXPECT_TRUE(allclose(model.first.bias, start.first.bias - 0.1, 1e-14));
  EXPECT_TRUE(allclose(model.second.weight, start.second.weight * 0.95 - 0.05, 1e-14));
  EXPECT_TRUE(allclose(model.second.bias, start.second.bias * 0.95 - 0.05, 1e-14));  // the first that fits
  sgd.options.lr = 0.0;  // a schedule moves all groups
  const Model still = model;
  sgd.step(model, gradient);
  EXPECT_TRUE(array_equal(model.second.weight, still.second.weight));
}

TEST(Groups, RefuseNamesThatNothingHas) {
  const Model model = make_model();
  expect_refusal([&] { Adam(model, {}, {{.names = "third.*"}}); },
                 "[Adam] no parameter belongs to the group \"third.*\"");
  expect_refusal([&] { AdamW(model, {}, {{.names = "*.running"}}); },
                 "[AdamW] no parameter belongs to the group \"*.running\"");
  expect_refusal([&] { Sgd(model, {}, {{.lr_multiple = -1.0}}); },
                 "[Sgd] group \"*\": lr_multiple must be >= 0, got -1");
  expect_refusal([&] { Rmsprop(model, {}, {{.names = "first.*", .weight_decay = NAN}}); },
                 "[Rmsprop] group \"first.*\": weight_decay must be >= 0, got nan");
}

TEST(Average, IsTheMeanOfWhatItWasShown) {
  Model model = make_model();
  Average average(model);
  EXPECT_TRUE(array_equal(average.model.first.weight, model.first.weight));
  std::vector<Tensor> seen;
  for (int i = 0; i < 5; ++i) {
    model.first.weight = numbers({3, 2}, 1.0, 60 + i);
    model.first.running = full({3}, i, DType::f64);
    seen.push_back(model.first.weight);
    average.update(model);
  }
  const Tensor mean = (seen[0] + seen[1] + seen[2] + seen[3] + seen[4]) / 5.0;
  EXPECT_TRUE(allclose(average.model.first.weight, mean, 1e-13));
  EXPECT_TRUE(array_equal(average.model.first.running, full({3}, 4.0, DType::f64)));
  EXPECT_EQ(average.updates.item(), 5.0);
}

TEST(Average, ForgetsExponentially) {
  Tensor x = zeros({2});
  Average average(x, {.decay = 0.75});
  x = ones({2});
  average.update(x);
  average.update(x);
  EXPECT_NEAR(average.model.at({0}), 1.0 - 0.75 * 0.75, 1e-7);
  EXPECT_EQ(x.at({0}), 1.0);
}

TEST(Average, RefusesOtherModelsAndDecays) {
  std::vector<Tensor> one{ones({2})};
  expect_refusal([&] { Average(one, {.decay = 1.0}); }, "[Average] decay must be in [0, 1), got 1");
  Average average(one);
  expect_refusal(
      [&] {
        average.update({ones({2}), ones({2})});
      },
      "[Average] made for a model of 1 tensors, got one of 2");
  expect_refusal([&] { average.update({ones({3})}); },
                 "[Average] tensor 0 is (2,) f32 in the average, (3,) f32 in the model");
  EXPECT_TRUE(array_equal(average.model[0], ones({2})));
  EXPECT_EQ(average.updates.item(), 0.0);
}

}  // namespace
}  // namespace likely::optim
