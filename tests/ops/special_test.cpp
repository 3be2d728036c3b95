#include "likely/ops/special.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Wide = boost::multiprecision::cpp_bin_float_50;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor f64(double x) { return tensor(x, DType::f64); }

void expect_relative(double computed, double expected, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(computed - expected), tolerance * std::abs(expected))
      << what << ": computed " << computed << ", expected " << expected;
}

TEST(Special, NormalCdfAndQuantile) {
  const boost::math::normal law;
  for (const double x : {-30.0, -8.0, -1.5, 0.0, 0.7, 5.0}) {
    expect_relative(normal_cdf(f64(x)).item(), cdf(law, x), 1e-12, "cdf at " + std::to_string(x));
  }
  for (const double p : {1e-300, 1e-20, 0.01, 0.5, 0.9, 1.0 - 1e-12}) {
    EXPECT_NEAR(normal_quantile(f64(p)).item(), quantile(law, p), 1e-12) << p;
  }
  EXPECT_EQ(normal_quantile(f64(0.0)).item(), -kInfinity);
  EXPECT_EQ(normal_quantile(f64(1.0)).item(), kInfinity);
  EXPECT_TRUE(std::isnan(normal_quantile(f64(1.5)).item()));
  check_gradients("normal_cdf", [](In x) { return normal_cdf(x[0]); }, {numbers({4}, 2.0)});
  check_gradients("normal_quantile", [](In x) { return normal_quantile(x[0]); }, {numbers({4}, 0.4) + 0.5},
                  {.tolerance = 1e-5});
}

TEST(Special, LogBesselAndItsDerivatives) {
  for (const double x : {0.0, 1e-5, 0.3, 2.0, 15.0, 39.0, 41.0, 200.0, 650.0}) {
    const double expected = std::log(boost::math::cyl_bessel_i(0, x));
    EXPECT_NEAR(log_bessel_i0(f64(x)).item(), expected, 1e-14 * std::max(1.0, expected)) << x;
    const double ratio = boost::math::cyl_bessel_i(1, x) / boost::math::cyl_bessel_i(0, x);
    EXPECT_NEAR(bessel_i1_over_i0(f64(x)).item(), ratio, 1e-14) << x;
    EXPECT_NEAR(log_bessel_i0(f64(-x)).item(), log_bessel_i0(f64(x)).item(), 0.0);
  }
  // The derivative of the ratio A is 1 - A / x - A^2, which cancels for large x: in 50 digits.
  for (const double x : {0.01, 1.0, 30.0, 1000.0}) {
    const Wide wide = x;
    const Wide a = boost::math::cyl_bessel_i(1, wide) / boost::math::cyl_bessel_i(0, wide);
    const double slope = grad(f64(x), [](const Tensor& t) { return bessel_i1_over_i0(t); }).item();
    expect_relative(slope, static_cast<double>(Wide(1 - a / wide - a * a)), 1e-12,
                    "slope at " + std::to_string(x));
  }
  // Far out log I0(x) = x - log(2 pi x) / 2 + 1 / (8 x) + ...
  EXPECT_NEAR(log_bessel_i0(f64(1e6)).item(), 1e6 - 0.5 * std::log(2e6 * std::numbers::pi) + 1.25e-7, 1e-8);
  EXPECT_NEAR(log_bessel_i0_scaled(f64(-1e12)).item(), -0.5 * std::log(2e12 * std::numbers::pi), 1e-12);
  expect_relative(bessel_ratio_complement(f64(1e12)).item(), 5e-13, 1e-11, "complement");
  for (const double x : {0.0, 0.3, 39.0, 41.0}) {
    EXPECT_NEAR(log_bessel_i0_scaled(f64(x)).item(), log_bessel_i0(f64(x)).item() - x, 1e-13) << x;
    EXPECT_NEAR(bessel_ratio_complement(f64(x)).item(), 1.0 - bessel_i1_over_i0(f64(x)).item(), 1e-15) << x;
  }
  check_gradients("log_bessel_i0_scaled", [](In x) { return log_bessel_i0_scaled(x[0]); },
                  {tensor({-2.0, 0.7, 30.0, 60.0}, DType::f64)});
  check_gradients("bessel_ratio_complement", [](In x) { return bessel_ratio_complement(x[0]); },
                  {tensor({0.2, 0.7, 30.0, 60.0}, DType::f64)});
  check_gradients("log_bessel_i0", [](In x) { return log_bessel_i0(x[0]); },
                  {tensor({-2.0, 0.0, 0.7, 30.0, 60.0}, DType::f64)});
  check_gradients("bessel_i1_over_i0", [](In x) { return bessel_i1_over_i0(x[0]); },
                  {tensor({-2.0, 0.0, 0.7, 30.0, 60.0}, DType::f64)});
  expect_refusal(
      [] {
        grad(f64(1.0), [](const Tensor& a) {
          return grad(a, [](const Tensor& b) {
            return grad(b, [](const Tensor& c) {
              return grad(c, [](const Tensor& d) {
                return grad(d, [](const Tensor& e) { return log_bessel_i0(e); });
              });
            });
          });
        });
      },
      "[log_bessel_i0] derivatives are known up to the fourth");
}

