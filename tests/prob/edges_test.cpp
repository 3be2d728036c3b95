// The ends of the laws: infinities, what is not a number, the border of the support, parameters of any size.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/laws.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::Law;
using testing::laws;
using testing::Parameters;
using testing::scalars;
using In = const std::vector<Tensor>&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor f64(double x) { return tensor(x, DType::f64); }

// The sum of what is finite.
Tensor masked_sum(const Tensor& x) { return sum(masked_fill(x, abs(x) == kInfinity, 0.0)); }

// The laws' settings, and such of the same laws that are as small and as large as they can be.
std::vector<std::vector<double>> all_settings(const Law& law) {
  std::vector<std::vector<double>> settings = law.settings;
  if (law.name == "Uniform") {
    settings.push_back({-1e300, 1e300});
  } else if (law.name == "LogNormal" || law.name == "Bernoulli") {
    settings.push_back(std::vector<double>(law.settings[0].size(), 300.0));
  } else {
    for (const double size : {1e-300, 1e-30, 1e12, 1e30, 1e300}) {
      settings.push_back(std::vector<double>(law.settings[0].size(), size));
    }
  }
  return settings;
}

std::string describe(const Law& law, const std::vector<double>& values) {
  std::string text = law.name;
  for (const double v : values) text += " " + std::to_string(v);
  return text;
}

TEST(Edges, InfinityIsNotLikely) {
  for (const Law& law : laws()) {
    if (law.name == "Bernoulli" || law.name == "VonMises") continue;  // refused, and without an end
    for (const auto& values : all_settings(law)) {
      for (const double x : {-kInfinity, kInfinity}) {
        EXPECT_EQ(law.log_prob(scalars(values), f64(x)).item(), -kInfinity)
            << describe(law, values) << " " << x;
      }
    }
  }
}

TEST(Edges, DistributionFunctionsGoFrom0To1) {
  for (const Law& law : laws()) {
    // Beside the exact tail of Student's t its middle is seen to be off by 2e-14 at degrees of 1e-300.
    const double rounding = law.name == "StudentT" ? 1e-13 : 1e-15;
    for (const auto& values : all_settings(law)) {
      const std::string what = describe(law, values);
      EXPECT_EQ(law.cdf(scalars(values), f64(-kInfinity)).item(), 0.0) << what;
      EXPECT_EQ(law.cdf(scalars(values), f64(kInfinity)).item(), 1.0) << what;
      EXPECT_TRUE(std::isnan(law.cdf(scalars(values), f64(kNaN)).item())) << what;
      double last = 0.0;
      for (const double x :
           {-1e300, -1e12, -1.0, -1e-300, 0.0, 1e-300, 1e-30, 0.3, 1.0, 7.0, 1e12, 1e30, 1e300}) {
        const double p = law.cdf(scalars(values), f64(x)).item();
        EXPECT_TRUE(p >= last - rounding && p <= 1.0)
            << what << " at " << x << ": " << p << " after " << last;
        last = p;
      }
    }
  }
}

TEST(Edges, DensitiesAreNumbersEverywhere) {
  for (const Law& law : laws()) {
    if (law.name == "Bernoulli") continue;
    for (const auto& values : all_settings(law)) {
      for (const double x : {-1e300, -1.0, -1e-310, 0.0, 1e-310, 1e-30, 0.3, 1.0, 7.0, 1e12, 1e300}) {
        const double log_density = law.log_prob(scalars(values), f64(x)).item();
        EXPECT_FALSE(std::isnan(log_density)) << describe(law, values) << " at " << x;
        EXPECT_FALSE(law.discrete && log_density > 0.0) << describe(law, values) << " at " << x;
      }
    }
  }
}

TEST(Edges, SamplesLieInTheSupport) {
  for (const Law& law : laws()) {
    for (const auto& values : all_settings(law)) {
      if (law.name == "Poisson" && values[0] > 9e15) continue;  // refused
      for (const DType dtype : {DType::f64, DType::f32}) {
        Parameters parameters;
        bool fits = true;
        for (const double v : values) {
          parameters.push_back(f64(v).to(dtype));
          fits = fits &&
                 (v <= 0.0 || (parameters.back().item() > 0.0 && std::isfinite(parameters.back().item())));
        }
        if (!fits) continue;
        const Tensor x = law.sample(parameters, Rng(5), {50});
        const Tensor log_density = law.log_prob(parameters, x);
        for (std::int64_t i = 0; i < x.size(); ++i) {
          EXPECT_FALSE(std::isnan(x.at({i}))) << describe(law, values);
          // Numbers beyond the largest, of laws without a mean, are infinite.
          if (std::isfinite(x.at({i}))) {
            EXPECT_GT(log_density.at({i}), -kInfinity) << describe(law, values) << " " << x.at({i});
          }
        }
      }
    }
  }
}

