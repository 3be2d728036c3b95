// Methods that look along a direction, on functions whose minima are known.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
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
  Tensor b = testing::scattered({6}, 4);
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
  const Tensor x = testing::scattered({40, 3}, 1);
  const Tensor y = (testing::scattered({40}, 2) + select(x, 1, 0)).to(DType::f64);
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
Objective curve(const std::function<double(double)>& f, const std::function<double(double)>& slope) {
  return [=](const std::vector<double>& x) { return Evaluation{f(x[0]), {slope(x[0])}}; };
}

TEST(LineSearch, FindsStepsThatSatisfyWolfe) {
  // A parabola, and two of the functions of Moré and Thuente (1994). The slope of the last one is so flat at
  // first that rounding leaves no room for a tenth of it.
  struct Case {
    Objective f;
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
  const Objective f = curve([](double t) { return t * t - t; }, [](double t) { return 2 * t - 1; });
  const LineSearch end =
      backtracking(f, {0.0}, f({0.0}), {1.0}, {.first_step = 8.0, .sufficient_decrease = 0.25});
  // 8, 4, 2, 1 do not fall by a quarter of the slope; 1/2 does.
  EXPECT_TRUE(end.found);
  EXPECT_EQ(end.step, 0.5);
  EXPECT_EQ(end.evaluations, 5);
  // Beyond a wall of infinity.
  const Objective wall =
      curve([](double t) { return t < 0.1 ? -t : std::nan(""); }, [](double) { return -1.0; });
  EXPECT_EQ(backtracking(wall, {0.0}, wall({0.0}), {1.0}).step, 0.0625);
}

TEST(LineSearch, SaysWhenThereIsNoGoodStepAndRefusesToGoUphill) {
  // A slope that lies: the function never falls.
  const Objective f = curve([](double t) { return std::abs(t); }, [](double) { return -1.0; });
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

}  // namespace
}  // namespace likely::optim
