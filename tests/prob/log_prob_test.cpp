// Densities, distribution functions, moments and entropies against Boost.Math and quadrature.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/laws.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::Law;
using testing::laws;
using testing::scalars;
using testing::total;
using In = const std::vector<Tensor>&;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// |computed - expected| <= tolerance max(1, |expected|)
void expect_close(double computed, double expected, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(computed - expected), tolerance * std::max(1.0, std::abs(expected)))
      << what << ": computed " << computed << ", expected " << expected;
}

std::string describe(const Law& law, const std::vector<double>& values) {
  std::string text = law.name + "(";
  for (const double v : values) text += std::to_string(v) + " ";
  return text + ")";
}

template <class Check>
void for_each_setting(const Check& check) {
  for (const Law& law : laws()) {
    for (const auto& values : law.settings) check(law, values, describe(law, values));
  }
}

TEST(LogProb, AgainstBoost) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    const Tensor computed = law.log_prob(scalars(values), tensor(law.points));
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      const double density = law.density(values, law.points[i]);
      // Far out Boost's density has no digits left to take a logarithm of.
      if (density < 1e-290) continue;
      expect_close(computed.to_vector<double>()[i], std::log(density), 1e-10,
                   what + " at " + std::to_string(law.points[i]));
    }
  });
}

TEST(LogProb, InSinglePrecision) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    testing::Parameters parameters;
    for (const Tensor& p : scalars(values)) parameters.push_back(p.to(DType::f32));
    const Tensor computed = law.log_prob(parameters, tensor(law.points).to(DType::f32));
    EXPECT_EQ(computed.dtype(), DType::f32) << what;
    const Tensor wide = law.log_prob(scalars(values), tensor(law.points));
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      expect_close(computed.to_vector<double>()[i], wide.to_vector<double>()[i], 3e-5,
                   what + " at " + std::to_string(law.points[i]));
    }
  });
}

TEST(LogProb, WholeNumbersWillDo) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    const Tensor whole = law.log_prob(scalars(values), tensor({1, 1}));
    const Tensor same = law.log_prob(scalars(values), tensor({1.0, 1.0}, DType::f64));
    for (std::int64_t i = 0; i < 2; ++i) {
      if (std::isfinite(same.at({i}))) expect_close(whole.at({i}), same.at({i}), 1e-14, what);
    }
  });
}

TEST(LogProb, FirstAndSecondDerivatives) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    if (law.discrete) {
      check_gradients(
          what, [&](In p) { return law.log_prob(p, tensor(law.points)); }, scalars(values));
      return;
    }
    check_gradients(
        what, [&](In p) { return law.log_prob(testing::Parameters(p.begin(), p.end() - 1), p.back()); },
        [&] {
          testing::Parameters all = scalars(values);
          all.push_back(tensor(law.points));
          return all;
        }(),
        {.tolerance = 1e-5});
  });
}

TEST(LogProb, ParametersBroadcast) {
  const Tensor x = tensor({0.1, 0.5, 0.9}, DType::f64);
  for (const Law& law : laws()) {
    if (law.discrete) continue;
    testing::Parameters columns, first = scalars(law.settings[0]);
    for (const Tensor& p : first) columns.push_back(reshape(p, {1, 1}) + zeros({2, 1}, DType::f64));
    const Tensor table = law.log_prob(columns, x);
    EXPECT_EQ(table.shape(), (Shape{2, 3})) << law.name;
    const Tensor row = law.log_prob(first, x);
    EXPECT_TRUE(allclose(table, row, 1e-14, 1e-14)) << law.name;
    EXPECT_EQ(law.mean(columns).shape(), (Shape{2, 1})) << law.name;
    EXPECT_EQ(law.variance(columns).shape(), (Shape{2, 1})) << law.name;
    EXPECT_EQ(law.entropy(columns).shape(), (Shape{2, 1})) << law.name;
    EXPECT_EQ(law.sample(columns, Rng(1), {4, 5}).shape(), (Shape{4, 5, 2, 1})) << law.name;
  }
}

