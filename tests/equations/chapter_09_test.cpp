// Chapter 9, regularization: penalties, priors, posteriors and weight decay. (What gradient descent adds by
// itself is in a file of its own.)
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_09/bayesian_linear.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_math.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::Matrix;
using testing::matrix_of;
using testing::numbers;
using testing::Vector;
using testing::vector_of;

// Twelve examples of a line with a bend that it cannot follow.
struct Examples {
  Tensor x = stack({ones({12}, DType::f64), linspace(-1.0, 1.0, 12, DType::f64)}, 1);
  Tensor y = matmul(x, tensor({0.7, -1.5}, DType::f64)) + numbers({12}, 1.0, 3) * 0.5;

  Tensor losses(const Tensor& phi) const { return square(matmul(x, phi) - y); }
};

// The solution of [a b; b d] phi = (e, f).
Vector solve_two(double a, double b, double d, double e, double f) {
  const double determinant = a * d - b * b;
  return {(d * e - b * f) / determinant, (a * f - b * e) / determinant};
}
// Least squares with penalty sum_j phi_j^2, from the normal equations.
Vector plain_ridge(const Examples& data, double penalty) {
  const Matrix x = matrix_of(data.x);
  const Vector y = vector_of(data.y);
  double a = penalty, b = 0.0, d = penalty, e = 0.0, f = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    a += x[i][0] * x[i][0];
    b += x[i][0] * x[i][1];
    d += x[i][1] * x[i][1];
    e += x[i][0] * y[i];
    f += x[i][1] * y[i];
  }
  return solve_two(a, b, d, e, f);
}

template <class Loss>
Tensor minimum_of(const Loss& loss, const Tensor& start = zeros({2}, DType::f64)) {
  Tensor phi = start;
  optim::Lbfgs().minimize(phi, loss, {.max_iterations = 200, .gradient_tolerance = 1e-10});
  return phi;
}

TEST(Udl09, Eq1_LeastLoss) {
  const Examples data;
  const Tensor phi = minimum_of([&](const Tensor& at) { return sum(data.losses(at)); });
  expect_close("phi", phi, plain_ridge(data, 0.0), 1e-9);
}

// With g = sum_j |phi_j| and one example a parameter, (phi_j - y_j)^2 + lambda |phi_j| is least at y_j made
// smaller by lambda / 2.
TEST(Udl09, Eq2_AnyPenalty) {
  const double lambda = 0.6;
  const Tensor y = tensor({1.3, -0.8, 2.1}, DType::f64);
  const Tensor phi =
      minimum_of([&](const Tensor& at) { return sum(square(at - y)) + lambda * nn::l1(at); }, y);
  expect_close("phi", phi, Vector{1.3 - 0.3, -0.8 + 0.3, 2.1 - 0.3}, 1e-8);
}

constexpr double kNoise = 0.5, kPrior = 0.8;

double plain_normal(double x, double mean, double deviation) {
  const double z = (x - mean) / deviation;
  return std::exp(-0.5 * z * z) / (deviation * std::sqrt(2.0 * std::numbers::pi));
}
// prod_i Pr(y_i | x_i, phi), and with Pr(phi) behind it.
double plain_likelihood(const Examples& data, const Vector& phi) {
  double product = 1.0;
  const Vector y = vector_of(data.y);
  const Vector mean = testing::times(matrix_of(data.x), phi);
  for (std::size_t i = 0; i < y.size(); ++i) product *= plain_normal(y[i], mean[i], kNoise);
  return product;
}
double plain_joint(const Examples& data, const Vector& phi) {
  return plain_likelihood(data, phi) * plain_normal(phi[0], 0.0, kPrior) * plain_normal(phi[1], 0.0, kPrior);
}

Tensor log_likelihood(const Examples& data, const Tensor& phi) {
  return sum(Normal(matmul(data.x, phi), kNoise).log_prob(data.y));
}
Normal prior() { return {zeros({}, DType::f64), kPrior}; }

// Whether a product is largest at phi: smaller at places around it.
void expect_largest(const std::function<double(const Vector&)>& f, const Tensor& phi) {
  const Vector at = vector_of(phi);
  for (int k = 0; k < 16; ++k) {
    const double angle = k * std::numbers::pi / 8.0;
    for (const double radius : {1e-4, 0.1, 1.0}) {
      EXPECT_LT(f({at[0] + radius * std::cos(angle), at[1] + radius * std::sin(angle)}), f(at)) << angle;
    }
  }
}

TEST(Udl09, Eq3_MaximumLikelihood) {
  const Examples data;
  const Tensor phi = minimum_of([&](const Tensor& at) { return -log_likelihood(data, at); });
  EXPECT_NEAR(log_likelihood(data, phi).item(), std::log(plain_likelihood(data, vector_of(phi))), 1e-12);
  expect_largest([&](const Vector& at) { return plain_likelihood(data, at); }, phi);
}

