// Do samples follow the distribution functions, and how do they move with the parameters?
#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/laws.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using kernels::kolmogorov_smirnov;
using testing::Law;
using testing::laws;
using testing::scalars;
using In = const std::vector<Tensor>&;

// Keys are fixed, so a probability above this one is the same in every run.
constexpr double kLeast = 0.001;
constexpr std::int64_t kMany = 20'000;

TEST(Sample, FollowsTheDistributionFunction) {
  for (const Law& law : laws()) {
    for (const auto& values : law.settings) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        testing::Parameters parameters;
        for (const Tensor& p : scalars(values)) parameters.push_back(p.to(dtype));
        const Tensor samples = law.sample(parameters, Rng(11), {kMany});
        EXPECT_EQ(samples.shape(), Shape{kMany});
        EXPECT_EQ(samples.track().tape, 0U);
        const std::vector<double> drawn = samples.to_vector<double>();
        if (law.discrete) {
          const auto last = static_cast<std::size_t>(*std::max_element(drawn.begin(), drawn.end()));
          std::vector<double> counts(last + 1), expected(last + 1);
          for (const double x : drawn) counts[static_cast<std::size_t>(x)] += 1;
          for (std::size_t k = 0; k <= last; ++k) {
            expected[k] = law.density(values, static_cast<double>(k)) * kMany;
          }
          // Rare numbers are counted together.
          std::vector<double> many{0.0}, of{0.0};
          for (std::size_t k = 0; k <= last; ++k) {
            if (of.back() >= 20.0) {
              many.push_back(0.0);
              of.push_back(0.0);
            }
            many.back() += counts[k];
            of.back() += expected[k];
          }
          if (of.back() < 20.0 && of.size() > 1) {
            many[many.size() - 2] += many.back();
            of[of.size() - 2] += of.back();
            many.pop_back();
            of.pop_back();
          }
          EXPECT_GT(chi_square(many, of), kLeast) << law.name << " " << values[0];
        } else if (law.name == "VonMises") {
          // Boost has no von Mises law: a table of the quadrature is quick enough.
          const Tensor at = law.cdf(scalars(values), samples.to(DType::f64));
          EXPECT_GT(kolmogorov_smirnov(at.to_vector<double>(), [](double p) { return p; }), kLeast)
              << law.name << " " << values[1];
        } else {
          const auto cdf = [&](double x) { return law.distribution(values, x); };
          EXPECT_GT(kolmogorov_smirnov(drawn, cdf), kLeast) << law.name << " " << values[0];
        }
      }
    }
  }
}

// While a parameter moves, the probability below the sample stays: dx/dtheta = -(dF/dtheta) / p. The right
// side is by differences of Boost's distribution function.
TEST(Rsample, MovesAsTheQuantileDoes) {
  for (const Law& law : laws()) {
    if (!law.rsample) continue;
    for (const auto& values : law.settings) {
      const Tensor drawn = law.rsample(scalars(values), Rng(5), {12});
      for (std::int64_t i = 0; i < drawn.size(); ++i) {
        const auto slopes = grad(scalars(values), [&](In p) {
          return select(law.rsample(testing::Parameters(p.begin(), p.end()), Rng(5), {12}), 0, i);
        });
        const double x = drawn.at({i});
        for (std::size_t which = 0; which < values.size(); ++which) {
          const double step = 1e-5 * std::max(1.0, std::abs(values[which]));
          const auto at = [&](double by) {
            std::vector<double> moved = values;
            moved[which] += by;
            return law.distribution(moved, x);
          };
          // Richardson's extrapolation of central differences.
          const double wide = (at(2 * step) - at(-2 * step)) / (4 * step);
          const double narrow = (at(step) - at(-step)) / (2 * step);
          const double expected = -(4 * narrow - wide) / 3 / law.density(values, x);
          const double tolerance = 1e-5 * std::max({1.0, std::abs(expected), 1e-5 / law.density(values, x)});
          EXPECT_NEAR(slopes[which].item(), expected, tolerance)
              << law.name << " " << values[0] << ", parameter " << which << " at " << x;
        }
      }
    }
  }
}

// The second derivative, with all parameters moved at once, against differences of Boost's quantile.
TEST(Rsample, BendsAsTheQuantileDoes) {
  for (const Law& law : laws()) {
    if (!law.rsample || !law.quantile) continue;
    for (const auto& values : law.settings) {
      const auto one = [&](In p) { return select(law.rsample(p, Rng(5), {3}), 0, 1); };
      const double x = one(scalars(values)).item();
      const double probability = law.distribution(values, x);
      double h = 2e-4;
      for (const double v : values) h = v == 0.0 ? h : std::min(h, 2e-4 * std::abs(v));
      const auto moved = [&](double by) {
        std::vector<double> there = values;
        for (double& v : there) v += by;
        return law.quantile(there, probability);
      };
      const double expected = (moved(h) - 2.0 * moved(0.0) + moved(-h)) / (h * h);
      const auto second = grad(scalars(values), [&](In p) {
        Tensor along = tensor(0.0, DType::f64);
        for (const Tensor& slope : grad(std::vector<Tensor>(p), one)) along = along + slope;
        return along;
      });
      double computed = 0.0;
      for (const Tensor& s : second) computed += s.item();
      // What rounding of the quantile leaves of a second difference.
      const double noise = 1e-14 * std::abs(x) / (h * h);
      EXPECT_NEAR(computed, expected, 1e-5 * std::max(1.0, std::abs(expected)) + noise)
          << law.name << " " << values[0] << " at " << x;
    }
  }
}

TEST(Rsample, TheSameBitsOnAnyNumberOfThreads) {
  const int saved = threads();
  for (const Law& law : laws()) {
    if (!law.rsample) continue;
    std::vector<Tensor> gradients;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      gradients.push_back(grad(scalars(law.settings[0]), [&](In p) {
                            return mean(
                                law.rsample(testing::Parameters(p.begin(), p.end()), Rng(3), {9'000}));
                          }).back());
      EXPECT_TRUE(array_equal(gradients.front(), gradients.back())) << law.name << " on " << count;
    }
  }
  set_threads(saved);
}

TEST(Sample, SmallShapesDoNotReachTheEnds) {
  const Tensor x = Gamma(full({1000}, 1e-3), 1.0).sample(Rng(1));
  for (const double v : x.to_vector<double>()) ASSERT_GT(v, 0.0);
  const Tensor y = Beta(full({1000}, 1e-3), 2e-3).sample(Rng(1));
  for (const double v : y.to_vector<double>()) ASSERT_TRUE(v > 0.0 && v < 1.0);
}

TEST(Sample, TheSameKeyDrawsTheSame) {
  const Normal law(0.0, 1.0);
  Rng rng(1);
  EXPECT_TRUE(array_equal(law.sample(rng, {5}), law.sample(rng, {5})));
  EXPECT_FALSE(array_equal(law.sample(rng.split(), {5}), law.sample(rng.split(), {5})));
}

}  // namespace
}  // namespace likely
