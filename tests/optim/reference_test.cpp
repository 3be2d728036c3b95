// 1,000 steps of each optimizer on changing batches: losses and last weights as PyTorch has them. Schedules
// too.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/loss.hpp"
#include "likely/optim/optim.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

struct Dense {
  Tensor weight, bias;
  LIKELY_PARTS(weight, bias)
};
struct Mlp {
  Dense hidden, out;
  Tensor operator()(const Tensor& x) const {
    return linear(linear(x, hidden.weight, hidden.bias, Activation::tanh), out.weight, out.bias);
  }
  LIKELY_PARTS(hidden, out)
};

constexpr int kSteps = 1000, kEvery = 100, kBatch = 8;

// Step s sees rows 8 s ... 8 s + 7, modulo the number of rows.
Tensor rows_of_step(int step, std::int64_t rows) {
  std::vector<std::int64_t> which;
  for (int i = 0; i < kBatch; ++i) which.push_back((step * kBatch + i) % rows);
  return tensor(which);
}

struct Precision {
  DType dtype;
  double tolerance;
};

template <class MakeOptimizer>
void expect_thousand_steps(const ReferenceRun& run, const MakeOptimizer& make, const Precision& precision) {
  const auto [dtype, tolerance] = precision;
  Mlp model;
  for_each_named_leaf(model, [&](const std::string& name, Tensor& t, PartKind) {
    t = run.first.at(name).to(precision.dtype);
  });
  const Tensor all = run.x.to(dtype);
  auto optimizer = make(model);
  for (int step = 0; step < kSteps; ++step) {
    const Tensor rows = rows_of_step(step, run.x.dim(0));
    const Tensor x = index_select(all, 0, rows), y = index_select(run.y, 0, rows);
    const auto [loss, gradient] =
        value_and_grad(model, [&](const Mlp& m) { return softmax_cross_entropy(m(x), y); });
    optimizer.step(model, gradient);
    if (step % kEvery == 0) {
      ASSERT_NEAR(loss.item(), run.losses.at(static_cast<std::size_t>(step / kEvery)), tolerance)
          << run.name << ", step " << step;
    }
  }
  for (const Part& part : named_parts(model)) {
    expect_near(run.name + ": " + part.name, part.value.to(DType::f64), run.last.at(part.name), tolerance);
  }
}

using Check = std::function<void(const ReferenceRun&, const Precision&)>;

template <class Optimizer, class Options>
Check with(const Options& options, const optim::Groups& groups = {}) {
  return [=](const ReferenceRun& run, const Precision& precision) {
    expect_thousand_steps(
        run, [&](const Mlp& model) { return Optimizer(model, options, groups); }, precision);
  };
}

void expect_every_optimizer(const Precision& precision) {
  const optim::Groups groups{{.names = "out.weight", .lr_multiple = 0.25},
                             {.names = "*", .max_rank = 1, .weight_decay = 0.0}};
  const std::map<std::string, Check> optimizers{
      {"sgd", with<optim::Sgd>(optim::SgdOptions{.lr = 0.1})},
      {"sgd_decay", with<optim::Sgd>(optim::SgdOptions{.lr = 0.1, .weight_decay = 0.01})},
      {"sgd_momentum", with<optim::Sgd>(optim::SgdOptions{.lr = 0.02, .momentum = 0.9})},
      {"sgd_nesterov", with<optim::Sgd>(optim::SgdOptions{
                           .lr = 0.02, .momentum = 0.9, .nesterov = true, .weight_decay = 0.001})},
      {"adam", with<optim::Adam>(optim::AdamOptions{})},
      {"adam_decay", with<optim::Adam>(optim::AdamOptions{
                         .lr = 0.01, .beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.01})},
      {"adamw", with<optim::AdamW>(optim::AdamWOptions{})},
      {"adamw_groups", with<optim::AdamW>(optim::AdamWOptions{.weight_decay = 0.1}, groups)},
      {"rmsprop", with<optim::Rmsprop>(optim::RmspropOptions{})},
      {"rmsprop_all", with<optim::Rmsprop>(optim::RmspropOptions{.lr = 0.0005,
                                                                 .decay = 0.99,
                                                                 .eps = 1e-6,
                                                                 .momentum = 0.8,
                                                                 .centred = true,
                                                                 .weight_decay = 0.001})},
      {"adagrad", with<optim::Adagrad>(optim::AdagradOptions{})},
      {"adagrad_decay",
       with<optim::Adagrad>(optim::AdagradOptions{.lr = 0.05, .eps = 1e-6, .weight_decay = 0.01})},
  };
  const std::vector<ReferenceRun> runs = reference_runs("optimizers");
  EXPECT_EQ(runs.size(), optimizers.size());
  for (const ReferenceRun& run : runs) {
    SCOPED_TRACE(run.name);
    ASSERT_EQ(run.losses.size(), static_cast<std::size_t>(kSteps / kEvery));
    optimizers.at(run.name)(run, precision);
  }
}

TEST(Parity, OfAThousandStepsWithEveryOptimizer) { expect_every_optimizer({DType::f64, 1e-8}); }
TEST(Parity, OfAThousandStepsInSinglePrecision) { expect_every_optimizer({DType::f32, 2e-3}); }

ReferenceFunctions::mapped_type rates_of(const optim::Schedule& schedule) {
  return [=](const std::vector<Tensor>& steps) {
    std::vector<double> rates;
    for (const std::int64_t step : steps[0].to_vector<std::int64_t>()) rates.push_back(schedule(step));
    return tensor(rates);
  };
}

ReferenceFunctions::mapped_type rates_of(const optim::PlateauOptions& options) {
  return [=](const std::vector<Tensor>& losses) {
    optim::Plateau plateau(options);
    std::vector<double> rates;
    for (const double loss : losses[0].to_vector<double>()) rates.push_back(plateau.observe(loss));
    return tensor(rates);
  };
}

TEST(Parity, OfSchedules) {
  expect_parity(
      "schedules",
      {{"step", rates_of(optim::StepSchedule{.lr = 0.5, .every = 10, .factor = 0.5})},
       {"exponential", rates_of(optim::ExponentialSchedule{.lr = 0.5, .factor = 0.9})},
       {"cosine", rates_of(optim::CosineSchedule{.lr = 0.5, .steps = 30, .last = 0.02})},
       {"linear", rates_of(optim::LinearSchedule{.first = 0.1, .last = 0.4, .steps = 12})},
       {"warm_up", rates_of(optim::WarmUp{.steps = 8, .then = optim::ConstantSchedule{0.5}})},
       {"plateau", rates_of(optim::PlateauOptions{.lr = 0.5, .factor = 0.5, .patience = 2})},
       {"plateau_cooldown",
        rates_of(optim::PlateauOptions{
            .lr = 0.5, .factor = 0.3, .patience = 1, .threshold = 0.05, .cooldown = 3, .last = 0.01})}});
}

}  // namespace
}  // namespace likely::testing
