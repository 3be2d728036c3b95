// 100 steps of training: losses and last weights as PyTorch has them.
#include <gtest/gtest.h>

#include "likely/autodiff/gradient.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/pooling.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

struct Mlp {
  Tensor w1, b1, w2, b2;
  Tensor operator()(const Tensor& x) const { return linear(linear(x, w1, b1, Activation::tanh), w2, b2); }
  LIKELY_PARTS(w1, b1, w2, b2)
};

struct Cnn {
  Tensor w1, b1, w2, b2, w3, b3;
  Tensor operator()(const Tensor& x) const {
    const Tensor first = max_pool2d(conv2d(x, w1, b1, {.padding = 1, .relu = true}), 2);
    const Tensor second = relu(conv2d(first, w2, b2));
    return linear(flatten(second, 1), w3, b3);
  }
  LIKELY_PARTS(w1, b1, w2, b2, w3, b3)
};

template <class Model, class Optimizer, class Options>
void expect_run(const ReferenceRun& run, const Options& options, DType dtype, double tolerance) {
  Model model;
  for_each_named_leaf(model, [&](const std::string& name, Tensor& tensor, PartKind) {
    tensor = run.first.at(name).to(dtype);
  });
  const Tensor x = run.x.to(dtype);
  Optimizer optimizer(model, options);
  for (std::size_t step = 0; step < run.losses.size(); ++step) {
    auto [loss, gradient] =
        value_and_grad(model, [&](const Model& m) { return softmax_cross_entropy(m(x), run.y); });
    ASSERT_NEAR(loss.item(), run.losses[step], tolerance) << run.name << ", step " << step;
    optimizer.step(model, gradient);
  }
  for (const Part& part : named_parts(model)) {
    expect_near(run.name + ": " + part.name, part.value.to(DType::f64), run.last.at(part.name), tolerance);
  }
}

template <class Model>
void expect_run_of(const ReferenceRun& run, DType dtype, double tolerance) {
  using optim::Adam;
  using optim::Sgd;
  const std::string how = run.name.substr(run.name.find('_') + 1);
  if (how == "sgd") {
    expect_run<Model, Sgd>(run, optim::SgdOptions{.lr = 0.1}, dtype, tolerance);
  } else if (how == "sgd_momentum") {
    expect_run<Model, Sgd>(run, optim::SgdOptions{.lr = 0.05, .momentum = 0.9}, dtype, tolerance);
  } else if (how == "sgd_nesterov_decay") {
    expect_run<Model, Sgd>(
        run, optim::SgdOptions{.lr = 0.05, .momentum = 0.8, .nesterov = true, .weight_decay = 0.01}, dtype,
        tolerance);
  } else if (how == "adam") {
    expect_run<Model, Adam>(run, optim::AdamOptions{.lr = 0.01}, dtype, tolerance);
  } else if (how == "adam_decay") {
    expect_run<Model, Adam>(
        run, optim::AdamOptions{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.01},
        dtype, tolerance);
  } else if (how == "adamw") {
    expect_run<Model, Adam>(run, optim::AdamOptions{.lr = 0.01, .weight_decay = 0.1, .decoupled = true},
                            dtype, tolerance);
  } else {
    ADD_FAILURE() << "no optimizer for the stored run " << run.name;
  }
}

void expect_all_runs(DType dtype, double tolerance) {
  const std::vector<ReferenceRun> runs = reference_runs();
  EXPECT_EQ(runs.size(), 12U);
  for (const ReferenceRun& run : runs) {
    EXPECT_EQ(run.losses.size(), 100U);
    if (run.name.starts_with("mlp")) {
      expect_run_of<Mlp>(run, dtype, tolerance);
    } else {
      expect_run_of<Cnn>(run, dtype, tolerance);
    }
  }
}

TEST(Parity, TrainingInDoublePrecision) { expect_all_runs(DType::f64, 1e-9); }
TEST(Parity, TrainingInSinglePrecision) { expect_all_runs(DType::f32, 2e-3); }

}  // namespace
}  // namespace likely::testing
