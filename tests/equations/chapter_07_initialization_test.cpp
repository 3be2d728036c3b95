// Chapter 7: how variances flow through layers, the weights that keep them, and the activations of the
// problems.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "tests/support/plain_math.hpp"

namespace likely {
namespace {

using testing::slope;

// Means and mean squares of plain numbers.
double mean_of(const std::vector<double>& values) {
  double total = 0.0;
  for (const double each : values) total += each;
  return total / static_cast<double>(values.size());
}
double mean_square(const std::vector<double>& values) {
  double total = 0.0;
  for (const double each : values) total += each * each;
  return total / static_cast<double>(values.size());
}

// f' = Omega a[f] of one layer for many draws of Omega and f: f normal of deviation 1.5, one fresh matrix of
// he_normal weights for every 4 rows, so that the draws of f' are nearly independent.
struct Layer {
  std::int64_t in, out;
  double f_variance = 2.25;
  std::vector<double> h, f_next;
};
Layer pass_through(std::int64_t in, std::int64_t out, nn::Fan fan) {
  Layer layer{.in = in, .out = out, .h = {}, .f_next = {}};
  Rng rng(3);
  for (int i = 0; i < 400; ++i) {
    const Tensor omega = nn::he_normal({out, in}, rng.split(), fan, DType::f64);
    const Tensor h = relu(rng.normal({4, in}, 0.0, 1.5, DType::f64));
    const auto values = linear(h, omega, zeros({out}, DType::f64)).to_vector<double>();
    layer.f_next.insert(layer.f_next.end(), values.begin(), values.end());
    const auto units = h.to_vector<double>();
    layer.h.insert(layer.h.end(), units.begin(), units.end());
  }
  return layer;
}

// Standard errors: f' has 400 x 4 x out draws; those of one matrix share it, so at least 400 x out count.
TEST(Udl07, Eq29_MeanOfAPreactivation) {
  const Layer layer = pass_through(60, 40, nn::Fan::in);
  EXPECT_GT(mean_square(layer.f_next), 1.0);  // not because there is nothing,
  EXPECT_GT(mean_of(layer.h), 0.5);           // nor because h has the mean 0
  EXPECT_NEAR(mean_of(layer.f_next), 0.0, 5.0 * std::sqrt(mean_square(layer.f_next) / (400.0 * 40.0)));
}

TEST(Udl07, Eq30_VarianceOfAPreactivation) {
  const Layer layer = pass_through(60, 40, nn::Fan::in);
  const double expected = 2.0 / 60.0 * 60.0 * mean_square(layer.h);  // sigma_Omega^2 sum_j E[h_j^2]
  EXPECT_NEAR(mean_square(layer.f_next), expected, 5.0 * expected * std::sqrt(2.0 / (400.0 * 40.0)));
}

TEST(Udl07, Eq31_HalfOfTheVariancePassesARelu) {
  const Layer layer = pass_through(60, 40, nn::Fan::out);  // sigma_Omega^2 = 2 / 40
  EXPECT_NEAR(mean_square(layer.h), 0.5 * layer.f_variance,
              5.0 * layer.f_variance * std::sqrt(1.25 / (400.0 * 4.0 * 60.0)));  // Var[h^2] = 5/4 sigma^4
  const double expected = 0.5 * 60.0 * (2.0 / 40.0) * layer.f_variance;
  EXPECT_NEAR(mean_square(layer.f_next), expected, 5.0 * expected * std::sqrt(2.0 / (400.0 * 40.0)));
}

// What (7.30) and (7.31) leave out. A bias adds its own mean square; an f that is not symmetric about 0
// passes another share: all of it, if it is never below 0.
TEST(Udl07, Eq31_NeedsASymmetricPreactivation) {
  Rng rng(4);
  const Tensor f = rng.normal({200000}, 3.0, 1.0, DType::f64);  // above 0 but for 0.13 %
  const double passed = mean_square(relu(f).to_vector<double>());
  EXPECT_NEAR(passed, 10.0, 0.1);  // E[f^2] = 3^2 + 1, and not half of it
  const Tensor omega = nn::he_normal({40, 60}, rng.split(), nn::Fan::in, DType::f64);
  const Tensor h = relu(rng.normal({2000, 60}, 0.0, 1.5, DType::f64));
  const double without = mean_square(linear(h, omega, zeros({40}, DType::f64)).to_vector<double>());
  const double with = mean_square(linear(h, omega, full({40}, 2.0, DType::f64)).to_vector<double>());
  EXPECT_GT(with, without + 2.0);  // 4, and twice the product of the means
}

// The variance of a sample of n normal numbers has the standard error sqrt(2 / n) of itself.
void expect_variance(nn::Fan fan, double variance) {
  const auto weights = nn::he_normal({300, 500}, Rng(5), fan, DType::f64).to_vector<double>();
  EXPECT_NEAR(mean_square(weights), variance, 5.0 * variance * std::sqrt(2.0 / 150000.0));
  EXPECT_NEAR(mean_of(weights), 0.0, 5.0 * std::sqrt(variance / 150000.0));
  const auto even = nn::he_uniform({300, 500}, Rng(6), fan, DType::f64).to_vector<double>();
  EXPECT_NEAR(mean_square(even), variance, 5.0 * variance * std::sqrt(0.8 / 150000.0));
}

// The logarithm of how much the mean square of what flows grows on its way through ten layers that narrow
// from 500 to 50 units, forwards or backwards; the mean of 8 networks, with a deviation of about 0.2. Weights
// made for the other direction would change it by log 10 = 2.3, a wrong factor 2 by 10 log 2 = 6.9.
double log_gain(nn::Fan fan, bool backwards) {
  Rng rng(8);
  double total = 0.0;
  for (int run = 0; run < 8; ++run) {
    const Tensor start = rng.normal({16, 500}, 0.0, 1.0, DType::f64);
    std::vector<Tensor> weights;
    for (std::int64_t width = 500; width > 50; width -= 45) {
      weights.push_back(nn::he_normal({width - 45, width}, rng.split(), fan, DType::f64));
    }
    const auto [value, pull_back] = vjp(start, [&](const Tensor& f) {
      Tensor at = f;
      for (const Tensor& omega : weights) at = linear(relu(at), omega);
      return at;
    });
    const Tensor seed = rng.normal(value.shape(), 0.0, 1.0, DType::f64);
    const double in = mean_square((backwards ? seed : start).to_vector<double>());
    const double out = mean_square((backwards ? pull_back(seed) : value).to_vector<double>());
    total += std::log(out / in);
  }
  return total / 8.0;
}

TEST(Udl07, Eq32_WeightsThatKeepActivations) {
  expect_variance(nn::Fan::in, 2.0 / 500.0);
  EXPECT_NEAR(log_gain(nn::Fan::in, false), 0.0, 1.0);
}

TEST(Udl07, Eq33_WeightsThatKeepGradients) {
  expect_variance(nn::Fan::out, 2.0 / 300.0);
  EXPECT_NEAR(log_gain(nn::Fan::out, true), 0.0, 1.0);
}

// Layers that narrow get weights between those of 7.32 and 7.33: what flows forwards grows a little on its
// way, what flows backwards shrinks a little, by the product of 2 D / (D + D') and of 2 D' / (D + D').
TEST(Udl07, Eq34_Compromise) {
  expect_variance(nn::Fan::mean, 4.0 / (500.0 + 300.0));
  double forwards = 0.0, backwards = 0.0;
  for (double width = 500.0; width > 50.0; width -= 45.0) {
    forwards += std::log(2.0 * width / (width + width - 45.0));
    backwards += std::log(2.0 * (width - 45.0) / (width + width - 45.0));
  }
  const double gain = log_gain(nn::Fan::mean, false), loss = log_gain(nn::Fan::mean, true);
  EXPECT_NEAR(gain, forwards, 0.6);
  EXPECT_NEAR(loss, backwards, 0.6);
  EXPECT_GT(gain, 0.4);
  EXPECT_LT(loss, -0.4);
}

Tensor number(double value) { return full({}, value, DType::f64); }

TEST(Udl07, Eq40_Heaviside) {
  for (const double z : {-2.0, -1e-300, 0.0, 1e-300, 3.0}) {
    EXPECT_EQ(heaviside(number(z)).item(), z < 0.0 ? 0.0 : 1.0) << z;
    EXPECT_EQ(grad(number(z), [](const Tensor& t) { return heaviside(t); }).item(), 0.0) << z;
  }
}

TEST(Udl07, Eq41_Rectangle) {
  for (const double z : {-2.0, -1e-300, 0.0, 0.5, 1.0, 1.0 + 1e-15, 3.0}) {
    EXPECT_EQ(rect(number(z)).item(), z >= 0.0 && z <= 1.0 ? 1.0 : 0.0) << z;
    EXPECT_EQ(grad(number(z), [](const Tensor& t) { return rect(t); }).item(), 0.0) << z;
  }
}

TEST(Udl07, Eq48_Relu) {
  const auto plain = [](double a) { return a < 0.0 ? 0.0 : a; };
  for (const double a : {-2.0, -0.1, 0.0, 0.1, 4.0}) {
    EXPECT_EQ(relu(number(a)).item(), plain(a)) << a;
    if (a != 0.0) {
      const double computed = grad(number(a), [](const Tensor& t) { return relu(t); }).item();
      EXPECT_NEAR(computed, slope(plain, a), 1e-9) << a;
    }
  }
  EXPECT_EQ(grad(number(0.0), [](const Tensor& t) { return relu(t); }).item(), 0.0);  // as (7.25) has it
}

}  // namespace
}  // namespace likely
