// Initialization: the variances of the formulae, and the experiment of 7.29-7.31.
#include "likely/nn/initialize.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/convolution.hpp"
#include "likely/nn/linear.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

double mean_square(const Tensor& x) { return mean(square(x.to(DType::f64))).item(); }

// The mean of n squares of independent numbers with variance v: v within 4 standard errors, which are
// v sqrt(2 / n) for normal and v sqrt(0.8 / n) for uniform numbers.
void expect_variance(const char* what, const Tensor& weight, double variance) {
  EXPECT_NEAR(mean_square(weight), variance,
              4 * variance * std::sqrt(2.0 / static_cast<double>(weight.size())))
      << what;
}

TEST(Initialize, HasTheVariancesOfTheFormulae) {
  const Shape shape{200, 50, 3, 3};  // fans 450 and 1800
  EXPECT_EQ(nn::fans_of(shape).in, 450.0);
  EXPECT_EQ(nn::fans_of(shape).out, 1800.0);
  expect_variance("he", nn::he_normal(shape, Rng(1)), 2.0 / 450);
  expect_variance("he, out", nn::he_normal(shape, Rng(2), nn::Fan::out), 2.0 / 1800);
  expect_variance("he, mean", nn::he_normal(shape, Rng(3), nn::Fan::mean), 4.0 / (450 + 1800));
  expect_variance("he uniform", nn::he_uniform(shape, Rng(4)), 2.0 / 450);
  expect_variance("glorot", nn::glorot_normal(shape, Rng(5)), 2.0 / (450 + 1800));
  expect_variance("glorot uniform", nn::glorot_uniform(shape, Rng(6)), 2.0 / (450 + 1800));
  expect_variance("lecun", nn::lecun_normal(shape, Rng(7)), 1.0 / 450);
  expect_variance("lecun uniform", nn::lecun_uniform(shape, Rng(8)), 1.0 / 450);
  // Uniform numbers end at sqrt(3 variance).
  EXPECT_LE(max(abs(nn::he_uniform(shape, Rng(4)))).item(), std::sqrt(6.0 / 450) * (1 + 1e-6));
  EXPECT_GT(max(abs(nn::he_normal(shape, Rng(4)))).item(), std::sqrt(6.0 / 450));
  EXPECT_EQ(nn::he_normal({3, 2}, Rng(1), nn::Fan::in, DType::f64).dtype(), DType::f64);
}

TEST(Initialize, IsAnOptionOfTheLayers) {
  using nn::Init;
  const auto weight = [](Init init) { return nn::Linear(300, 100, {.init = init}, Rng(1)).weight; };
  expect_variance("default", nn::Linear(300, 100, Rng(1)).weight, 2.0 / 300);
  expect_variance("he_normal", weight(Init::he_normal), 2.0 / 300);
  expect_variance("he_uniform", weight(Init::he_uniform), 2.0 / 300);
  expect_variance("glorot_normal", weight(Init::glorot_normal), 2.0 / 400);
  expect_variance("glorot_uniform", weight(Init::glorot_uniform), 2.0 / 400);
  expect_variance("lecun_normal", weight(Init::lecun_normal), 1.0 / 300);
  expect_variance("lecun_uniform", weight(Init::lecun_uniform), 1.0 / 300);
  EXPECT_NEAR(mean_square(weight(Init::orthogonal)), 1.0 / 300, 1e-8);
  EXPECT_EQ(mean_square(weight(Init::zero)), 0.0);
  expect_variance("conv", nn::Conv2d(32, 40, {3, 5}, {.groups = 2}, Rng(1)).weight, 2.0 / (16 * 15));
  // Each output of a transposed convolution adds up 32 (4 / 2)^2 products.
  expect_variance("transposed", nn::ConvTranspose2d(32, 40, 4, {.stride = 2}, Rng(1)).weight, 2.0 / (32 * 4));
}

TEST(Initialize, KeepsTheVarianceThroughATransposedConvolution) {
  Rng rng(2);
  const nn::ConvTranspose2d layer(64, 32, 4, {.stride = 2, .padding = 1, .init = nn::Init::lecun_normal},
                                  rng.split());
  const Tensor y = layer(rng.normal({4, 64, 12, 12}));
  EXPECT_NEAR(mean_square(slice(y, {{}, {}, {2, -2}, {2, -2}})), 1.0, 0.1);
}

TEST(Initialize, OrthogonalRowsOrColumnsAreOrthonormal) {
  const auto expect_identity = [](const Tensor& product, double scale) {
    const Tensor expected = eye(product.dim(0), DType::f64) * scale;
    EXPECT_LT(max(abs(product - expected)).item(), 1e-13);
  };
  for (const Shape& shape : {Shape{1, 1}, Shape{7, 7}, Shape{100, 100}, Shape{20, 70}, Shape{40, 10, 3, 3}}) {
    const Tensor w = flatten(nn::orthogonal(shape, Rng(1), 1.0, DType::f64), 1);
    if (w.dim(0) <= w.dim(1)) {
      expect_identity(matmul(w, transpose(w)), 1.0);
    } else {
      expect_identity(matmul(transpose(w), w), 1.0);
    }
  }
  const Tensor tall = nn::orthogonal({70, 20}, Rng(1), 3.0, DType::f64);
  expect_identity(matmul(transpose(tall), tall), 9.0);
}

// Uniform over all rotations and reflections: E w_11 = 0, E w_11^2 = 1 / n, E trace = 0, E trace^2 = 1.
TEST(Initialize, OrthogonalMatricesHaveNoPreferredDirection) {
  Rng rng(9);
  const int draws = 4000, n = 3;
  double first = 0.0, square = 0.0, trace = 0.0, trace_square = 0.0;
  for (int i = 0; i < draws; ++i) {
    const Tensor w = nn::orthogonal({n, n}, rng.split(), 1.0, DType::f64);
    const double t = w.at({0, 0}) + w.at({1, 1}) + w.at({2, 2});
    first += w.at({0, 0});
    square += w.at({0, 0}) * w.at({0, 0});
    trace += t;
    trace_square += t * t;
  }
  const double error = 4.0 / std::sqrt(draws);
  EXPECT_NEAR(first / draws, 0.0, error / std::sqrt(3.0));
  EXPECT_NEAR(square / draws, 1.0 / 3, error * std::sqrt(1.0 / 5 - 1.0 / 9));
  EXPECT_NEAR(trace / draws, 0.0, error);
  EXPECT_NEAR(trace_square / draws, 1.0, error * std::sqrt(2.0));
}

TEST(Initialize, RefusesWhatIsNoWeight) {
  expect_refusal([] { nn::he_normal({5}, Rng(1)); },
                 "[fans_of] a weight (out, in, ...) is needed, got shape (5,)");
  expect_refusal(
      [] {
        nn::orthogonal({0, 3}, Rng(1));
      },
      "[orthogonal] a weight (out, in, ...) is needed, got shape (0, 3)");
  expect_refusal([] { nn::orthogonal({3, 3}, Rng(1), NAN); }, "[orthogonal] gain must be finite, got nan");
}

// The experiment of figure 7.7: 50 layers of D_h relu units with weights of variance v. By (7.31) each layer
// multiplies the mean square of the pre-activations by D_h v / 2, and by the same argument backwards each
// multiplies that of the gradients by D_h' v / 2.
struct Flow {
  double forward;   // mean square of the last pre-activations over that of the first
  double backward;  // of the gradients at the first pre-activations over those at the last
};

Flow flow_through(double variance, int depth, std::int64_t width) {
  Rng rng(21);
  std::vector<Tensor> weights;
  for (int k = 0; k < depth; ++k) {
    weights.push_back(rng.normal({width, width}, 0.0, std::sqrt(variance), DType::f64));
  }
  const Tensor first = rng.normal({64, width}, 0.0, 1.0, DType::f64);
  const auto through = [&](const Tensor& f) {
    Tensor h = f;
    for (const Tensor& w : weights) h = matmul(relu(h), transpose(w));
    return h;
  };
  const auto [last, pull_back] = vjp(first, through);
  const Tensor g = rng.normal(last.shape(), 0.0, 1.0, DType::f64);
  return {mean_square(last) / mean_square(first), mean_square(pull_back(g)) / mean_square(g)};
}

TEST(Initialize, HesVarianceIsTheOneThatNeitherExplodesNorVanishes) {
  const std::int64_t width = 200;
  const int depth = 50;
  for (const double times : {0.5, 1.0, 2.0}) {
    const Flow flow = flow_through(times * 2.0 / static_cast<double>(width), depth, width);
    // (D_h v / 2)^50 is 1e-15, 1 and 1e15; what is left to chance is far smaller than one such factor.
    const double expected = depth * std::log(times);
    EXPECT_NEAR(std::log(flow.forward), expected, 1.5) << times;
    EXPECT_NEAR(std::log(flow.backward), expected, 1.5) << times;
  }
}

// One layer, without compounding: (7.31) to within the error of the mean.
TEST(Initialize, OneLayerMultipliesTheVarianceAsTheFormulaSays) {
  const double width = 400;
  for (const double variance : {0.01 / width, 1.0 / width, 2.0 / width, 5.0 / width}) {
    const Flow flow = flow_through(variance, 1, 400);
    EXPECT_NEAR(flow.forward, width * variance / 2, 0.05 * width * variance / 2);
    EXPECT_NEAR(flow.backward, width * variance / 2, 0.05 * width * variance / 2);
  }
}

}  // namespace
}  // namespace likely
