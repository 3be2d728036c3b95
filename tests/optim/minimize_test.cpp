// Methods that look along a direction, on functions whose minima are known.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/solve.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/optim.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/matrices.hpp"

namespace likely::optim {
namespace {

using testing::expect_refusal;

// sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2: a curved valley, the minimum 0 at (1, ..., 1).
Tensor rosenbrock(const Tensor& x) {
  const Tensor head = slice(x, 0, {.stop = -1}), tail = slice(x, 0, {.start = 1});
  return sum(square(tail - square(head)) * 100.0 + square(1.0 - head));
}

struct Quadratic {
  Tensor a = testing::positive_definite({6, 6}, 3);
  Tensor b = testing::numbers({6}, 1.0, 4);
  Tensor operator()(const Tensor& x) const { return dot(x, matmul(a, x)) * 0.5 - dot(b, x); }
  Tensor minimum() const { return solve(a, b); }
};

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksValley) {
  for (const std::int64_t n : {2, 10}) {
    Tensor x = full({n}, -1.2, DType::f64);
    Lbfgs lbfgs;
    const Minimum end = lbfgs.minimize(x, rosenbrock, {.max_iterations = 200, .gradient_tolerance = 1e-8});
    EXPECT_TRUE(end.converged) << n;
    EXPECT_LE(end.gradient_norm, 1e-8);
    EXPECT_LT(end.evaluations, 200);
    EXPECT_TRUE(allclose(x, ones({n}, DType::f64), 0.0, 1e-8)) << x;
  }
}

TEST(Lbfgs, FindsTheMinimumOfAQuadratic) {
  const Quadratic f;
  Tensor x = zeros({6}, DType::f64);
  Lbfgs lbfgs;
  const Minimum end = lbfgs.minimize(x, f, {.gradient_tolerance = 1e-10});
  EXPECT_TRUE(end.converged);
  EXPECT_TRUE(allclose(x, f.minimum(), 0.0, 1e-9));
  EXPECT_NEAR(end.loss, f(f.minimum()).item(), 1e-12);
}

// Logistic regression has one minimum; there, the gradient is 0. The model is a tree with a part that is not
// learned.
struct Logistic {
  Tensor weight;
  Tensor offset;
  LIKELY_PARTS(weight, offset)
};

TEST(Lbfgs, FitsAModelAndLeavesFrozenPartsAlone) {
  const Tensor x = testing::numbers({40, 3}, 1.0, 1);
  const Tensor y = (testing::numbers({40}, 1.0, 2) + select(x, 1, 0)).to(DType::f64);
  const Tensor labels = tensor([&] {
    std::vector<double> values;
    for (const double v : y.to_vector<double>()) values.push_back(v > 0.0 ? 1.0 : 0.0);
    return values;
  }());
  const auto loss = [&](const Logistic& m) {
    return binary_cross_entropy_from_logits(matmul(x, m.weight) + m.offset, labels);
  };
  Logistic model{zeros({3}, DType::f64), full({}, 0.25, DType::f64)};
  freeze(model.offset);
  Lbfgs lbfgs;
  EXPECT_TRUE(lbfgs.minimize(model, loss, {.gradient_tolerance = 1e-9}).converged);
  EXPECT_EQ(model.offset.item(), 0.25);
  EXPECT_LT(norm(grad(model, loss).weight).item(), 1e-8);
}

TEST(Lbfgs, GoesOnFromItsParts) {
  Tensor whole = full({4}, -1.0, DType::f64), parted = whole;
  Lbfgs one({.history = 3});
  for (int i = 0; i < 12; ++i) one.step(whole, rosenbrock);
  EXPECT_EQ(one.moves.shape().string(), "(3, 4)");
  Lbfgs first({.history = 3});
  for (int i = 0; i < 7; ++i) first.step(parted, rosenbrock);
  Lbfgs second({.history = 3});
  const std::vector<Part> saved = named_parts(first);
  std::size_t next = 0;
  for_each_leaf(second, [&](Tensor& t, PartKind) { t = saved[next++].value.copy(); });
  for (int i = 0; i < 5; ++i) second.step(parted, rosenbrock);
  EXPECT_TRUE(array_equal(whole, parted));
}

TEST(Lbfgs, WorksInSinglePrecisionToItsDigits) {
  Tensor x = full({2}, -1.2);
  Lbfgs lbfgs;
  lbfgs.minimize(x, rosenbrock, {.max_iterations = 200});
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_TRUE(allclose(x, ones({2}), 0.0, 1e-2)) << x;
}

TEST(Lbfgs, StopsWhereTheGradientIsZeroAndRefusesWhatItCannotStartFrom) {
  Tensor x = ones({3}, DType::f64);
  Lbfgs lbfgs;
  const Minimum end = lbfgs.minimize(x, rosenbrock);
  EXPECT_TRUE(end.converged);
  EXPECT_EQ(end.iterations, 0);
  EXPECT_EQ(end.evaluations, 1);
  expect_refusal([] { Lbfgs({.history = 0}); }, "[Lbfgs] history must be >= 1, got 0");
  expect_refusal([] { Lbfgs({.lr = 0.0}); }, "[Lbfgs] lr must be > 0, got 0");
  expect_refusal([] { Lbfgs({.sufficient_decrease = 0.95}); },
                 "[Lbfgs] needs 0 < sufficient_decrease < curvature < 1, got 0.95 and 0.9");
  expect_refusal([&] { lbfgs.minimize(x, rosenbrock, {.max_iterations = -1}); },
                 "[Lbfgs] max_iterations must be >= 0, got -1");
  Tensor negative = full({}, -1.0, DType::f64);
  expect_refusal([&] { lbfgs.step(negative, [](const Tensor& t) { return log(t); }); },
                 "[Lbfgs] the loss is nan");
  x = full({3}, -1.0, DType::f64);
  lbfgs.step(x, rosenbrock);
  Tensor other = full({2}, -1.0, DType::f64);
  expect_refusal([&] { lbfgs.step(other, rosenbrock); },
                 "[Lbfgs] remembers steps of 3 numbers, got a model of 2");
}

TEST(GradientDescent, FindsTheMinimumOfAQuadraticAndNeverGoesUp) {
  const Quadratic f;
  Tensor x = zeros({6}, DType::f64);
  GradientDescent descent({.lr = 10.0});
  double before = f(x).item();
  for (int i = 0; i < 20; ++i) {
    const Minimum now = descent.step(x, f);
    EXPECT_LT(now.loss, before);
    EXPECT_EQ(now.loss, f(x).item());
    before = now.loss;
  }
  const Minimum end = descent.minimize(x, f, {.max_iterations = 2000, .gradient_tolerance = 1e-8});
  EXPECT_TRUE(end.converged);
  EXPECT_TRUE(allclose(x, f.minimum(), 0.0, 1e-7));
}

TEST(GradientDescent, CreepsAlongRosenbrocksValley) {
  Tensor x = tensor({-1.2, 1.0}, DType::f64);
  GradientDescent descent;
  const Minimum end = descent.minimize(x, rosenbrock, {.max_iterations = 20000, .gradient_tolerance = 1e-4});
  EXPECT_TRUE(end.converged);
  EXPECT_TRUE(allclose(x, ones({2}, DType::f64), 0.0, 1e-3)) << x;
}

TEST(GradientDescent, RefusesOptionsOutOfRange) {
  expect_refusal([] { GradientDescent({.lr = 0.0}); }, "[GradientDescent] lr must be > 0, got 0");
  expect_refusal([] { GradientDescent({.shrink = 1.0}); },
                 "[GradientDescent] shrink must be in [0, 1), got 1");
  expect_refusal([] { GradientDescent({.sufficient_decrease = 0.0}); },
                 "[GradientDescent] sufficient_decrease must be > 0, got 0");
  Tensor x = full({}, -1.0, DType::f64);
  GradientDescent descent;
  expect_refusal([&] { descent.step(x, [](const Tensor& t) { return log(t); }); },
                 "[GradientDescent] the loss is nan");
}

// f(t) along a line of one dimension.
LossFunction curve(const std::function<double(double)>& f, const std::function<double(double)>& slope) {
  return [=](const std::vector<double>& x) { return Evaluation{f(x[0]), {slope(x[0])}}; };
}

TEST(LineSearch, FindsStepsThatSatisfyWolfe) {
  // A parabola, and two of the functions of Moré and Thuente (1994). The slope of the last one is so flat at
  // first that rounding leaves no room for a tenth of it.
  struct Case {
    LossFunction f;
    double curvature;
  };
  const std::vector<Case> cases{
      {curve([](double t) { return (t - 3) * (t - 3); }, [](double t) { return 2 * (t - 3); }), 0.1},
      {curve([](double t) { return -t / (t * t + 2); },
             [](double t) { return (t * t - 2) / ((t * t + 2) * (t * t + 2)); }),
       0.1},
      {curve([](double t) { return std::pow(t + 0.004, 5) - 2 * std::pow(t + 0.004, 4); },
             [](double t) { return 5 * std::pow(t + 0.004, 4) - 8 * std::pow(t + 0.004, 3); }),
       0.9}};
  const std::vector<double> x{0.0}, direction{1.0};
  for (const auto& [f, curvature] : cases) {
    const Evaluation start = f(x);
    for (const double first : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
      const LineSearch end =
          strong_wolfe(f, x, start, direction, {.first_step = first, .curvature = curvature});
      EXPECT_TRUE(end.found) << first;
      EXPECT_LE(end.at.value, start.value + 1e-4 * end.step * start.gradient[0]);
      EXPECT_LE(std::abs(end.at.gradient[0]), curvature * std::abs(start.gradient[0]));
      EXPECT_DOUBLE_EQ(end.point[0], end.step);
    }
  }
}

TEST(LineSearch, BacktracksToTheFirstStepThatIsGoodEnough) {
  const LossFunction f = curve([](double t) { return t * t - t; }, [](double t) { return 2 * t - 1; });
  const LineSearch end =
      backtracking(f, {0.0}, f({0.0}), {1.0}, {.first_step = 8.0, .sufficient_decrease = 0.25});
  // 8, 4, 2, 1 do not fall by a quarter of the slope; 1/2 does.
  EXPECT_TRUE(end.found);
  EXPECT_EQ(end.step, 0.5);
  EXPECT_EQ(end.evaluations, 5);
  // Beyond a wall of infinity.
  const LossFunction wall =
      curve([](double t) { return t < 0.1 ? -t : std::nan(""); }, [](double) { return -1.0; });
  EXPECT_EQ(backtracking(wall, {0.0}, wall({0.0}), {1.0}).step, 0.0625);
}

TEST(LineSearch, SaysWhenThereIsNoGoodStepAndRefusesToGoUphill) {
  // A slope that lies: the function never falls.
  const LossFunction f = curve([](double t) { return std::abs(t); }, [](double) { return -1.0; });
  const LineSearch none = backtracking(f, {0.0}, f({0.0}), {1.0}, {.max_evaluations = 5});
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.step, 0.0);
  EXPECT_EQ(none.evaluations, 5);
  EXPECT_FALSE(strong_wolfe(f, {0.0}, f({0.0}), {1.0}, {.max_evaluations = 5}).found);
  expect_refusal([&] { backtracking(f, {0.0}, f({0.0}), {-1.0}); },
                 "[backtracking] the direction does not lead downhill: slope 1");
  expect_refusal([&] { strong_wolfe(f, {0.0}, f({0.0}), {0.0}); },
                 "[strong_wolfe] the direction does not lead downhill: slope 0");
  expect_refusal([&] { strong_wolfe(f, {0.0}, f({0.0}), {1.0}, {.curvature = 1.0}); },
                 "[strong_wolfe] needs 0 < sufficient_decrease < curvature < 1, got 0.0001 and 1");
  expect_refusal([&] { backtracking(f, {0.0}, f({0.0}), {1.0}, {.max_evaluations = 0}); },
                 "[backtracking] max_evaluations must be >= 1, got 0");
}

