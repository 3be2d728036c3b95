// Are the draws of Rng distributed as they should be? The laws come from Boost.
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/extreme_value.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "likely/core/create.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "tests/kernels/random_checks.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using kernels::kolmogorov_smirnov;

constexpr std::int64_t kMany = 200'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Keys are fixed, so a probability above this one is the same in every run.
constexpr double kLeast = 0.001;

template <class Law>
double agreement(const Tensor& samples, const Law& law) {
  return kolmogorov_smirnov(samples.to_vector<double>(), [&](double x) { return boost::math::cdf(law, x); });
}

// Counts of the whole numbers first ... first + k - 1, everything outside put into the ends.
std::vector<double> counts(const Tensor& samples, std::int64_t first, std::int64_t k) {
  std::vector<double> result(static_cast<std::size_t>(k));
  for (const std::int64_t x : samples.to_vector<std::int64_t>()) {
    result[static_cast<std::size_t>(std::clamp<std::int64_t>(x - first, 0, k - 1))] += 1;
  }
  return result;
}

class RngLaws : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, RngLaws, ::testing::Values(DType::f32, DType::f64),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST_P(RngLaws, Uniform) {
  Rng rng(1);
  const Tensor x = rng.uniform({kMany}, -2.0, 3.0, GetParam());
  EXPECT_GT(kolmogorov_smirnov(x.to_vector<double>(), [](double v) { return (v + 2.0) / 5.0; }), kLeast);
  for (const double v : x.to_vector<double>()) ASSERT_TRUE(v >= -2.0 && v < 3.0);
}

TEST_P(RngLaws, UniformNeverReachesItsUpperEnd) {
  Rng rng(1);
  // Few numbers lie between the ends, so rounding up to the end would be common.
  const double high = GetParam() == DType::f32 ? 1.0 + 0x1p-21 : 1.0 + 0x1p-50;
  for (const double v : rng.uniform({kMany}, 1.0, high, GetParam()).to_vector<double>()) {
    ASSERT_TRUE(v >= 1.0 && v < high);
  }
}

TEST_P(RngLaws, Normal) {
  Rng rng(2);
  const Tensor x = rng.normal({kMany}, 3.0, 0.5, GetParam());
  EXPECT_GT(agreement(x, boost::math::normal(3.0, 0.5)), kLeast);
  for (const double v : rng.normal({10}, 3.0, 0.0).to_vector<double>()) EXPECT_EQ(v, 3.0);
}

TEST_P(RngLaws, ExponentialAndGumbel) {
  Rng rng(3);
  EXPECT_GT(agreement(rng.exponential({kMany}, 1.0, GetParam()), boost::math::exponential(1.0)), kLeast);
  EXPECT_GT(agreement(rng.exponential({kMany}, 4.0, GetParam()), boost::math::exponential(4.0)), kLeast);
  EXPECT_GT(agreement(rng.gumbel({kMany}, GetParam()), boost::math::extreme_value(0.0, 1.0)), kLeast);
}

TEST_P(RngLaws, ExponentialResolvesBothTails) {
  Rng rng(4);
  // The least of n standard exponentials times n is standard exponential again, however small it is.
  std::vector<double> least, most;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const std::vector<double> x = rng.exponential({20'000}, 1.0, GetParam()).to_vector<double>();
    least.push_back(*std::min_element(x.begin(), x.end()) * 20'000.0);
    most.push_back(*std::max_element(x.begin(), x.end()));
  }
  EXPECT_GT(kolmogorov_smirnov(least, [](double v) { return -std::expm1(-v); }), kLeast);
  EXPECT_GT(kolmogorov_smirnov(most, [](double v) { return std::pow(-std::expm1(-v), 20'000.0); }), kLeast);
  std::sort(least.begin(), least.end());
  EXPECT_EQ(std::adjacent_find(least.begin(), least.end()), least.end()) << "too few different numbers";
}

TEST_P(RngLaws, TruncatedNormal) {
  Rng rng(5);
  const boost::math::normal law(1.0, 2.0);
  const auto check = [&](double low, double high) {
    const Tensor x = rng.truncated_normal({kMany / 4}, low, high, 1.0, 2.0, GetParam());
    // In the far tail only the complement keeps its digits.
    const double from = cdf(complement(law, low)), to = cdf(complement(law, high));
    EXPECT_GT(kolmogorov_smirnov(x.to_vector<double>(),
                                 [&](double v) { return (from - cdf(complement(law, v))) / (from - to); }),
              kLeast)
        << low << ", " << high;
    for (const double v : x.to_vector<double>()) {
      ASSERT_TRUE(v >= low - 1e-5 && v <= high + 1e-5) << v;
    }
  };
  check(-1.0, 2.0);
  check(0.0, kInfinity);
  check(-kInfinity, 0.0);
  check(6.0, 7.0);
  check(20.0, kInfinity);
}

TEST_P(RngLaws, TruncatedNormalBelowTheMeanMirrorsTheOneAbove) {
  Rng a(5), b(5);
  const std::vector<double> above =
      a.truncated_normal({1000}, 2.0, 3.0, 0.0, 1.0, GetParam()).to_vector<double>();
  const std::vector<double> below =
      b.truncated_normal({1000}, -3.0, -2.0, 0.0, 1.0, GetParam()).to_vector<double>();
  for (std::size_t i = 0; i < above.size(); ++i) EXPECT_EQ(above[i], -below[i]);
}

TEST_P(RngLaws, Gamma) {
  Rng rng(6);
  for (const double alpha : {0.1, 0.5, 1.0, 2.5, 100.0}) {
    EXPECT_GT(agreement(rng.gamma({kMany / 4}, alpha, GetParam()), boost::math::gamma_distribution<>(alpha)),
              kLeast)
        << alpha;
  }
}

TEST_P(RngLaws, Beta) {
  Rng rng(7);
  const double shapes[][2] = {{0.5, 0.5}, {1.0, 1.0}, {2.0, 5.0}, {30.0, 0.7}};
  for (const auto& [a, b] : shapes) {
    const Tensor x = rng.beta({kMany / 4}, a, b, DType::f64).to(GetParam());
    EXPECT_GT(agreement(x, boost::math::beta_distribution<>(a, b)), kLeast) << a << ", " << b;
  }
  // So small that both gamma variates would round to 0.
  double ones = 0;
  for (const double v : rng.beta({20'000}, 1e-4, 1e-4, GetParam()).to_vector<double>()) {
    ASSERT_TRUE(v >= 0.0 && v <= 1.0);
    ones += v > 0.5 ? 1 : 0;
  }
  EXPECT_NEAR(ones / 20'000, 0.5, 0.015);
}

TEST(RngParameters, BroadcastAndVary) {
  Rng rng(8);
  const Tensor x = rng.beta(tensor({{1.0}, {50.0}}), tensor({1.0, 50.0, 1.0}));
  EXPECT_EQ(x.shape().string(), "(2, 3)");
  const Tensor y = rng.gamma(expand(tensor({1.0, 1000.0}), {500, 2}));
  double mean[2] = {0, 0};
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 2; ++k) mean[k] += y.at({i, k}) / 500;
  }
  EXPECT_NEAR(mean[0], 1.0, 0.2);
  EXPECT_NEAR(mean[1], 1000.0, 6.0);
  EXPECT_EQ(rng.gamma(tensor({1, 2})).dtype(), DType::f32);
}

TEST(RngCounts, Bernoulli) {
  Rng rng(9);
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    for (const double p : {0.01, 0.3, 0.999}) {
      const std::vector<double> seen = counts(rng.bernoulli({kMany}, p, dtype), 0, 2);
      EXPECT_GT(chi_square(seen, {kMany * (1 - p), kMany * p}), kLeast) << p;
    }
    EXPECT_EQ(counts(rng.bernoulli({1000}, 0.0, dtype), 0, 2)[1], 0);
    EXPECT_EQ(counts(rng.bernoulli({1000}, 1.0, dtype), 0, 2)[0], 0);
  }
}

TEST(RngCounts, BernoulliWithAProbabilityForEach) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Rng rng(10);
    const Tensor p = tensor({0.0, 0.2, 0.9, 1.0}).to(dtype);
    const Tensor x = transpose(rng.bernoulli(expand(p, {50'001, 4})));
    EXPECT_EQ(x.dtype(), dtype);
    EXPECT_EQ(counts(select(x, 0, 0), 0, 2)[1], 0);
    EXPECT_GT(chi_square(counts(select(x, 0, 1), 0, 2), {50'001 * 0.8, 50'001 * 0.2}), kLeast);
    EXPECT_GT(chi_square(counts(select(x, 0, 2), 0, 2), {50'001 * 0.1, 50'001 * 0.9}), kLeast);
    EXPECT_EQ(counts(select(x, 0, 3), 0, 2)[0], 0);
  }
}

TEST(RngCounts, Categorical) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Rng rng(11);
    const Tensor row =
        tensor({std::log(0.1) + 1e4, -kInfinity, std::log(0.6) + 1e4, std::log(0.3) + 1e4}, DType::f64);
    // Near 1e4 an f32 logit has three digits behind the point.
    const Tensor logits =
        (dtype == DType::f32 ? tensor({std::log(0.1), -kInfinity, std::log(0.6), std::log(0.3)}) : row);
    const Tensor x = rng.categorical(expand(logits, {300, 200, 4}));
    EXPECT_EQ(x.shape().string(), "(300, 200)");
    const std::vector<double> seen = counts(x, 0, 4);
    EXPECT_EQ(seen[1], 0);
    EXPECT_GT(chi_square({seen[0], seen[2], seen[3]}, {6'000, 36'000, 18'000}), kLeast);
  }
}

TEST(RngCounts, Randint) {
  Rng rng(12);
  EXPECT_GT(chi_square(counts(rng.randint(-3, 8, {110'000}), -3, 11), std::vector<double>(11, 10'000.0)),
            kLeast);
  for (const std::int64_t x : rng.randint(-3, 8, {1000}).to_vector<std::int64_t>()) {
    ASSERT_TRUE(x >= -3 && x < 8);
  }
  // A range of three quarters of all numbers: multiplying 64 bits alone would favour every third.
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t high = std::int64_t{1} << 62;
  std::vector<double> thirds(3);
  for (const std::int64_t x : rng.randint(least, high, {90'000}).to_vector<std::int64_t>()) {
    thirds[static_cast<std::size_t>((static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(least)) %
                                    3)] += 1;
  }
  EXPECT_GT(chi_square(thirds, {30'000, 30'000, 30'000}), kLeast);
}

TEST(RngCounts, Bits) {
  Rng rng(13);
  std::vector<double> ones(64);
  const std::vector<std::int64_t> x = rng.bits({20'000}).to_vector<std::int64_t>();
  for (const std::int64_t word : x) {
    for (int bit = 0; bit < 64; ++bit) {
      ones[static_cast<std::size_t>(bit)] +=
          static_cast<double>((static_cast<std::uint64_t>(word) >> bit) & 1);
    }
  }
  for (const double count : ones) EXPECT_NEAR(count / 20'000, 0.5, 0.018);
}

TEST(RngCounts, Poisson) {
  Rng rng(14);
  for (const double rate : {0.3, 4.0, 9.99, 10.0, 150.0, 3000.0}) {
    const auto low = std::max<std::int64_t>(0, static_cast<std::int64_t>(rate - 2.5 * std::sqrt(rate)));
    const auto bins = static_cast<std::int64_t>(rate + 2.5 * std::sqrt(rate)) + 1 - low;
    const boost::math::poisson law(rate);
    std::vector<double> expected;
    for (std::int64_t k = 0; k < bins; ++k) {
      const auto value = static_cast<double>(low + k);
      expected.push_back(kMany * (k == 0          ? cdf(law, value)
                                  : k == bins - 1 ? cdf(complement(law, value - 1))
                                                  : pdf(law, value)));
    }
    EXPECT_GT(chi_square(counts(rng.poisson({kMany}, rate), low, bins), expected), kLeast) << rate;
  }
  EXPECT_EQ(rng.poisson({}, 0.0).item(), 0);
  EXPECT_NEAR(rng.poisson({}, 1e12).item(), 1e12, 6e6);
}

TEST(RngCounts, Permutation) {
  Rng rng(15);
  std::map<std::vector<std::int64_t>, double> seen;
  for (int repeat = 0; repeat < 24'000; ++repeat) seen[rng.permutation(4).to_vector<std::int64_t>()] += 1;
  EXPECT_EQ(seen.size(), 24u);
  std::vector<double> each;
  for (const auto& [order, count] : seen) each.push_back(count);
  EXPECT_GT(chi_square(each, std::vector<double>(24, 1'000.0)), kLeast);

  std::vector<std::int64_t> all = rng.permutation(10'000).to_vector<std::int64_t>();
  std::vector<std::int64_t> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  std::int64_t fixed = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
    fixed += all[static_cast<std::size_t>(i)] == i ? 1 : 0;
  }
  EXPECT_LT(fixed, 8) << "about one element of a random permutation stays in place";
}

}  // namespace
}  // namespace likely
