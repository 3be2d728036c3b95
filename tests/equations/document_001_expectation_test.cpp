// Document 001, "Why Re-parameterization" and its simple example: what is printed, what is right, and what
// likely computes. docs/errata.md lists the slips.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "likely/likely.hpp"
#include "likely/prob/expectation/expectation.hpp"

namespace likely {
namespace {

constexpr double kA = 2.0, kB = 3.0;  // of mu(theta) = a theta + b

// Simpson's rule over 16 standard deviations.
double integral(double center, const std::function<double(double)>& f) {
  constexpr int kPanels = 4000;
  const double low = center - 8.0, step = 16.0 / kPanels;
  double sum = f(low) + f(low + 16.0);
  for (int i = 1; i < kPanels; ++i) sum += f(low + step * i) * (i % 2 == 1 ? 4.0 : 2.0);
  return sum * step / 3.0;
}

double density(double z, double mu) {
  return std::exp(-0.5 * (z - mu) * (z - mu)) / std::sqrt(2.0 * std::numbers::pi);
}
// As printed, without the half.
double printed_density(double z, double mu) {
  return std::exp(-(z - mu) * (z - mu)) / std::sqrt(2.0 * std::numbers::pi);
}

TEST(Document001Expectation, TheDerivativeOfAGaussianHasAnotherFactor) {
  const double mu = 0.7, h = 1e-6;
  for (const double z : {-1.0, 0.2, 1.9}) {
    const double slope = (density(z, mu + h) - density(z, mu - h)) / (2.0 * h);
    EXPECT_NEAR(slope, (z - mu) * density(z, mu), 1e-9);
    EXPECT_GT(std::abs(slope - 2.0 * (z - mu) * density(z, mu)), 0.05);
  }
  EXPECT_NEAR(integral(mu, [&](double z) { return density(z, mu); }), 1.0, 1e-12);
  // What is printed is the derivative of what is printed, but that is no density.
  EXPECT_NEAR(integral(mu, [&](double z) { return printed_density(z, mu); }), std::sqrt(0.5), 1e-12);
}

TEST(Document001Expectation, TheGradientWithoutTricks) {
  const double theta = -0.6, mu = kA * theta + kB, exact = 2.0 * kA * mu;
  EXPECT_NEAR(integral(mu, [&](double z) { return z * z * (z - mu) * density(z, mu) * kA; }), exact, 1e-10);
  const double printed =
      integral(mu, [&](double z) { return z * z * 2.0 * (z - mu) * printed_density(z, mu) * kA; });
  EXPECT_NEAR(printed, std::sqrt(0.5) * exact, 1e-10);
}

TEST(Document001Expectation, AProbabilityTimesTheSlopeOfItsLogarithm) {
  const double mu = 0.4;
  const Tensor z = tensor({-1.2, 0.1, 0.4, 2.2}, DType::f64);
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto at = [&](const Tensor& m) { return Normal(m, 1.0).log_prob(z[i]); };
    const Tensor m = tensor(mu, DType::f64);
    const double p = std::exp(at(m).item()),
                 slope = grad(m, [&](const Tensor&x) { return exp(at(x)); }).item();
    EXPECT_NEAR(p * grad(m, at).item(), slope, 1e-14);
    EXPECT_NEAR(slope, (z.at({i}) - mu) * density(z.at({i}), mu), 1e-13);
  }
}

// Both rules of the example, sample by sample: z^2 a (z - a theta - b) and 2 a (a theta + b + epsilon).
TEST(Document001Expectation, BothEstimatorsAreThoseOfTheDocument) {
  constexpr std::int64_t kSamples = 7;
  const Tensor theta = tensor(0.3, DType::f64);
  const double mu = kA * 0.3 + kB;
  for (const bool path : {false, true}) {
    Tensor seen;
    const auto f = [&](const Tensor& z) {
      seen = stop_gradient(z);
      return square(z);
    };
    const Estimator chosen = path ? Estimator(estimator::Reparameterised{.samples = kSamples})
                                  : Estimator(estimator::Score{.samples = kSamples});
    const Tensor found =
        grad(theta, [&](const Tensor& x) { return expect(Normal(kA * x + kB, 1.0), f, chosen, Rng(4)); });
    double by_hand = 0.0;
    for (const double z : seen.to_vector<double>()) by_hand += path ? 2.0 * kA * z : z * z * kA * (z - mu);
    EXPECT_NEAR(found.item(), by_hand / kSamples, 1e-10);
  }
}

TEST(Document001Expectation, BothEstimatorsHaveTheSameMeanAndTheScoreMoreVariance) {
  constexpr std::int64_t kRepetitions = 20000;
  for (const double theta : {-1.5, 0.0, 1.0}) {
    const double mu = kA * theta + kB;
    std::vector<double> variances;
    for (const Estimator& chosen :
         {Estimator(estimator::Score{.samples = 10}), Estimator(estimator::Reparameterised{.samples = 10})}) {
      const Tensor found = grad(full({kRepetitions}, theta, DType::f64), [&](const Tensor& x) {
        return sum(expect(
            Normal(kA * x + kB, 1.0), [](const Tensor& z) { return square(z); }, chosen, Rng(6)));
      });
      variances.push_back(var(found).item());
      EXPECT_NEAR(mean(found).item(), 2.0 * kA * mu, 4.5 * std::sqrt(variances.back() / kRepetitions));
    }
    // The moments of a normal law: 4 (mu^4 + 14 mu^2 + 15) / 10 and 16 / 10.
    const double of_score = 4.0 * (std::pow(mu, 4.0) + 14.0 * mu * mu + 15.0) / 10.0;
    EXPECT_NEAR(variances[0], of_score, 0.12 * of_score);
    EXPECT_NEAR(variances[1], 1.6, 0.08);
  }
}

// What is sought is a minimum of E z^2 (argmax and argmin are set equal in print): at theta = -b / a.
TEST(Document001Expectation, TheMinimumIsWhereTheMeanIsZero) {
  Tensor theta = tensor(1.0, DType::f64);
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    theta = theta - 0.05 * grad(theta, [&](const Tensor& x) {
                      return expect(
                          Normal(kA * x + kB, 1.0), [](const Tensor& z) { return square(z); },
                          estimator::Reparameterised{.samples = 200}, rng.split());
                    });
  }
  EXPECT_NEAR(theta.item(), -kB / kA, 0.1);
}