TEST(Special, LogBetaDoesNotCancel) {
  for (const double a : {1e-8, 0.3, 4.0, 9.9, 10.1, 250.0, 1e6, 1e12}) {
    for (const double b : {1e-8, 0.5, 9.0, 11.0, 3e3, 1e12}) {
      const Wide x = a, y = b;
      const Wide sum = boost::math::lgamma(x) + boost::math::lgamma(y) - boost::math::lgamma(Wide(x + y));
      const auto expected = static_cast<double>(sum);
      EXPECT_NEAR(log_beta(f64(a), f64(b)).item(), expected, 3e-14 * std::max(1.0, std::abs(expected)))
          << a << ", " << b;
      // In single precision only the result is rounded.
      const double narrow = log_beta(tensor(a, DType::f32), tensor(b, DType::f32)).item();
      const double wide = log_beta(f64(static_cast<float>(a)), f64(static_cast<float>(b))).item();
      EXPECT_NEAR(narrow, wide, 1e-7 * std::abs(wide)) << a << ", " << b;
    }
  }
  EXPECT_TRUE(std::isnan(log_beta(f64(-1.0), f64(2.0)).item()));
}

TEST(Special, IncompleteGamma) {
  for (const double a : {1e-3, 0.4, 1.0, 7.5, 120.0, 4e4}) {
    for (const double ratio : {0.01, 0.5, 0.98, 1.0, 1.02, 1.6, 5.0}) {
      const double x = a * ratio;
      const std::string what = std::to_string(a) + ", " + std::to_string(x);
      const double p = boost::math::gamma_p(a, x), q = boost::math::gamma_q(a, x);
      EXPECT_NEAR(gamma_p(f64(a), f64(x)).item(), p, 1e-12 * std::max(p, 1e-12)) << what;
      EXPECT_NEAR(gamma_q(f64(a), f64(x)).item(), q, 1e-12 * std::max(q, 1e-12)) << what;
    }
  }
  EXPECT_EQ(gamma_p(f64(2.0), f64(0.0)).item(), 0.0);
  EXPECT_EQ(gamma_p(f64(2.0), f64(kInfinity)).item(), 1.0);
  EXPECT_EQ(gamma_q(f64(2.0), f64(kInfinity)).item(), 0.0);
  EXPECT_TRUE(std::isnan(gamma_p(f64(-2.0), f64(1.0)).item()));
  EXPECT_TRUE(std::isnan(gamma_p(f64(2.0), f64(-1.0)).item()));
}

