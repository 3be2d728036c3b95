// Document 001 on the softmax as a classifier: what is beyond its classes, calibration as the largest
// entropy.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/softmax/calibration.hpp"
#include "likely/models/softmax/joint_learner.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::confidence {

namespace {

using testing::numbers;

// log sum exp lies between the largest logit and that plus log n, and its gradient is the softmax.
TEST(Document001Classifier, LogSumExpBoundsAndGradient) {
  const Tensor z = numbers({7, 5}, 4.0);
  const auto lse = logsumexp(z, 1).to_vector<double>(), most = max(z, 1).to_vector<double>();
  for (std::size_t i = 0; i < lse.size(); ++i) {
    EXPECT_LT(most[i], lse[i]);
    EXPECT_LT(lse[i], most[i] + std::log(5.0));
  }
  EXPECT_TRUE(allclose(grad(z, [](const Tensor& x) { return sum(logsumexp(x, 1)); }), softmax(z, 1)));
}

// The confidence loss as printed, term by term; KL(U || p) with its logarithms.
TEST(Document001Classifier, ConfidenceLoss) {
  const Tensor in = numbers({4, 3}, 2.0, 1), out = numbers({6, 3}, 2.0, 2);
  const Tensor y = tensor(std::vector<std::int64_t>{0, 2, 1, 1}, {4});
  const Tensor p_in = softmax(in, 1), p_out = softmax(out, 1);
  double expected = 0.0;
  for (std::int64_t i = 0; i < 4; ++i)
    expected -= std::log(p_in.at({i, y.to_vector<std::int64_t>()[static_cast<std::size_t>(i)]})) / 4.0;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t k = 0; k < 3; ++k)
      expected += 0.3 / 6.0 * (1.0 / 3.0) * std::log((1.0 / 3.0) / p_out.at({i, k}));
  }
  EXPECT_NEAR(confidence_loss(in, y, out, 0.3).item(), expected, 1e-12);
}

// Step 2 asks for log(1 - D(G)); -log D(G) has its minimum in the same place, and its slope does not vanish
// where the critic is sure that a row was made.
TEST(Document001Classifier, GeneratorLossAsPrintedAndNonSaturating) {
  const Tensor sure = tensor(std::vector<double>{-20.0}, {1});
  const Tensor d = sigmoid(sure);
  EXPECT_NEAR(detail::generator_loss(GeneratorLoss::saturating, sure).item(), std::log1p(-d.item()), 1e-15);
  EXPECT_NEAR(detail::generator_loss(GeneratorLoss::non_saturating, sure).item(), -std::log(d.item()), 1e-8);
  const auto slope = [&](GeneratorLoss kind) {
    return grad(sure, [&](const Tensor& a) { return detail::generator_loss(kind, a); }).item();
  };
  EXPECT_NEAR(slope(GeneratorLoss::saturating), -d.item(), 1e-15);
  EXPECT_NEAR(slope(GeneratorLoss::non_saturating), -(1.0 - d.item()), 1e-15);
}

// Logits with labels drawn at T = 2.
struct Scored {
  Tensor logits, labels;
};
Scored scored(std::int64_t rows, std::int64_t classes) {
  Rng rng(11);
  const Tensor z = rng.normal({rows, classes}, 0.0, 2.0, DType::f64);
  return {z, rng.categorical(z / 2.0)};
}

// "average true class logit equal to average weighted logit"
TEST(Document001Classifier, TheBestTemperatureMakesMeanLogitsEqual) {
  const Scored rows = scored(400, 5);
  const TemperatureFit fit = fit_temperature(rows.logits, rows.labels);
  const double of_true = mean(gather(rows.logits, 1, unsqueeze(rows.labels, 1))).item();
  const auto weighted = [&](double t) {
    return mean(sum(softmax(rows.logits / t, 1) * rows.logits, 1)).item();
  };
  EXPECT_NEAR(weighted(fit.scaler.temperature()), of_true, 1e-12);
  EXPECT_GT(std::abs(weighted(1.01 * fit.scaler.temperature()) - of_true), 1e-3);
}