TEST(Udl09, Eq4_MaximumAPosteriori) {
  const Examples data;
  const auto log_joint = [&](const Tensor& at) {
    return log_likelihood(data, at) + nn::log_prior(at, prior());
  };
  const Tensor phi = minimum_of([&](const Tensor& at) { return -log_joint(at); });
  EXPECT_NEAR(log_joint(phi).item(), std::log(plain_joint(data, vector_of(phi))), 1e-12);
  expect_largest([&](const Vector& at) { return plain_joint(data, at); }, phi);
  // One prior is the penalty noise^2 / prior^2. Read as a product over both, as printed, it would be twelve.
  const double once = kNoise * kNoise / (kPrior * kPrior);
  expect_close("one prior", phi, plain_ridge(data, once), 1e-8);
  EXPECT_GT(std::abs(plain_ridge(data, 12.0 * once)[1] - vector_of(phi)[1]), 0.3);
}

TEST(Udl09, Eq5_SumOfSquares) {
  const Examples data;
  for (const double lambda : {0.1, 3.0}) {
    const Tensor phi =
        minimum_of([&](const Tensor& at) { return sum(data.losses(at)) + lambda * nn::l2(at); });
    expect_close("phi", phi, plain_ridge(data, lambda), 1e-9);
  }
}

// The integral over both parameters, by the rectangle rule on a box that holds all of the posterior's mass.
// For a function that is 0 with all derivatives at the border that rule is as good as exact.
double integral(const std::function<double(double, double)>& f, const Vector& centre) {
  constexpr int kPoints = 80;
  constexpr double kHalf = 2.5;
  const double step = 2.0 * kHalf / kPoints;
  double total = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    for (int j = 0; j < kPoints; ++j) {
      total += f(centre[0] - kHalf + (i + 0.5) * step, centre[1] - kHalf + (j + 0.5) * step);
    }
  }
  return total * step * step;
}

// What is known of a line after the examples: in closed form, by integration, and what a sampler is told.
struct Posterior {
  Examples data{};
  book::BayesianLinear known = book::bayesian_linear(data.x, data.y, {.noise = kNoise, .prior = kPrior});
  Vector centre = vector_of(known.posterior.location);
  double evidence = integral([&](double a, double b) { return plain_joint(data, {a, b}); }, centre);

  std::vector<Tensor> samples(std::int64_t count, std::uint64_t seed) const {
    const auto log_joint = [&](const Tensor& phi) {
      return log_likelihood(data, phi) + nn::log_prior(phi, prior());
    };
    return hmc(zeros({2}, DType::f64), log_joint, Rng(seed),
               {.samples = count, .warm_up = 300, .leapfrog_steps = 8})
        .samples;
  }
};

TEST(Udl09, Eq11_Posterior) {
  const Posterior p;
  EXPECT_NEAR(p.known.log_evidence, std::log(p.evidence), 1e-8);
  for (const Vector& phi : {p.centre, Vector{0.4, -1.0}, Vector{1.0, -1.6}}) {
    EXPECT_NEAR(p.known.posterior.log_prob(tensor(phi)).item(),
                std::log(plain_joint(p.data, phi) / p.evidence), 1e-8);
  }
  // Samples of the product alone, which is all that a sampler is told, come from the same posterior.
  const std::vector<Tensor> samples = p.samples(3000, 2);
  const Tensor mean_phi = posterior_mean(samples, [](const Tensor& phi) { return phi; });
  const Tensor mean_square = posterior_mean(samples, [](const Tensor& phi) { return square(phi); });
  for (std::size_t j = 0; j < 2; ++j) {
    const double variance = vector_of(p.known.posterior.variance())[j];
    // Five standard errors, if one in three samples counts as independent.
    EXPECT_NEAR(vector_of(mean_phi)[j], p.centre[j], 5.0 * std::sqrt(variance / 1000.0));
    const double sampled_variance = vector_of(mean_square)[j] - std::pow(vector_of(mean_phi)[j], 2);
    EXPECT_NEAR(sampled_variance, variance, 5.0 * variance * std::sqrt(2.0 / 1000.0));
  }
}