// dP/da by differences in 50 digits.
TEST(Special, IncompleteGammaByItsShape) {
  for (const double a : {1e-2, 0.4, 1.0, 7.5, 120.0, 3000.0}) {
    for (const double ratio : {0.1, 0.9, 1.0, 1.1, 3.0}) {
      const double x = a * ratio;
      const Wide h = Wide(a) * 1e-15;
      const Wide wide = x;
      const double expected = static_cast<double>(Wide(
          (boost::math::gamma_p(Wide(Wide(a) + h), wide) - boost::math::gamma_p(Wide(Wide(a) - h), wide)) /
          (2 * h)));
      const double slope = grad(f64(a), [&](const Tensor& t) { return gamma_p(t, f64(x)); }).item();
      if (std::abs(expected) < 1e-280) continue;
      expect_relative(slope, expected, 1e-10, "dP/da at " + std::to_string(a) + ", " + std::to_string(x));
      const double other = grad(f64(a), [&](const Tensor& t) { return gamma_q(t, f64(x)); }).item();
      EXPECT_EQ(other, -slope);
    }
  }
}

TEST(Special, IncompleteBetaByItsParameters) {
  const double shapes[][2] = {{0.02, 0.5}, {0.4, 3.0},    {1.0, 1.0},
                              {7.5, 2.0},  {200.0, 40.0}, {3000.0, 3000.0}};
  for (const auto& [a, b] : shapes) {
    for (const double q : {0.02, 0.3, 0.5, 0.7, 0.98}) {
      const double x = q < 0.5 ? q * a / (a + b) * 2 : 1.0 - (1.0 - q) * b / (a + b) * 2;
      const std::string what = std::to_string(a) + ", " + std::to_string(b) + " at " + std::to_string(x);
      EXPECT_NEAR(incomplete_beta(f64(a), f64(b), f64(x)).item(), boost::math::ibeta(a, b, x), 1e-12) << what;
      const Wide h = 1e-15, wide = x;
      const auto at = [&](const Wide& da, const Wide& db) {
        return boost::math::ibeta(Wide(Wide(a) + da * a), Wide(Wide(b) + db * b), wide);
      };
      const auto by_a = static_cast<double>(Wide((at(h, 0) - at(-h, 0)) / (2 * h * a)));
      const auto by_b = static_cast<double>(Wide((at(0, h) - at(0, -h)) / (2 * h * b)));
      const auto slopes = grad(std::vector<Tensor>{f64(a), f64(b)},
                               [&](In p) { return incomplete_beta(p[0], p[1], f64(x)); });
      if (std::abs(by_a) > 1e-250) expect_relative(slopes[0].item(), by_a, 1e-9, "by a: " + what);
      if (std::abs(by_b) > 1e-250) expect_relative(slopes[1].item(), by_b, 1e-9, "by b: " + what);
    }
  }
}

TEST(Special, Gradients) {
  const Tensor a = tensor({0.4, 1.0, 3.0, 12.0}, DType::f64), x = tensor({0.3, 1.7, 2.0, 20.0}, DType::f64);
  check_gradients("gamma_p", [](In t) { return gamma_p(t[0], t[1]); }, {a, x}, {.tolerance = 1e-5});
  check_gradients("gamma_q", [](In t) { return gamma_q(t[0], t[1]); }, {a, x}, {.tolerance = 1e-5});
  check_gradients("broadcast", [](In t) { return gamma_p(t[0], unsqueeze(t[1], 1)); }, {a, x},
                  {.tolerance = 1e-5});
  const Tensor b = tensor({2.0, 0.7, 5.0, 3.0}, DType::f64), p = tensor({0.1, 0.5, 0.3, 0.9}, DType::f64);
  check_gradients("incomplete_beta", [](In t) { return incomplete_beta(t[0], t[1], t[2]); }, {a, b, p},
                  {.tolerance = 1e-5});
  check_gradients("von_mises_cdf", [](In t) { return von_mises_cdf(t[0], t[1]); },
                  {tensor({-3.0, -0.2, 0.0, 1.5}, DType::f64), tensor({0.5, 3.0, 1.0, 8.0}, DType::f64)});
  check_gradients("cauchy_cdf", [](In t) { return cauchy_cdf(t[0]); }, {numbers({5}, 3.0)});
  check_gradients("student_t_cdf", [](In t) { return student_t_cdf(t[0], t[1]); }, {numbers({4}, 3.0), a},
                  {.tolerance = 1e-5});
  check_gradients("poisson_entropy", [](In t) { return poisson_entropy(t[0]); }, {a});
  check_gradients("log_beta", [](In t) { return log_beta(t[0], t[1]); }, {a, b});
}

