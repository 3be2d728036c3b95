#include "likely/prob/noise_contrastive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {

namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

TEST(NoiseContrastiveLoss, IsTheCrossEntropyOfTheClassifier) {
  const Tensor model_of_data = numbers({3}, 2.0, 1), noise_of_data = numbers({3}, 2.0, 2);
  const Tensor model_of_noise = numbers({3, 4}, 2.0, 3), noise_of_noise = numbers({3, 4}, 2.0, 4);
  double sum = 0.0;
  for (std::int64_t i = 0; i < 3; ++i) {
    const double u = std::exp(model_of_data.at({i})), kq = 4.0 * std::exp(noise_of_data.at({i}));
    sum -= std::log(u / (u + kq));
    for (std::int64_t j = 0; j < 4; ++j) {
      const double v = std::exp(model_of_noise.at({i, j})), other = 4.0 * std::exp(noise_of_noise.at({i, j}));
      sum -= std::log(other / (v + other));
    }
  }
  const ContrastedLogs logs{model_of_data, noise_of_data, model_of_noise, noise_of_noise};
  EXPECT_NEAR(noise_contrastive_loss(logs, 4.0).item(), sum / 3.0, 1e-12);
  // Half of the noise counts twice.
  const ContrastedLogs half{model_of_data, noise_of_data, slice(model_of_noise, 1, {0, 2}),
                            slice(noise_of_noise, 1, {0, 2})};
  const ContrastedLogs twice{model_of_data, noise_of_data,
                             concat({half.model_of_noise, half.model_of_noise}, 1),
                             concat({half.noise_of_noise, half.noise_of_noise}, 1)};
  EXPECT_NEAR(noise_contrastive_loss(half, 4.0).item(), noise_contrastive_loss(twice, 4.0).item(), 1e-12);
}

TEST(NoiseContrastiveLoss, HasTheGradientsOfDifferences) {
  const auto loss = [](const std::vector<Tensor>& x) {
    return noise_contrastive_loss({x[0], x[1], x[2], x[3]}, 3.0);
  };
  check_gradients(
      "noise_contrastive_loss", loss,
      {numbers({4}, 2.0, 1), numbers({4}, 2.0, 2), numbers({4, 3}, 2.0, 3), numbers({4, 3}, 2.0, 4)});
  check_gradients("negative_sampling_loss",
                  [](const std::vector<Tensor>& x) { return negative_sampling_loss(x[0], x[1]); },
                  {numbers({4}, 2.0, 1), numbers({4, 3}, 2.0, 3)});
}

TEST(NoiseContrastiveLoss, IsFiniteFarOut) {
  for (const double far : {1e3, 1e30, -1e3, -1e30}) {
    const auto [loss, gradient] = value_and_grad(tensor({far}), [](const Tensor& x) {
      return noise_contrastive_loss({x, zeros({1}), -x, zeros({1})}, 2.0);
    });
    EXPECT_TRUE(std::isfinite(loss.item())) << far;
    EXPECT_TRUE(std::isfinite(gradient.item())) << far;
    if (far < 0.0) {
      EXPECT_NEAR(loss.item() / (3.0 * -far), 1.0, 1e-2) << far;
    }
  }
}

TEST(NoiseContrastiveLoss, Refuses) {
  const Tensor x = zeros({2});
  expect_refusal(
      [&] {
        noise_contrastive_loss({x, x, x, x}, 0.0);
      },
      "[noise_contrastive_loss] k must be finite and above 0, got 0");
  expect_refusal(
      [&] {
        noise_contrastive_loss({zeros({0}), zeros({0}), x, x}, 1.0);
      },
      "[noise_contrastive_loss] data (0,) against noise (2,): there must be some of both");
  expect_refusal(
      [&] {
        noise_contrastive_loss({zeros({3, 1}), zeros({3}), x, x}, 1.0);
      },
      "[noise_contrastive_loss] log-densities of the data: the model's are (3, 1), the noise's are (3,); "
      "they must have "
      "one shape");
  expect_refusal(
      [&] {
        noise_contrastive_loss({x, zeros({}), x, zeros({1, 2})}, 1.0);
      },
      "[noise_contrastive_loss] log-densities of the noise: the model's are (2,), the noise's are (1, 2); "
      "they must have "
      "one shape");
  expect_refusal([&] { negative_sampling_loss(x, zeros({0})); },
                 "[negative_sampling_loss] data (2,) against noise (0,): there must be some of both");
}

// u(x) = exp(-precision x^2 / 2), whose normaliser is sqrt(2 pi / precision), learned from 400 numbers
// against noise of N(0, 1.5^2).
struct Precision {
  double precision, log_z;
};

Precision by_contrast(const Tensor& data, const Tensor& noise, double k) {
  const Normal q(tensor(0.0, DType::f64), tensor(1.5, DType::f64));
  const Tensor q_data = q.log_prob(data), q_noise = q.log_prob(noise);
  const auto loss = [&](const Tensor& theta) {
    const auto log_u = [&](const Tensor& x) { return -0.5 * theta[0] * x * x - theta[1]; };
    return noise_contrastive_loss({log_u(data), q_data, log_u(noise), q_noise}, k);
  };
  Tensor theta = tensor({1.0, 1.0}, DType::f64);
  for (int step = 0; step < 12; ++step) {
    const Tensor gradient = grad(theta, loss), curvature = hessian(theta, loss);
    const double a = curvature.at({0, 0}), b = curvature.at({0, 1}), d = curvature.at({1, 1});
    const double g = gradient.at({0}), h = gradient.at({1}), det = a * d - b * b;
    theta = theta - tensor({(d * g - b * h) / det, (a * h - b * g) / det}, DType::f64);
  }
  EXPECT_LT(max(abs(grad(theta, loss))).item(), 1e-9);
  return {theta.at({0}), theta.at({1})};
}

// With more noise the estimate comes to that of maximum likelihood on the same data, and log_z to the
// logarithm of the normaliser: the distance falls as 1 / sqrt(k).
TEST(NoiseContrastiveLoss, ComesToMaximumLikelihoodWithMoreNoise) {
  const std::int64_t n = 400;
  const Tensor data = Rng(5).normal({n}, 0.0, 0.8, DType::f64);
  const double likeliest = 1.0 / mean(data * data).item();
  const double log_z = 0.5 * std::log(2.0 * std::numbers::pi / likeliest);
  Rng rng(6);
  double before = 0.0;
  for (const std::int64_t k : {1, 4, 16, 64}) {
    double square = 0.0;
    const int repeats = 16;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const Precision found =
          by_contrast(data, rng.normal({n * k}, 0.0, 1.5, DType::f64), static_cast<double>(k));
      square += std::pow(found.precision - likeliest, 2) + std::pow(found.log_z - log_z, 2);
    }
    const double distance = std::sqrt(square / repeats);
    // Sixteen repeats know their root mean square to about an eighth in each of two directions.
    if (k > 1) {
      EXPECT_LT(distance, 0.75 * before) << k;
      EXPECT_GT(distance, 0.3 * before) << k;
    }
    before = distance;
  }
  EXPECT_LT(before, 0.02 * likeliest);
}

// A softmax over 12 classes of which only scores are learned: exact expectations, by counting each class as
// often as it is probable.
TEST(NoiseContrastiveLoss, LearnsASoftmaxAndItsNormaliser) {
  const std::vector<std::int64_t> of_data{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 34}, of_noise(12, 5);
  const auto repeated = [](const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < counts.size(); ++i)
      all.insert(all.end(), static_cast<std::size_t>(counts[i]), static_cast<std::int64_t>(i));
    return tensor(all);
  };
  const Tensor data = repeated(of_data), noise = repeated(of_noise);
  const Tensor log_q = full({12}, -std::log(12.0), DType::f64);
  // Scores whose sum of exponentials is not 1 and cannot move; the normaliser has to.
  std::vector<double> scores;
  for (const std::int64_t count : of_data) scores.push_back(std::log(static_cast<double>(count)) + 1.7);
  const Tensor score = tensor(scores);
  const double right = logsumexp(score, {0}).item();
  Tensor log_z = tensor(0.0, DType::f64);
  for (int step = 0; step < 60; ++step) {
    const auto loss = [&](const Tensor& z) {
      const Tensor log_u = score - z;
      return noise_contrastive_loss({index_select(log_u, 0, data), index_select(log_q, 0, data),
                                     index_select(log_u, 0, noise), index_select(log_q, 0, noise)},
                                    7.0);
    };
    log_z = log_z - grad(log_z, loss) / hessian(log_z, loss);
    if (step == 0) log_z = minimum(log_z, tensor(8.0, DType::f64));
  }
  EXPECT_NEAR(log_z.item(), right, 1e-9);
}

}  // namespace

}  // namespace likely