// A loss that is finite where the parameters are not, and a step that f32 cannot hold.
TEST(Lbfgs, StaysWhereTheModelCanBe) {
  Tensor x = tensor({0.5, -1.0});
  Lbfgs lbfgs;
  lbfgs.moves = tensor({{1e60, 1e60}}, DType::f64);
  lbfgs.changes = tensor({{1e-10, 1e-10}}, DType::f64);
  const auto loss = [](const Tensor& at) { return sum(1.0 / (1.0 + exp(at))); };
  ASSERT_EQ(loss(tensor({INFINITY, INFINITY})).item(), 0.0);
  const double before = loss(x).item();
  lbfgs.minimize(x, loss, {.max_iterations = 3});
  for (const float each : x.to_vector<float>()) EXPECT_TRUE(std::isfinite(each)) << each;
  EXPECT_LT(loss(x).item(), before);
}

TEST(Lbfgs, LeavesTheModelAsItWasWhereTheLossIsRefused) {
  Tensor x = tensor({0.5, -1.0}, DType::f64);
  int calls = 0;
  const auto loss = [&](const Tensor& at) {
    if (++calls == 3) refuse("loss", "no more");
    return sum(square(square(at)));
  };
  expect_refusal([&] { Lbfgs().minimize(x, loss); }, "[loss] no more");
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0.5, -1.0}));
  calls = 0;
  expect_refusal([&] { GradientDescent().minimize(x, loss); }, "[loss] no more");
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{0.5, -1.0}));
}