TEST(Special, TailsKeepTheirDigits) {
  for (const double x : {-1e3, -40.0, -1.0, 0.0, 2.0}) {
    const boost::math::students_t law(2.5);
    expect_relative(student_t_cdf(f64(x), f64(2.5)).item(), cdf(law, x), 1e-13, std::to_string(x));
  }
  expect_relative(cauchy_cdf(f64(-1e10)).item(), 1e-10 / std::numbers::pi, 1e-14, "cauchy");
  EXPECT_EQ(von_mises_cdf(f64(-4.0), f64(1.0)).item(), 0.0);
  EXPECT_EQ(von_mises_cdf(f64(4.0), f64(1.0)).item(), 1.0);
  EXPECT_NEAR(von_mises_cdf(f64(0.0), f64(1e8)).item(), 0.5, 1e-14);
  // Large concentrations are nearly normal.
  EXPECT_NEAR(von_mises_cdf(f64(-2e-4), f64(1e8)).item(), normal_cdf(f64(-2.0)).item(), 1e-8);
}

TEST(Special, TypesAndRefusals) {
  EXPECT_EQ(gamma_p(tensor({1.0, 2.0}), tensor(1.0)).dtype(), DType::f32);
  EXPECT_EQ(gamma_p(tensor({1, 2}), tensor(1)).dtype(), DType::f32);
  EXPECT_EQ(gamma_p(tensor({1.0, 2.0}), f64(1.0)).dtype(), DType::f64);
  expect_refusal([] { gamma_p(ones({2}), ones({3})); }, "[gamma_p] shapes do not broadcast: (2,) and (3,)");
  const auto third = [] {
    grad(f64(1.5), [](const Tensor& a) {
      return grad(
          a, [](const Tensor& b) { return grad(b, [](const Tensor& c) { return gamma_p(c, f64(2.0)); }); });
    });
  };
  expect_refusal(third, "[gamma_p] derivatives by the parameters are known up to the second");
}

TEST(Reparameterize, Refusals) {
  expect_refusal(
      [] {
        random_log_gamma(Rng(1), tensor({1.0, 0.0}));
      },
      "[random_log_gamma] alpha must be finite and above 0, got 0 at (1,)");
  expect_refusal([] { random_logit_beta(Rng(1), tensor({1.0}), tensor({-1.0})); },
                 "[random_logit_beta] beta must be finite and above 0, got -1 at (0,)");
  expect_refusal([] { random_von_mises(Rng(1), tensor({-1.0})); },
                 "[random_von_mises] kappa must be finite and not below 0, got -1 at (0,)");
}

// Shapes from very small to very large: the slope of the logarithm against known limits.
TEST(Reparameterize, LimitsOfTheGammaSlope) {
  const auto slope_and_value = [](double a) {
    const auto result = value_and_grad(f64(a), [](const Tensor& t) { return random_log_gamma(Rng(3), t); });
    return std::pair(result.value.item(), result.gradient.item());
  };
  // For small a, P = x^a / Gamma(a + 1): d log x / da = (digamma(a + 1) - log x) / a.
  const auto [log_x, small] = slope_and_value(1e-6);
  EXPECT_NEAR(small, (-0.57721566490153286 - log_x) / 1e-6, 1e-6 * std::abs(small));
  // For large a, x / a = 1 + z / sqrt(a): d log x / da = 1 / a (1 - z / (2 sqrt(a))).
  for (const double a : {1e6, 2e7, 1e10}) {
    const auto [value, slope] = slope_and_value(a);
    const double z = (std::exp(value - std::log(a)) - 1.0) * std::sqrt(a);
    EXPECT_NEAR(slope * a, 1.0 - z / (2.0 * std::sqrt(a)), 10.0 / a) << a;
  }
}

}  // namespace
}  // namespace likely