// F_Y(y) = F_X(T^-1(y)) holds where T rises; where it falls it is 1 - that. The densities' rule, with |dx|,
// is right for both.
TEST(Document001Expectation, AFallingMapTurnsTheDistributionFunction) {
  const double y = 0.8, x = -0.5 * y;  // y = T(x) = -2 x
  const Normal law_x(tensor(0.3, DType::f64), 1.0), law_y(tensor(-0.6, DType::f64), 2.0);
  const double of_y = law_y.cdf(tensor(y, DType::f64)).item(), of_x = law_x.cdf(tensor(x, DType::f64)).item();
  EXPECT_NEAR(of_y, 1.0 - of_x, 1e-14);
  EXPECT_GT(std::abs(of_y - of_x), 0.1);
  EXPECT_NEAR(std::exp(law_y.log_prob(tensor(y, DType::f64)).item()),
              0.5 * std::exp(law_x.log_prob(tensor(x, DType::f64)).item()), 1e-14);
}

// Two steps in a world of two states: the gradient of the mean return is that of the policy's
// log-probabilities alone, although the states' probabilities are part of a trajectory's.
TEST(Document001Expectation, TransitionsHaveNoPartInThePolicyGradient) {
  const double to_first[2][2] = {{0.9, 0.3}, {0.4, 0.7}};  // by state and action
  const auto reward = [](int s, int a) { return s == 0 ? 1.0 - a : 2.5 * a; };
  const auto policy = [](double theta, int s, int a) {
    const double p = 1.0 / (1.0 + std::exp(-(s == 0 ? theta : 0.5 - theta)));
    return a == 1 ? p : 1.0 - p;
  };
  // sum over trajectories (s1 = 0, a1, s2, a2) of p * weight(trajectory).
  const auto over_all = [&](double theta, const auto& weight) {
    double total = 0.0;
    for (int a1 = 0; a1 < 2; ++a1) {
      for (int s2 = 0; s2 < 2; ++s2) {
        for (int a2 = 0; a2 < 2; ++a2) {
          const double moved = s2 == 0 ? to_first[0][a1] : 1.0 - to_first[0][a1];
          total += policy(theta, 0, a1) * moved * policy(theta, s2, a2) * weight(a1, s2, a2);
        }
      }
    }
    return total;
  };
  const double theta = 0.2, h = 1e-6;
  const auto value = [&](double at) {
    return over_all(at, [&](int a1, int s2, int a2) { return reward(0, a1) + reward(s2, a2); });
  };
  const double exact = (value(theta + h) - value(theta - h)) / (2.0 * h);
  const auto slope = [&](int s, int a) {
    return (std::log(policy(theta + h, s, a)) - std::log(policy(theta - h, s, a))) / (2.0 * h);
  };
  EXPECT_NEAR(over_all(theta,
                       [&](int a1, int s2, int a2) {
                         return (reward(0, a1) + reward(s2, a2)) * (slope(0, a1) + slope(s2, a2));
                       }),
              exact, 1e-8);
  // And from sampled trajectories.
  constexpr std::int64_t kEpisodes = 40000;
  Rng rng(2);
  const Tensor found = grad(tensor(theta, DType::f64), [&](const Tensor& x) {
    const Bernoulli first(expand(x, {kEpisodes}));
    const Tensor a1 = first.sample(rng.split());
    const Tensor s2 = 1.0 - rng.split().bernoulli(where(a1 == 1.0, 0.3, full({kEpisodes}, 0.9, DType::f64)));
    const Bernoulli second(where(s2 == 1.0, 0.5 - x, expand(x, {kEpisodes})));
    const Tensor a2 = second.sample(rng.split());
    const Tensor rewards = (1.0 - a1) + where(s2 == 1.0, 2.5 * a2, 1.0 - a2);
    return score_surrogate(first.log_prob(a1) + second.log_prob(a2), rewards, baseline::LeaveOneOut{});
  });
  // |(reward - baseline) score| < 3: a standard error of at most 3 / 200.
  EXPECT_NEAR(found.item(), exact, 4.5 * 3.0 / 200.0);
}

// Between N(mu, sigma^2) and N(0, 1): the half is taken out once, not twice.
TEST(Document001Expectation, DivergenceFromAStandardNormal) {
  const double mu = 0.8, sigma = 1.7;
  const double right = 0.5 * (sigma * sigma + mu * mu - 1.0 - std::log(sigma * sigma));
  const double printed = 0.5 * (0.5 * sigma * sigma + 0.5 * mu * mu - 0.5 - std::log(sigma * sigma));
  const double by_integral = integral(mu, [&](double z) {
    const double e = (z - mu) / sigma;
    const double p = std::exp(-0.5 * e * e) / (sigma * std::sqrt(2.0 * std::numbers::pi));
    return p * (-0.5 * e * e - std::log(sigma) + 0.5 * z * z);
  });
  EXPECT_NEAR(by_integral, right, 2e-4);  // 8 / 1.7 standard deviations to each side
  EXPECT_NEAR(kl(Normal(tensor(mu, DType::f64), sigma), Normal(0.0, 1.0)).item(), right, 1e-12);
  EXPECT_GT(std::abs(printed - right), 0.5);
}

}  // namespace
}  // namespace likely