TEST(Udl09, Eq12_PredictionFromAllParameters) {
  const Posterior p;
  const std::vector<Tensor> samples = p.samples(3000, 4);
  const Tensor at = tensor({1.0, 2.5}, DType::f64);  // x = 2.5, outside the data
  // What is expected of the answer, and how much of its variance comes from phi.
  const auto under_the_posterior = [&](const std::function<double(double)>& f) {
    return integral(
        [&](double a, double b) {
          return f(a + 2.5 * b) * plain_joint(p.data, {a, b}) / p.evidence;
        },
        p.centre);
  };
  const double mean_answer = under_the_posterior([](double f) { return f; });
  const double of_phi = under_the_posterior([&](double f) { return std::pow(f - mean_answer, 2); });
  EXPECT_NEAR(p.known.predict(at).mean().item(), mean_answer, 1e-7);
  EXPECT_NEAR(p.known.predict(at).variance().item(), of_phi + kNoise * kNoise, 1e-7);
  EXPECT_NEAR(posterior_mean(samples, [&](const Tensor& phi) { return dot(at, phi); }).item(), mean_answer,
              5.0 * std::sqrt(of_phi / 1000.0));
  for (const double y : {-4.0, -2.8, -1.5}) {
    const auto mean_of = [&](int power) {  // of Pr(y | x, phi) to that power, under the posterior
      return integral(
          [&](double a, double b) {
            return std::pow(plain_normal(y, a + 2.5 * b, kNoise), power) * plain_joint(p.data, {a, b}) /
                   p.evidence;
          },
          p.centre);
    };
    const double expected = mean_of(1);
    const Tensor answer = full({}, y, DType::f64);
    EXPECT_NEAR(p.known.predict(at).log_prob(answer).item(), std::log(expected), 1e-7) << y;
    const Tensor by_samples = posterior_log_prob(
        samples, [&](const Tensor& phi) { return Normal(dot(at, phi), kNoise).log_prob(answer); });
    const double error = std::sqrt((mean_of(2) - expected * expected) / 1000.0);
    EXPECT_NEAR(std::exp(by_samples.item()), expected, 5.0 * error) << y;
    EXPECT_LT(5.0 * error, 0.3 * expected);
  }
}

// What an optimizer makes of phi, and what (1 - decay) phi - alpha dL/dphi is.
const Vector kPhi{0.5, -2.0, 0.0}, kGradient{0.3, 0.1, -0.7};
Vector decayed(double decay, double alpha) {
  Vector result;
  for (std::size_t j = 0; j < 3; ++j) result.push_back((1.0 - decay) * kPhi[j] - alpha * kGradient[j]);
  return result;
}

TEST(Udl09, Eq13_WeightDecay) {
  Tensor phi = tensor(kPhi);
  optim::Sgd sgd(phi, {.lr = 0.2, .weight_decay = 0.25});  // lambda' = lr weight_decay
  sgd.step(phi, tensor(kGradient));
  expect_close("Sgd", phi, decayed(0.2 * 0.25, 0.2), 1e-15);
  // AdamW takes the same off, whatever it makes of the gradient: here nothing.
  Tensor other = tensor(kPhi);
  optim::AdamW adam(other, {.lr = 0.2, .weight_decay = 0.25});
  adam.step(other, zeros({3}, DType::f64));
  Vector expected = kPhi;
  for (double& each : expected) each *= 1.0 - 0.2 * 0.25;
  expect_close("AdamW", other, expected, 1e-15);
}

TEST(Udl09, Eq21_NormalPrior) {
  const Tensor phi = numbers({7}, 1.0, 2);
  double product = 1.0;
  for (const double each : vector_of(phi)) product *= plain_normal(each, 0.0, kPrior);
  EXPECT_NEAR(nn::log_prior(phi, prior()).item(), std::log(product), 1e-12);
  // Up to a constant it is -sum phi^2 / (2 sigma^2): with a loss that is minus a log-likelihood, the lambda
  // of (9.5) is 1 / (2 sigma^2).
  const Tensor more = phi * 1.7;
  EXPECT_NEAR((nn::log_prior(more, prior()) - nn::log_prior(phi, prior())).item(),
              -(nn::l2(more) - nn::l2(phi)).item() / (2.0 * kPrior * kPrior), 1e-12);
}

TEST(Udl09, Eq22_WeightDecayWithoutPrime) {
  const double lambda = 0.04, alpha = 0.2;
  Tensor phi = tensor(kPhi);
  optim::Sgd sgd(phi, {.lr = alpha, .weight_decay = lambda / alpha});
  sgd.step(phi, tensor(kGradient));
  expect_close("Sgd", phi, decayed(lambda, alpha), 1e-15);
}

// A step down the loss with the sum of squares is the step with decay. The factor 1 / (2 alpha) belongs to
// it: with lambda sum phi^2, as in (9.5), the decay is 2 alpha lambda.
TEST(Udl09, Eq23_WeightDecayIsAPenalty) {
  const double lambda = 0.04, alpha = 0.2;
  const auto step = [&](double penalty) {
    Tensor phi = tensor(kPhi);
    const Tensor slope = grad(phi, [&](const Tensor& at) {
      return sum(at * tensor(kGradient)) + penalty * nn::l2(at);  // dL / dphi = kGradient
    });
    optim::Sgd(phi, {.lr = alpha}).step(phi, slope);
    return phi;
  };
  expect_close("(9.23)", step(lambda / (2.0 * alpha)), decayed(lambda, alpha), 1e-15);
  expect_close("(9.5)", step(lambda), decayed(2.0 * alpha * lambda, alpha), 1e-15);
  Tensor by_decay = tensor(kPhi);
  optim::Sgd(by_decay, {.lr = alpha, .weight_decay = lambda / alpha}).step(by_decay, tensor(kGradient));
  expect_close("weight_decay", step(lambda / (2.0 * alpha)), vector_of(by_decay), 1e-15);
}

}  // namespace
}  // namespace likely