// Numbers at both ends of their type have a difference that is too large for it.
TEST(Edges, LawsAsWideAsTheirType) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double end = dtype == DType::f32 ? 2e38 : 1e308;
    const Uniform law(tensor(-end, dtype), end);
    const Tensor x = law.sample(Rng(1), {1000});
    EXPECT_TRUE(all(is_finite(x)).item() != 0.0);
    EXPECT_NEAR(mean(x / end).item(), 0.0, 0.06);
    EXPECT_NEAR(mean(square(x / end)).item(), 1.0 / 3.0, 0.03);
    EXPECT_NEAR(law.entropy().item(), std::log(end) + std::log(2.0), 1e-4);
    // Half of it beside an ordinary one, whose numbers stay the same bits.
    const Uniform mixed(tensor({-end, 1.0}, dtype), tensor({end, 3.0}, dtype));
    const Uniform usual(tensor({1.0, 1.0}, dtype), tensor({3.0, 3.0}, dtype));
    EXPECT_TRUE(
        array_equal(select(mixed.sample(Rng(2), {50}), 1, 1), select(usual.sample(Rng(2), {50}), 1, 1)));
  }
}

TEST(Edges, DerivativesWhereDifferencesAreTooLarge) {
  const auto near = [](double computed, double expected) { EXPECT_NEAR(computed / expected, 1.0, 1e-13); };
  const Tensor end = f64(1e308), tiny = f64(1e-200);
  // z = -2
  near(grad(-end, [&](const Tensor& x) { return Normal(end, end).log_prob(x); }).item(), 2e-308);
  near(grad(end, [&](const Tensor& m) { return Normal(m, end).log_prob(-end); }).item(), -2e-308);
  near(grad(end, [&](const Tensor& s) { return Normal(end, s).log_prob(-end); }).item(), 3e-308);
  // -2 log|x| + log(scale)
  near(grad(f64(1e200), [&](const Tensor& x) { return Cauchy(0.0, tiny).log_prob(x); }).item(), -2e-200);
  near(grad(tiny, [&](const Tensor& s) { return Cauchy(0.0, s).log_prob(f64(1e200)); }).item(), 1e200);
  // -(degrees + 1) log|x| + degrees log(scale)
  near(grad(f64(1e200), [&](const Tensor& x) { return StudentT(3.0, 0.0, tiny).log_prob(x); }).item(),
       -4e-200);
  near(grad(tiny, [&](const Tensor& s) { return StudentT(3.0, 0.0, s).log_prob(f64(1e200)); }).item(), 3e200);
  near(grad(end, [&](const Tensor& b) { return Uniform(-end, b).log_prob(f64(0.0)); }).item(), -5e-309);
  // An ordinary number beside it, as it is alone.
  const Tensor x = tensor({1e200, 2.0}, DType::f64);
  const Tensor both = grad(x, [&](const Tensor& v) {
    return sum(Cauchy(0.0, tensor({1e-200, 1.0}, DType::f64)).log_prob(v));
  });
  near(both.at({0}), -2e-200);
  near(both.at({1}), -0.8);
}

TEST(Edges, StridedAndBroadcastNumbers) {
  for (const Law& law : laws()) {
    if (law.name == "Bernoulli") continue;
    Parameters columns;
    for (const Tensor& p : scalars(law.settings[0])) {
      columns.push_back(transpose(reshape(p, {1, 1}) + zeros({1, 3}, DType::f64)));  // (3, 1)
    }
    std::vector<double> twice = law.points;
    twice.insert(twice.end(), law.points.begin(), law.points.end());
    const auto n = static_cast<std::int64_t>(law.points.size());
    const Tensor x = select(transpose(tensor(twice, {2, n})), 1, 1);  // every second number
    const Tensor plain = law.log_prob(scalars(law.settings[0]), tensor(law.points));
    const Tensor probability = law.cdf(scalars(law.settings[0]), tensor(law.points));
    EXPECT_TRUE(array_equal(law.log_prob(columns, x), expand(plain, {3, n}))) << law.name;
    EXPECT_TRUE(array_equal(law.cdf(columns, x), expand(probability, {3, n}))) << law.name;
  }
}