// A loss that uses nothing of the model could be followed for ever without learning anything.
TEST(Minimize, RefusesALossThatDoesNotDependOnTheModel) {
  const std::string message =
      "[minimize] the loss does not depend on the model: it uses none of its parameters. It must be computed "
      "from the model that it is handed, by operations on tensors: item(), at() and data() read constants "
      "out";
  Logistic model{full({3}, 0.5, DType::f64), zeros({}, DType::f64)};
  const Logistic other = model;
  const auto about_another = [&](const Logistic&) { return sum(square(other.weight)); };
  expect_refusal([&] { Lbfgs().minimize(model, about_another); }, message);
  expect_refusal([&] { Lbfgs().step(model, about_another); }, message);
  expect_refusal([&] { GradientDescent().minimize(model, about_another); }, message);
  const auto read_out = [](const Logistic& m) { return tensor(m.weight.at({0}) * 2.0, DType::f64); };
  expect_refusal([&] { Lbfgs().minimize(model, read_out); }, message);
  EXPECT_TRUE(array_equal(model.weight, other.weight));
  // A gradient inside the loss, of something else, is no use of the model.
  const auto inner = [&](const Logistic&) {
    return sum(grad(other.weight, [](const Tensor& w) { return sum(square(w)); }));
  };
  expect_refusal([&] { Lbfgs().minimize(model, inner); }, message);
}

