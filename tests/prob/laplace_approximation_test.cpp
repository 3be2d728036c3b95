#include "likely/prob/inference/laplace_approximation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

// y = a + b x with noise 0.5 and priors of deviation 2: everything is normal, so that the approximation is
// exact, and known in closed form.
struct Line {
  Tensor a = tensor(0.0, DType::f64), b = tensor(0.0, DType::f64);
  LIKELY_PARTS(a, b)
};
const std::vector<double> kX{-1.0, -0.2, 0.4, 1.1, 1.9}, kY{0.3, 0.5, 1.2, 1.1, 2.4};
constexpr double kNoise = 0.5, kPrior = 2.0;

Tensor log_joint(const Line& m) {
  return sum(Normal(m.a + m.b * tensor(kX), kNoise).log_prob(tensor(kY))) +
         Normal(tensor(0.0, DType::f64), kPrior).log_prob(m.a) +
         Normal(tensor(0.0, DType::f64), kPrior).log_prob(m.b);
}

// The posterior by hand: precision P = X^T X / noise^2 + I / prior^2, mean P^-1 X^T y / noise^2.
struct Known {
  double p00 = 1.0 / (kPrior * kPrior), p01 = 0.0, p11 = p00, r0 = 0.0, r1 = 0.0, yy = 0.0;
  Known() {
    for (std::size_t i = 0; i < kX.size(); ++i) {
      p00 += 1.0 / (kNoise * kNoise);
      p01 += kX[i] / (kNoise * kNoise);
      p11 += kX[i] * kX[i] / (kNoise * kNoise);
      r0 += kY[i] / (kNoise * kNoise);
      r1 += kX[i] * kY[i] / (kNoise * kNoise);
      yy += kY[i] * kY[i] / (kNoise * kNoise);
    }
  }
  double determinant() const { return p00 * p11 - p01 * p01; }
  double a() const { return (p11 * r0 - p01 * r1) / determinant(); }
  double b() const { return (p00 * r1 - p01 * r0) / determinant(); }
  // log of the integral over a and b of the joint density: complete the square.
  double log_evidence() const {
    const auto n = static_cast<double>(kX.size());
    return -0.5 * n * std::log(2.0 * std::numbers::pi * kNoise * kNoise) - std::log(kPrior * kPrior) -
           0.5 * std::log(determinant()) - 0.5 * (yy - a() * r0 - b() * r1);
  }
};

Line line_at(double a, double b) { return {.a = tensor(a, DType::f64), .b = tensor(b, DType::f64)}; }

TEST(LaplaceApproximation, IsExactForANormalPosterior) {
  const Known known;
  const auto found = laplace_approximation(line_at(known.a(), known.b()), log_joint);
  EXPECT_NEAR(found.log_evidence, known.log_evidence(), 1e-10);
  const Tensor covariance = found.posterior.covariance();
  EXPECT_NEAR(covariance.at({0, 0}), known.p11 / known.determinant(), 1e-12);
  EXPECT_NEAR(covariance.at({0, 1}), -known.p01 / known.determinant(), 1e-12);
  EXPECT_NEAR(covariance.at({1, 1}), known.p00 / known.determinant(), 1e-12);
  EXPECT_NEAR(found.posterior.location.at({1}), known.b(), 1e-12);
}

TEST(LaplaceApproximation, SamplesAreModelsOfThePosterior) {
  const Known known;
  const auto found = laplace_approximation(line_at(known.a(), known.b()), log_joint);
  constexpr int kDraws = 4000;
  double mean = 0.0, square = 0.0;
  Rng rng(3);
  for (int i = 0; i < kDraws; ++i) {
    const double b = found.sample(rng.split()).b.item();
    mean += b / kDraws;
    square += (b - known.b()) * (b - known.b()) / kDraws;
  }
  const double variance = known.p00 / known.determinant();
  EXPECT_NEAR(mean, known.b(), 4.0 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(square, variance, 4.0 * variance * std::sqrt(2.0 / kDraws));
}

TEST(LaplaceApproximation, RefusesWhatIsNoPeak) {
  const Known known;
  testing::expect_refusal([&] { laplace_approximation(line_at(known.a() + 1.0, known.b()), log_joint); },
                          "[laplace_approximation] the mode is 4.5 standard deviations from a peak of the "
                          "log-density: maximise it first");
  // 4.5 deviations a unit: 0.02 is near enough, 0.03 is not.
  laplace_approximation(line_at(known.a() + 0.02, known.b()), log_joint);
  testing::expect_refusal([&] { laplace_approximation(line_at(known.a() + 0.03, known.b()), log_joint); },
                          "[laplace_approximation] the mode is 0.135 standard deviations from a peak of the "
                          "log-density: maximise it first");
  testing::expect_refusal(
      [&] {
        laplace_approximation(line_at(known.a(), known.b()), [](const Line& m) { return -log_joint(m); });
      },
      "[laplace_approximation] the log-density has no peak at the mode: its second derivatives are not "
      "negative definite");
}

// exp(-|t|^2 / 2) over tensors of any shape: the evidence is (2 pi)^(n/2).
TEST(LaplaceApproximation, OfTensorsOfAnyShape) {
  for (const Shape& shape : {Shape(), Shape({1, 1}), Shape({3}), Shape({2, 2}), Shape({3, 1, 2})}) {
    const auto known = laplace_approximation(zeros(shape, DType::f64),
                                             [](const Tensor& t) { return -0.5 * sum(square(t)); });
    const auto n = static_cast<double>(shape.size());
    EXPECT_NEAR(known.log_evidence, 0.5 * n * std::log(2.0 * std::numbers::pi), 1e-12) << shape;
    EXPECT_EQ(known.sample(Rng(1)).shape(), shape);
  }
}

TEST(LaplaceApproximation, SaysThatDerivativesAreNotFinite) {
  testing::expect_refusal(
      [] { laplace_approximation(tensor(0.0, DType::f64), [](const Tensor& t) { return -sqrt(t); }); },
      "[laplace_approximation] the derivatives of the log-density are not finite at the mode");
}

}  // namespace
}  // namespace likely