// What SciPy's logpdf gives at the ends of the support, and the derivatives of the closed forms there.
TEST(Edges, DensitiesAtTheEndsOfTheSupport) {
  const auto gamma = [](double a, double rate) { return Gamma(f64(a), f64(rate)).log_prob(f64(0.0)).item(); };
  EXPECT_EQ(gamma(1.0, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(gamma(1.0, 3.0), std::log(3.0));
  EXPECT_EQ(gamma(1.0, 3.0), Exponential(f64(3.0)).log_prob(f64(0.0)).item());
  EXPECT_DOUBLE_EQ(gamma(1.0, 0.5), std::log(0.5));  // two degrees of freedom of chi-squared
  EXPECT_EQ(gamma(0.5, 3.0), kInfinity);
  EXPECT_EQ(gamma(1.5, 3.0), -kInfinity);
  EXPECT_EQ(Gamma(1.0, 2.0).log_prob(tensor(-0.0)).item(), static_cast<double>(std::log(2.0F)));
  EXPECT_EQ(Gamma(0.5, 2.0).log_prob(tensor(-1.0)).item(), -kInfinity);
  const auto beta = [](double a, double b, double x) { return Beta(f64(a), f64(b)).log_prob(f64(x)).item(); };
  EXPECT_EQ(beta(1.0, 1.0, 0.0), 0.0);
  EXPECT_EQ(beta(1.0, 1.0, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(beta(1.0, 3.0, 0.0), std::log(3.0));
  EXPECT_DOUBLE_EQ(beta(3.0, 1.0, 1.0), std::log(3.0));
  EXPECT_DOUBLE_EQ(beta(1.0, 0.5, 0.0), std::log(0.5));
  EXPECT_EQ(beta(0.5, 3.0, 0.0), kInfinity);
  EXPECT_EQ(beta(2.0, 3.0, 0.0), -kInfinity);
  EXPECT_EQ(beta(3.0, 0.5, 1.0), kInfinity);
  EXPECT_EQ(beta(3.0, 2.0, 1.0), -kInfinity);
  EXPECT_EQ(beta(0.5, 0.5, 1.5), -kInfinity);
  const auto dirichlet = [](const std::vector<double>& a, const std::vector<double>& x) {
    return Dirichlet(tensor(a)).log_prob(tensor(x)).item();
  };
  EXPECT_NEAR(dirichlet({1, 1, 1}, {0, 0.25, 0.75}), std::log(2.0), 1e-14);
  EXPECT_NEAR(dirichlet({1, 1, 1}, {0, 0, 1}), std::log(2.0), 1e-14);
  // Gamma(6) / (Gamma(2) Gamma(3)) x2 x3^2.
  EXPECT_NEAR(dirichlet({1, 2, 3}, {0, 0.25, 0.75}), std::log(60.0 * 0.25 * 0.75 * 0.75), 1e-13);
  EXPECT_EQ(dirichlet({0.5, 2, 3}, {0, 0.25, 0.75}), kInfinity);
  EXPECT_EQ(dirichlet({0.5, 1, 3}, {0, 0, 1}), kInfinity);
  EXPECT_EQ(dirichlet({0.5, 2, 3}, {0, 0, 1}), -kInfinity);
  EXPECT_EQ(dirichlet({2, 1, 3}, {0, 0.25, 0.75}), -kInfinity);
}

TEST(Edges, DerivativesAtTheEndsOfTheSupport) {
  // Each in a row with ordinary numbers and with what is outside, which must not be disturbed.
  const Tensor x = tensor({0.0, 0.5, -1.0, kInfinity}, DType::f64);
  const auto of_gamma = [](In in) { return masked_sum(Gamma(in[0], in[1]).log_prob(in[2])); };
  const std::vector<Tensor> gamma = grad(std::vector<Tensor>{f64(1.0), f64(3.0), x}, of_gamma);
  EXPECT_DOUBLE_EQ(gamma[1].item(), 1.0 / 3.0 + (1.0 / 3.0 - 0.5));
  EXPECT_DOUBLE_EQ(gamma[2].at({0}), -3.0);
  EXPECT_DOUBLE_EQ(gamma[2].at({1}), -3.0);
  EXPECT_EQ(gamma[2].at({2}), 0.0);
  EXPECT_EQ(gamma[2].at({3}), 0.0);
  const Tensor y = tensor({0.0, 0.25, 1.0}, DType::f64);
  const auto of_beta = [](In in) { return masked_sum(Beta(in[0], in[1]).log_prob(in[2])); };
  const std::vector<Tensor> at_zero = grad(std::vector<Tensor>{f64(1.0), f64(3.0), y}, of_beta);
  EXPECT_DOUBLE_EQ(at_zero[1].item(), 1.0 / 3.0 + (1.0 / 3.0 + std::log(0.75)));
  EXPECT_DOUBLE_EQ(at_zero[2].at({0}), -2.0);
  EXPECT_EQ(at_zero[2].at({2}), 0.0);  // the density is 0
  const std::vector<Tensor> at_one = grad(std::vector<Tensor>{f64(3.0), f64(1.0), y}, of_beta);
  EXPECT_DOUBLE_EQ(at_one[0].item(), 1.0 / 3.0 + (1.0 / 3.0 + std::log(0.25)));
  EXPECT_DOUBLE_EQ(at_one[2].at({2}), 2.0);
  EXPECT_EQ(at_one[2].at({0}), 0.0);
}

TEST(Edges, ACountOfManyTrillions) {
  EXPECT_NEAR(Poisson(1e6).log_prob(tensor(1e6)).item(), -7.8267, 1e-4);
  EXPECT_NEAR(Poisson(1e8).log_prob(tensor(1e8)).item(), -10.12928, 1e-4);
  EXPECT_NEAR(Poisson(1e12).log_prob(tensor(1e12)).item(), -14.73445, 1e-4);
  EXPECT_NEAR(Poisson(f64(1e12)).cdf(f64(1e12)).item(), 0.5, 1e-6);
  EXPECT_NEAR(Gamma(f64(1e12), 1.0).cdf(f64(1e12)).item(), 0.5, 1e-6);
  EXPECT_EQ(Poisson(f64(4.0)).cdf(f64(kInfinity)).item(), 1.0);
}

// The rate is held to the last digit beside its logarithm, which is what is learned.
TEST(Edges, APoissonLawFollowsItsLogRate) {
  Poisson law(f64(3.0));
  EXPECT_EQ(law.mean().item(), 3.0);
  const Poisson same = law;
  EXPECT_EQ(same.mean().item(), 3.0);
  law.log_rate = f64(0.5);
  EXPECT_EQ(law.mean().item(), exp(f64(0.5)).item());
  EXPECT_EQ(same.mean().item(), 3.0);
  law = same;
  law.log_rate.set({}, 0.5);
  EXPECT_EQ(law.mean().item(), exp(f64(0.5)).item());

  const Poisson slope = grad(same, [](const Poisson& p) { return p.log_prob(f64(5.0)); });
  EXPECT_DOUBLE_EQ(slope.log_rate.item(), 2.0);
  const auto curve = grad(same, [](const Poisson& p) {
    return sum(grad(p, [](const Poisson& q) { return q.log_prob(f64(5.0)); }).log_rate);
  });
  EXPECT_DOUBLE_EQ(curve.log_rate.item(), -3.0);
  const Tensor by_rate = grad(f64(3.0), [](const Tensor& r) { return Poisson(r).log_prob(f64(5.0)); });
  EXPECT_DOUBLE_EQ(by_rate.item(), 5.0 / 3.0 - 1.0);
}

TEST(Edges, SecondDerivativesWhereDeviancesTakeOver) {
  const auto column = [](std::vector<double> x) { return tensor(x); };
  check_gradients("Gamma", [](In p) { return Gamma(p[0], p[1]).log_prob(p[2]); },
                  {column({7.0, 9.0, 200.0}), column({1.5}), column({5.0, 6.0, 130.0})}, {.tolerance = 1e-5});
  check_gradients("Beta", [](In p) { return Beta(p[0], p[1]).log_prob(p[2]); },
                  {column({9.0, 30.0, 7.0}), column({12.0, 90.0, 9.0}), column({0.4, 0.3, 0.35})},
                  {.tolerance = 1e-5});
  check_gradients("StudentT", [](In p) { return StudentT(p[0], 0.0, 1.0).log_prob(p[1]); },
                  {column({0.7, 20.0, 90.0}), column({1.5, -3.0, 0.3})}, {.tolerance = 1e-5});
  check_gradients("Dirichlet",
                  [](In p) {
                    return Dirichlet(p[0]).log_prob(tensor({0.25, 0.25, 0.5}, DType::f64));
                  },
                  {column({9.0, 12.0, 3.0})}, {.tolerance = 1e-5});
  check_gradients("cdf", [](In p) { return gamma_p(p[0], p[1]); }, {column({2e4}), column({2.01e4})},
                  {.step = 1e-2, .tolerance = 1e-4});
  check_gradients("cdf of beta", [](In p) { return incomplete_beta(p[0], p[1], tensor({0.4}, DType::f64)); },
                  {column({2e4}), column({3.03e4})}, {.step = 1e-2, .tolerance = 1e-4});
}

}  // namespace
}  // namespace likely