TEST(Minimize, TakesLossesThatUseSomeParametersOrAreFlat) {
  Logistic model{full({3}, 0.5, DType::f64), zeros({}, DType::f64)};
  EXPECT_TRUE(Lbfgs().minimize(model, [](const Logistic& m) { return sum(square(m.weight)); }).converged);
  EXPECT_TRUE(allclose(model.weight, zeros({3}, DType::f64), 0.0, 1e-6));
  // Slopes that are exactly 0 where it starts.
  EXPECT_TRUE(Lbfgs().minimize(model, [](const Logistic& m) { return sum(relu(m.weight - 5.0)); }).converged);
  // Through a gradient inside the loss.
  model.weight = full({3}, 0.5, DType::f64);
  EXPECT_TRUE(Lbfgs()
                  .minimize(model,
                            [](const Logistic& m) {
                              const Tensor slope =
                                  grad(m.weight, [](const Tensor& w) { return sum(square(square(w))); });
                              return sum(square(slope - 4.0));
                            })
                  .converged);
  EXPECT_TRUE(allclose(model.weight, ones({3}, DType::f64), 0.0, 1e-6));
  // A tuple is handed over as arguments.
  std::tuple<Tensor, Tensor> both{full({2}, 3.0, DType::f64), zeros({}, DType::f64)};
  EXPECT_TRUE(
      Lbfgs()
          .minimize(both, [](const Tensor& a, const Tensor& b) { return sum(square(a)) + square(b - 1.0); })
          .converged);
  EXPECT_NEAR(std::get<1>(both).item(), 1.0, 1e-6);
  // Nothing to learn is nothing to do.
  freeze(model);
  EXPECT_TRUE(Lbfgs().minimize(model, [](const Logistic& m) { return sum(m.weight); }).converged);
}

