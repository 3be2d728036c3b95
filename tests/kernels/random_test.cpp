#include "likely/kernels/random/random.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/random_checks.hpp"

namespace likely::kernels {
namespace {

constexpr RandomKey kKey{0x5eed, 3};
constexpr std::size_t kMany = 1'000'000;

template <class T>
class RandomFloating : public testing::Test {};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(RandomFloating, FloatingTypes);

TEST(RandomBits, AreTheWordsOfTheGenerator) {
  std::vector<std::uint32_t> words(1000);
  std::vector<std::uint64_t> wides(1000);
  fill_bits(kKey, words.data(), 1000);
  fill_bits(kKey, wides.data(), 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(words[i], philox_word(kKey, i));
    const PhiloxBlock block = philox_block(kKey, i / 32 * 16 + i % 16);
    const std::size_t half = i / 16 % 2;
    EXPECT_EQ(wides[i], block[2 * half] | std::uint64_t{block[2 * half + 1]} << 32);
  }
}

TEST(RandomUniform, IsTheTopBitsOfTheGenerator) {
  std::vector<float> half_open(1000), open(1000);
  std::vector<double> half_open_wide(1000), open_wide(1000);
  std::vector<std::uint64_t> wides(1000);
  fill_uniform(kKey, half_open.data(), 1000);
  fill_uniform_open(kKey, open.data(), 1000);
  fill_uniform(kKey, half_open_wide.data(), 1000);
  fill_uniform_open(kKey, open_wide.data(), 1000);
  fill_bits(kKey, wides.data(), 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::uint32_t word = philox_word(kKey, i);
    EXPECT_EQ(half_open[i], std::ldexp(static_cast<float>(word >> 8), -24));
    EXPECT_EQ(open[i], std::ldexp(static_cast<float>(word >> 9) + 0.5f, -23));
    EXPECT_EQ(half_open_wide[i], std::ldexp(static_cast<double>(wides[i] >> 11), -53));
    EXPECT_EQ(open_wide[i], std::ldexp(static_cast<double>(wides[i] >> 12) + 0.5, -52));
  }
}

TYPED_TEST(RandomFloating, UniformIsUniform) {
  std::vector<TypeParam> x(kMany);
  fill_uniform(kKey, x.data(), kMany);
  EXPECT_GT(kolmogorov_smirnov(x, [](double v) { return v; }), 0.001);
  std::vector<double> counts(100 * 100);
  for (std::size_t i = 0; i + 1 < kMany; i += 2) {
    counts[static_cast<std::size_t>(x[i] * 100) * 100 + static_cast<std::size_t>(x[i + 1] * 100)] += 1;
  }
  EXPECT_GT(chi_square(counts, std::vector<double>(counts.size(), kMany / 2.0 / 1e4)), 0.001);
}

TYPED_TEST(RandomFloating, NormalIsBoxMullerOfTheGeneratorsBits) {
  using T = TypeParam;
  const std::size_t n = 4096;
  std::vector<T> z(n);
  fill_normal(kKey, z.data(), n);
  constexpr double kPi = 3.14159265358979323846;
  for (std::size_t i = 0; i < n; ++i) {
    double u = 0, turn = 0;
    std::uint64_t sign = 0;
    bool cosine = false;
    if constexpr (sizeof(T) == 4) {
      const PhiloxBlock b = philox_block(kKey, i / 64 * 16 + i % 16);
      const std::size_t pair = i / 32 % 2;
      cosine = i / 16 % 2 == 0;
      u = (static_cast<double>(b[2 * pair] >> 1) + 0.5) * 0x1p-31;
      turn = static_cast<double>(static_cast<std::int32_t>(b[2 * pair + 1])) * 0x1p-32;
      sign = b[2 * pair + 1] & 1;
    } else {
      const PhiloxBlock b = philox_block(kKey, i / 32 * 16 + i % 16);
      cosine = i / 16 % 2 == 0;
      u = static_cast<double>((b[0] | std::uint64_t{b[1]} << 32) >> 11 | 1) * 0x1p-53;
      const std::uint64_t angle = b[2] | std::uint64_t{b[3]} << 32;
      turn = (static_cast<double>(angle >> 11) - (0x1p52 - 0.5)) * 0x1p-53;
      sign = angle & 1;
    }
    const double radius = std::sqrt(-2 * std::log(u)) * (sign != 0 ? -1 : 1);
    const double expected = radius * (cosine ? std::cos(kPi * turn) : std::sin(kPi * turn));
    EXPECT_NEAR(z[i], expected, sizeof(T) == 4 ? 1.5e-6 : 1e-14) << i;
  }
}

TYPED_TEST(RandomFloating, NormalHasTheRightMomentsLawAndTails) {
  const std::size_t n = 5 * kMany;
  std::vector<TypeParam> z(n);
  fill_normal(kKey, z.data(), static_cast<std::int64_t>(n));
  double moment[5] = {};
  std::vector<double> beyond(6);  // |z| > 0, 1, ... 5
  for (const TypeParam value : z) {
    const auto v = static_cast<double>(value);
    double power = 1.0;
    for (int k = 1; k <= 4; ++k) moment[k] += (power *= v) / static_cast<double>(n);
    for (int k = 0; k < 6; ++k) beyond[static_cast<std::size_t>(k)] += std::abs(v) > k ? 1 : 0;
  }
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(moment[1], 0, 4 / root);
  EXPECT_NEAR(moment[2], 1, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(moment[3], 0, 4 * std::sqrt(15.0) / root);
  EXPECT_NEAR(moment[4], 3, 4 * std::sqrt(96.0) / root);
  const boost::math::normal law;
  for (int k = 1; k < 6; ++k) {
    const double expected = 2 * static_cast<double>(n) * boost::math::cdf(boost::math::complement(law, k));
    EXPECT_NEAR(beyond[static_cast<std::size_t>(k)], expected, 4 * std::sqrt(expected)) << k << " sigma";
  }
  z.resize(kMany);
  EXPECT_GT(kolmogorov_smirnov(z, [&](double v) { return boost::math::cdf(law, v); }), 0.001);
}

TYPED_TEST(RandomFloating, ElementsDependOnKeyAndIndexAlone) {
  using T = TypeParam;
  expect_elements_depend_on_their_index_alone<T>([](T* out, std::int64_t n) { fill_uniform(kKey, out, n); });
  expect_elements_depend_on_their_index_alone<T>(
      [](T* out, std::int64_t n) { fill_uniform_open(kKey, out, n); });
  expect_elements_depend_on_their_index_alone<T>([](T* out, std::int64_t n) { fill_normal(kKey, out, n); });
}

TYPED_TEST(RandomFloating, DropoutKeepsTheRightShareAndScalesIt) {
  using T = TypeParam;
  std::vector<T> x(100'003), y(x.size()), again(x.size());
  fill_uniform_open(kKey, x.data(), static_cast<std::int64_t>(x.size()));
  const auto n = static_cast<std::int64_t>(x.size());
  for (const double p : {0.1, 0.5, 0.9}) {
    dropout(kKey, p, x.data(), y.data(), n);
    double kept = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      // The decision is that of the generator's word number i.
      const bool stays = philox_word(kKey, i) >> 1 < (1 - p) * 0x1p31;
      ASSERT_EQ(y[i], stays ? x[i] * static_cast<T>(1 / (1 - p)) : T{0}) << i;
      kept += stays ? 1 : 0;
    }
    EXPECT_NEAR(kept, static_cast<double>(n) * (1 - p), 4 * std::sqrt(static_cast<double>(n) * p * (1 - p)));
  }
  dropout(kKey, 0.0, x.data(), y.data(), n);
  EXPECT_EQ(y, x);
  dropout(kKey, 1.0, x.data(), y.data(), n);
  EXPECT_EQ(y, std::vector<T>(x.size(), T{0}));
  dropout(kKey, 0.3, x.data(), y.data(), n);
  again = x;
  dropout(kKey, 0.3, again.data(), again.data(), n);
  EXPECT_EQ(again, y);
  expect_elements_depend_on_their_index_alone<T>([&](T* out, std::int64_t count) {
    std::fill_n(out, count, T{1});
    dropout(kKey, 0.3, out, out, count);
  });
}

TYPED_TEST(RandomFloating, OtherKeysAndStreamsGiveOtherNumbers) {
  std::vector<TypeParam> a(100), b(100), c(100);
  fill_uniform({1, 0}, a.data(), 100);
  fill_uniform({2, 0}, b.data(), 100);
  fill_uniform({1, 1}, c.data(), 100);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(b, c);
}

}  // namespace
}  // namespace likely::kernels