TEST(LogProb, OutsideTheSupportNothingIsLikelyAndNothingHasASlope) {
  for (const char* name : {"LogNormal", "Exponential", "Gamma", "InverseGamma", "Beta", "Uniform"}) {
    for (const Law& law : laws()) {
      if (law.name != name) continue;
      const testing::Parameters p = scalars(law.settings[0]);
      for (const double x : {-100.0, -7.0, law.name == "Beta" ? 1.5 : law.name == "Uniform" ? 5.0 : -0.5}) {
        EXPECT_EQ(law.log_prob(p, tensor(x, DType::f64)).item(), -kInfinity) << name << x;
        const auto slopes = grad(p, [&](In q) { return law.log_prob(q, tensor(x, DType::f64)); });
        for (const Tensor& slope : slopes) EXPECT_EQ(slope.item(), 0.0) << name << x;
        EXPECT_EQ(law.cdf(p, tensor(x, DType::f64)).item(), x > 0 ? 1.0 : 0.0) << name << x;
      }
    }
  }
  for (const double x : {-1.0, 0.5, 2.25}) {
    EXPECT_EQ(Poisson(3.0).log_prob(tensor(x)).item(), -kInfinity) << x;
  }
}

TEST(LogProb, NotANumberStaysOne) {
  for (const Law& law : laws()) {
    if (law.name == "Bernoulli") continue;  // refused, see refusal_test.cpp
    const Tensor nan = tensor(std::numeric_limits<double>::quiet_NaN(), DType::f64);
    EXPECT_TRUE(std::isnan(law.log_prob(scalars(law.settings[0]), nan).item())) << law.name;
  }
}

TEST(LogProb, NothingIsInfinitelyLarge) {
  for (const Law& law : laws()) {
    if (law.name == "Bernoulli" || law.name == "VonMises") continue;
    for (const auto& values : law.settings) {
      const Tensor infinite = tensor(kInfinity, DType::f64);
      EXPECT_EQ(law.log_prob(scalars(values), infinite).item(), -kInfinity) << describe(law, values);
    }
  }
}

TEST(LogProb, OfNothing) {
  for (const Law& law : laws()) {
    const testing::Parameters p = scalars(law.settings[0]);
    EXPECT_EQ(law.log_prob(p, zeros({0}, DType::f64)).shape(), Shape{0}) << law.name;
    EXPECT_EQ(law.sample(p, Rng(1), {0, 3}).shape(), (Shape{0, 3})) << law.name;
    testing::Parameters none;
    for (const Tensor& t : p) none.push_back(t + zeros({0}, DType::f64));
    EXPECT_EQ(law.log_prob(none, tensor(1.0, DType::f64)).shape(), Shape{0}) << law.name;
    EXPECT_EQ(law.entropy(none).shape(), Shape{0}) << law.name;
    EXPECT_EQ(law.sample(none, Rng(1), {2}).shape(), (Shape{2, 0})) << law.name;
  }
}

TEST(LogProb, LargeParametersInSinglePrecision) {
  const auto wide = [](double x) { return tensor(x, DType::f64); };
  // Far out Student's t is normal; the constant of the density must not be lost in rounding.
  for (const double degrees : {1e3, 1e5, 1e8}) {
    const double exact = StudentT(wide(degrees), 0.0, 1.0).log_prob(wide(0.5)).item();
    EXPECT_NEAR(StudentT(degrees, 0.0, 1.0).log_prob(tensor(0.5)).item(), exact, 1e-5) << degrees;
    EXPECT_NEAR(exact, Normal(wide(0.0), 1.0).log_prob(wide(0.5)).item(), 1.0 / degrees) << degrees;
  }
}

TEST(Cdf, AgainstBoost) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    const Tensor computed = law.cdf(scalars(values), tensor(law.points));
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      if (law.name == "VonMises" && std::abs(law.points[i] - values[0]) > 3.14) continue;
      EXPECT_NEAR(computed.to_vector<double>()[i], law.distribution(values, law.points[i]), 1e-12)
          << what << " at " << law.points[i];
    }
  });
}