// Near its minimum a loss of about 100 has no digits to fall by long before its slopes have none.
TEST(Lbfgs, GoesOnWhereTheLossHasNoMoreDigits) {
  const Tensor x = testing::numbers({300, 8}, 2.0, 5);
  const Tensor y = heaviside(matmul(x, testing::numbers({8}, 1.0, 6)) + testing::numbers({300}, 1.5, 7));
  const auto loss = [&](const Tensor& w) {
    return binary_cross_entropy_from_logits(matmul(x.to(w.dtype()), w), y.to(w.dtype()),
                                            {.reduction = Reduction::sum});
  };
  Tensor w = zeros({8}, DType::f64);
  const Minimum end = Lbfgs().minimize(w, loss, {.gradient_tolerance = 1e-11});
  EXPECT_TRUE(end.converged) << end.gradient_norm;
  EXPECT_LT(end.evaluations, 45);
  EXPECT_GT(end.loss, 50.0);
  // Against a sum by hand: sum_i (sigmoid(x_i w) - y_i) x_i is 0.
  for (std::int64_t j = 0; j < 8; ++j) {
    double slope = 0.0;
    for (std::int64_t i = 0; i < 300; ++i) {
      double z = 0.0;
      for (std::int64_t k = 0; k < 8; ++k) z += x.at({i, k}) * w.at({k});
      slope += (1.0 / (1.0 + std::exp(-z)) - y.at({i})) * x.at({i, j});
    }
    EXPECT_NEAR(slope, 0.0, 1e-10);
  }
  Tensor single = zeros({8});
  const Minimum coarse = Lbfgs().minimize(single, loss, {.gradient_tolerance = 1e-4});
  EXPECT_TRUE(coarse.converged) << coarse.gradient_norm;
  EXPECT_LT(coarse.evaluations, 45);
  EXPECT_TRUE(allclose(single.to(DType::f64), w, 0.0, 1e-4));
}

TEST(Lbfgs, StopsWhereNothingCanBecomeSmaller) {
  Tensor w = tensor({3.0, -2.0}, DType::f64);
  const auto loss = [](const Tensor& at) { return 1e6 + sum(exp(at) - at) + 0.1 * sum(square(at - 0.3)); };
  const Minimum end = Lbfgs().minimize(w, loss, {.max_iterations = 100000, .gradient_tolerance = 0.0});
  EXPECT_LT(end.evaluations, 300);
  EXPECT_LT(end.gradient_norm, 1e-12);
}

}  // namespace
}  // namespace likely::optim