// Solves a x = b by elimination.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r) {
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    }
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return b;
}

// The constrained problem itself, without a word of softmax: Newton's method on all q_ik with the n + 1
// constraints. What it finds is softmax(z / T), and the multiplier of the logits is 1 / T.
TEST(Document001Classifier, CalibrationIsTheLargestEntropy) {
  constexpr std::size_t kRows = 6, kClasses = 3, kAll = kRows * kClasses;
  const Scored rows = scored(kRows, kClasses);
  const TemperatureFit fit = fit_temperature(rows.logits, rows.labels);
  ASSERT_EQ(fit.at, TemperatureFit::At::inside);
  const auto z = rows.logits.to_vector<double>();
  const auto y = rows.labels.to_vector<std::int64_t>();
  double aim = 0.0;
  for (std::size_t i = 0; i < kRows; ++i) aim += z[i * kClasses + static_cast<std::size_t>(y[i])];
  std::vector<double> q(kAll, 1.0 / kClasses), multipliers(kRows + 1, 0.0);
  for (int step = 0; step < 200; ++step) {
    // Stationary: -log q - 1 + multiplier_i + lambda z = 0; and the constraints.
    std::vector<std::vector<double>> a(kAll + kRows + 1, std::vector<double>(kAll + kRows + 1, 0.0));
    std::vector<double> b(kAll + kRows + 1, 0.0);
    for (std::size_t j = 0; j < kAll; ++j) {
      const std::size_t i = j / kClasses;
      a[j][j] = -1.0 / q[j];
      a[j][kAll + i] = a[kAll + i][j] = 1.0;
      a[j][kAll + kRows] = a[kAll + kRows][j] = z[j];
      b[j] = std::log(q[j]) + 1.0;  // solved for the multipliers themselves
      b[kAll + i] -= q[j];
      b[kAll + kRows] -= q[j] * z[j];
    }
    for (std::size_t i = 0; i < kRows; ++i) b[kAll + i] += 1.0;
    b[kAll + kRows] += aim;
    const std::vector<double> move = solved(a, b);
    double length = 1.0;
    for (std::size_t j = 0; j < kAll; ++j) {
      if (move[j] < 0.0) length = std::min(length, -0.9 * q[j] / move[j]);
    }
    for (std::size_t j = 0; j < kAll; ++j) q[j] += length * move[j];
    for (std::size_t i = 0; i <= kRows; ++i) multipliers[i] = move[kAll + i];
  }
  const auto p = softmax(fit.scaler(rows.logits), 1).to_vector<double>();
  for (std::size_t j = 0; j < kAll; ++j) EXPECT_NEAR(q[j], p[j], 1e-9);
  // With + lambda sum z q in the Lagrangian, as the stationary point is printed, lambda is + 1 / T.
  EXPECT_NEAR(multipliers[kRows], 1.0 / fit.scaler.temperature(), 1e-9);
}

// The Lagrangian is printed without what the constraints are equal to, and with sum_k (q_k - 1) for (sum_k
// q_k) - 1: with K classes the derivative by beta_i then asks for a sum of K.
TEST(Document001Classifier, LagrangianHasSumMinusOneAndNotSumOfMinusOnes) {
  const Tensor q = tensor(std::vector<double>{0.2, 0.3, 0.5}, {3});
  EXPECT_NEAR((sum(q) - 1.0).item(), 0.0, 1e-15);
  EXPECT_NEAR(sum(q - 1.0).item(), -2.0, 1e-15) << "as printed: 1 - K and not 0";
  // And without its right-hand side the derivative by lambda is the weighted logit, which is not to be 0 but
  // that of the true classes.
  const Scored rows = scored(50, 3);
  const Tensor p = softmax(fit_temperature(rows.logits, rows.labels).scaler(rows.logits), 1);
  EXPECT_GT(std::abs(mean(sum(p * rows.logits, 1)).item()), 0.1);
}

}  // namespace

}  // namespace likely::confidence