TEST(Cdf, FirstAndSecondDerivatives) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    if (law.discrete) {
      check_gradients(
          what, [&](In p) { return law.cdf(p, tensor(law.points)); }, scalars(values));
      return;
    }
    testing::Parameters all = scalars(values);
    all.push_back(tensor(law.points));
    check_gradients(what,
                    [&](In p) { return law.cdf(testing::Parameters(p.begin(), p.end() - 1), p.back()); }, all,
                    {.tolerance = 1e-5});
  });
}

TEST(Moments, AgainstQuadrature) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    EXPECT_NEAR(total(law, values, [&](double x) { return law.density(values, x); }), 1.0, 1e-9) << what;
    const double mean = law.mean(scalars(values)).item();
    const double variance = law.variance(scalars(values)).item();
    if (law.name == "VonMises") {
      EXPECT_EQ(mean, values[0]);
      const double cosine =
          total(law, values, [&](double x) { return law.density(values, x) * std::cos(x - values[0]); });
      EXPECT_NEAR(variance, 1.0 - cosine, 1e-10) << what;
      return;
    }
    if (!std::isfinite(mean)) return;  // see below
    const auto first = [&](double x) { return law.density(values, x) * x; };
    expect_close(mean, total(law, values, first), 1e-8, what + " mean");
    if (!std::isfinite(variance)) return;
    const auto second = [&](double x) { return law.density(values, x) * (x - mean) * (x - mean); };
    expect_close(variance, total(law, values, second), 1e-6, what + " variance");
  });
}

TEST(Moments, WhereThereAreNone) {
  EXPECT_TRUE(std::isnan(Cauchy(0.0, 1.0).mean().item()));
  EXPECT_TRUE(std::isnan(Cauchy(0.0, 1.0).variance().item()));
  EXPECT_TRUE(std::isnan(StudentT(1.0, 0.0, 1.0).mean().item()));
  EXPECT_TRUE(std::isnan(StudentT(1.0, 0.0, 1.0).variance().item()));
  EXPECT_EQ(StudentT(1.5, 0.0, 1.0).mean().item(), 0.0);
  EXPECT_EQ(StudentT(1.5, 0.0, 1.0).variance().item(), kInfinity);
  EXPECT_EQ(InverseGamma(1.0, 1.0).mean().item(), kInfinity);
  EXPECT_EQ(InverseGamma(1.5, 1.0).variance().item(), kInfinity);
  EXPECT_NEAR(InverseGamma(1.5, 1.0).mean().item(), 2.0, 1e-6);
}

TEST(Entropy, AgainstQuadrature) {
  for_each_setting([](const Law& law, const auto& values, const std::string& what) {
    const double expected = total(law, values, [&](double x) {
      const double p = law.density(values, x);
      return p > 0.0 ? -p * std::log(p) : 0.0;
    });
    expect_close(law.entropy(scalars(values)).item(), expected, 1e-8, what);
    check_gradients(what + " entropy", [&](In p) { return law.entropy(p); }, scalars(values),
                    {.tolerance = 1e-5});
  });
  // Above 1000 a series takes over.
  for (const double rate : {999.0, 1001.0, 5000.0}) {
    double sum = 0.0;
    for (double k = 0; k < 8000; k += 1.0) {
      const double log_p = k * std::log(rate) - rate - std::lgamma(k + 1.0);
      sum -= std::exp(log_p) * log_p;
    }
    EXPECT_NEAR(Poisson(tensor(rate, DType::f64)).entropy().item(), sum, 1e-9) << rate;
  }
}

TEST(LogProb, TheSameBitsOnAnyNumberOfThreads) {
  const int saved = threads();
  for (const Law& law : laws()) {
    const testing::Parameters p = scalars(law.settings[0]);
    std::vector<Tensor> results;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      const Tensor x = law.sample(p, Rng(3), {20'000});
      results.push_back(law.log_prob(p, x));
      EXPECT_TRUE(array_equal(results.front(), results.back())) << law.name << " on " << count;
    }
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely
