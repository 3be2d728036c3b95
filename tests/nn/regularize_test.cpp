#include "likely/nn/regularize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/laplace.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

struct Pair {
  Tensor weight, bias;
  Buffer kept;
  LIKELY_PARTS(weight, bias, kept)
};

Pair make_pair() {
  return {tensor({{1.0, -2.0}}, DType::f64), tensor({3.0}, DType::f64), full({1}, 100.0, DType::f64)};
}

TEST(Regularize, AddsUpTheParametersThatAreMeant) {
  Pair model = make_pair();
  EXPECT_EQ(nn::l2(model).item(), 14.0);
  EXPECT_EQ(nn::l1(model).item(), 6.0);
  EXPECT_EQ(nn::l2(model, "weight").item(), 5.0);
  EXPECT_EQ(nn::l1(model, "b*").item(), 3.0);
  freeze(model.bias);
  EXPECT_EQ(nn::l2(model).item(), 5.0);
}

TEST(Regularize, HasTheGradientsOfTheNorms) {
  const auto as_model = [](const std::vector<Tensor>& in) { return Pair{in[0], in[1], {}}; };
  const std::vector<Tensor> point{numbers({2, 3}), numbers({2}, 1.0, 2)};
  check_gradients(
      "l2", [&](const auto& in) { return nn::l2(as_model(in)); }, point);
  check_gradients(
      "l1", [&](const auto& in) { return nn::l1(as_model(in)); }, point);
}

TEST(Regularize, RefusesNamesThatNothingHas) {
  const Pair model = make_pair();
  expect_refusal([&] { nn::l2(model, "scale"); }, "[l2] no parameter's name fits \"scale\"");
  expect_refusal([&] { nn::l1(model, "kept"); }, "[l1] no parameter's name fits \"kept\"");
}

Tensor number(double value) { return full({}, value, DType::f64); }

// Linear regression with a normal prior: the maximum a posteriori is ridge regression, in closed form.
TEST(Regularize, APriorGivesTheMaximumAPosteriori) {
  const std::vector<double> x{-1.0, 0.5, 2.0}, y{-0.5, 1.0, 3.0};
  const double noise = 0.25, prior = 2.0;
  double xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < 3; ++i) xx += x[i] * x[i], xy += x[i] * y[i];
  const double expected = xy / (xx + noise / prior);
  const Tensor at = full({}, expected, DType::f64);
  const Tensor gradient = grad(at, [&](const Tensor& slope) {
    const Tensor misfit = square(tensor(y) - tensor(x) * slope);
    return sum(misfit) * (-0.5 / noise) + nn::log_prior(slope, Normal(number(0.0), number(std::sqrt(prior))));
  });
  EXPECT_NEAR(gradient.item(), 0.0, 1e-12);
  const Pair model = make_pair();
  EXPECT_NEAR(nn::log_prior(model, Normal(number(0.0), number(1.0))).item(), -7.0 - 1.5 * std::log(2 * M_PI),
              1e-12);
  EXPECT_NEAR(nn::log_prior(model, Laplace(number(0.0), number(2.0)), "weight").item(),
              -1.5 - 2 * std::log(4.0), 1e-12);
  expect_refusal([&] { nn::log_prior(model, Normal(number(0.0), number(1.0)), "x"); },
                 "[log_prior] no parameter's name fits \"x\"");
}

// A loss that is neither quadratic nor symmetric.
Tensor bent(const Tensor& p) { return sum(square(square(p)) * 0.3 + sin(p)) + square(sum(p)) * 0.2; }

// Follows the flow dphi/dt = -dL/dphi for a time with many small Runge-Kutta steps.
Tensor flow(const std::function<Tensor(const Tensor&)>& loss, Tensor p, double time) {
  const int pieces = 16;
  const double h = time / pieces;
  const auto v = [&](const Tensor& at) { return -grad(at, loss); };
  for (int i = 0; i < pieces; ++i) {
    const Tensor k1 = v(p), k2 = v(p + k1 * (h / 2)), k3 = v(p + k2 * (h / 2)), k4 = v(p + k3 * h);
    p = p + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6);
  }
  return p;
}

// A step of length alpha is off the flow of the loss by O(alpha^2), and off that of the loss with (9.8) by
// O(alpha^3): halving alpha divides the error by 4 and by 8.
TEST(Regularize, GradientDescentFollowsTheFlowOfTheLossWithTheImplicitTerm) {
  const Tensor start = tensor({0.7, -0.4, 1.1}, DType::f64);
  const auto error = [&](double alpha, bool explained) {
    const auto loss = [&](const Tensor& p) {
      return explained ? bent(p) + nn::implicit_gd(p, bent, alpha) : bent(p);
    };
    const Tensor step = start - grad(start, bent) * alpha;
    return norm(step - flow(loss, start, alpha)).item();
  };
  EXPECT_NEAR(error(0.01, false) / error(0.005, false), 4.0, 0.2);
  EXPECT_NEAR(error(0.01, true) / error(0.005, true), 8.0, 0.4);
  EXPECT_LT(error(0.01, true), 0.05 * error(0.01, false));
}

// With batches: the mean over all orders of one epoch of B steps follows (9.9) over the time B alpha, up to
// O(alpha^3) (Smith et al., 2021).
TEST(Regularize, StochasticGradientDescentFollowsTheFlowOfTheLossWithBothTerms) {
  const Tensor start = tensor({0.7, -0.4}, DType::f64);
  using Loss = std::function<Tensor(const Tensor&)>;
  const std::vector<Loss> batches{[](const Tensor& p) { return bent(p); },
                                  [](const Tensor& p) { return sum(square(p - 0.5)) + bent(p * 0.5); }};
  const Loss mean_loss = [&](const Tensor& p) { return (batches[0](p) + batches[1](p)) * 0.5; };
  const auto epoch = [&](double alpha, std::size_t first) {
    const Tensor middle = start - grad(start, batches[first]) * alpha;
    return middle - grad(middle, batches[1 - first]) * alpha;
  };
  const auto error = [&](double alpha, bool explained) {
    const auto loss = [&](const Tensor& p) {
      return explained ? mean_loss(p) + nn::implicit_sgd(p, batches, alpha) : mean_loss(p);
    };
    const Tensor both = (epoch(alpha, 0) + epoch(alpha, 1)) * 0.5;
    return norm(both - flow(loss, start, 2 * alpha)).item();
  };
  EXPECT_NEAR(error(0.01, false) / error(0.005, false), 4.0, 0.3);
  EXPECT_NEAR(error(0.01, true) / error(0.005, true), 8.0, 0.6);
}

TEST(Regularize, ImplicitTermsAreWhatTheEquationsSay) {
  const Tensor p = tensor({0.7, -0.4}, DType::f64);
  const auto a = [](const Tensor& t) { return sum(t * tensor({1.0, 2.0}, DType::f64)); };
  EXPECT_NEAR(nn::implicit_gd(p, a, 0.4).item(), 0.1 * 5.0, 1e-14);
  using Loss = std::function<Tensor(const Tensor&)>;
  const std::vector<Loss> losses{a, [](const Tensor& t) { return sum(t * tensor({3.0, 0.0}, DType::f64)); }};
  // The mean gradient is (2, 1), each differs from it by (1, 1): 5 and 2.
  EXPECT_NEAR(nn::implicit_sgd(p, losses, 0.4).item(), 0.1 * (5.0 + 2.0), 1e-14);
  check_gradients("implicit_gd", [](const auto& in) { return nn::implicit_gd(in[0], bent, 0.3); }, {p},
                  {.second = false});
  expect_refusal([&] { nn::implicit_gd(p, a, -1.0); }, "[implicit_gd] lr must be >= 0, got -1");
  expect_refusal([&] { nn::implicit_sgd(p, std::vector<Loss>{}, 0.1); }, "[implicit_sgd] no batches");
}

TEST(Regularize, WeightNoiseMovesParametersAndPassesGradientsOn) {
  const Pair model{zeros({100, 100}), zeros({100}), zeros({5})};
  const Training training(Rng(3));
  const Pair noisy = nn::with_weight_noise(model, 0.2, training, "weight");
  EXPECT_NEAR(std(noisy.weight).item(), 0.2, 4 * 0.2 / std::sqrt(2e4));
  EXPECT_TRUE(array_equal(noisy.bias, model.bias));
  EXPECT_FALSE(array_equal(nn::with_weight_noise(model, 0.2, training).weight, noisy.weight));
  const Pair gradient = grad(model, [&](const Pair& m) {
    return sum(nn::with_weight_noise(m, 0.2, Training(Rng(3))).weight * 3.0);
  });
  EXPECT_TRUE(array_equal(gradient.weight, full({100, 100}, 3.0)));
  expect_refusal([&] { nn::with_weight_noise(model, -1.0, training); },
                 "[with_weight_noise] stddev must be >= 0, got -1");
  expect_refusal([&] { nn::with_weight_noise(model, 1.0, training, "x"); },
                 "[with_weight_noise] no parameter's name fits \"x\"");
}

TEST(Regularize, SmoothLabelsAddUpToOne) {
  const Tensor targets = nn::smooth_labels(tensor({2, 0}), 4, 0.2);
  EXPECT_TRUE(allclose(targets, tensor({{0.05, 0.05, 0.85, 0.05}, {0.85, 0.05, 0.05, 0.05}})));
  expect_refusal([] { nn::smooth_labels(tensor({0}), 4, 1.5); },
                 "[smooth_labels] epsilon must lie in [0, 1], got 1.5");
}

TEST(Regularize, NoisyLabelsAreReplacedAsOftenAsSaid) {
  const Tensor labels = full({20000}, 3.0, DType::i64);
  const Tensor noisy = nn::noisy_labels(labels, 10, 0.3, Training(Rng(4)));
  // One in ten of the replaced is drawn to be what it was.
  const double changed = mean((noisy != labels).to(DType::f64)).item();
  EXPECT_NEAR(changed, 0.27, 4 * std::sqrt(0.27 * 0.73 / 20000));
  EXPECT_EQ(min(noisy).item(), 0.0);
  EXPECT_EQ(max(noisy).item(), 9.0);
  EXPECT_TRUE(array_equal(nn::noisy_labels(labels, 10, 0.0, Training(Rng(4))), labels));
  expect_refusal([&] { nn::noisy_labels(labels, 10, -0.1, Training(Rng(4))); },
                 "[noisy_labels] p must lie in [0, 1], got -0.1");
}

// Dropout at test time: each pass is a sample. For y = sum_i w_i x_i with inputs dropped with probability p
// the mean is y itself and the variance sum_i (w_i x_i)^2 p / (1 - p).
TEST(Regularize, DropoutAtTestTimeTellsHowSureANetworkIs) {
  nn::Sequential model{nn::Dropout(0.25), nn::Linear(8, 1, {.bias = false}, Rng(1))};
  const Tensor x = numbers({1, 8}).to(DType::f32);
  const double y = model(x).item();
  double variance = 0.0;
  for (const double term : (x * model.get<1>().weight).to_vector<double>()) variance += term * term / 3.0;
  const Training training = Training::only_noise(Rng(8));
  const int samples = 20000;
  const Tensor many = model(expand(x, {samples, 8}), training);
  EXPECT_NEAR(mean(many).item(), y, 4 * std::sqrt(variance / samples));
  EXPECT_NEAR(var(many).item(), variance, 0.06 * variance);
}

}  // namespace
}  // namespace likely
