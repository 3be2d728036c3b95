#include "likely/kernels/random/discrete.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "likely/kernels/random/variates.hpp"
#include "tests/kernels/random_checks.hpp"

namespace likely::kernels {
namespace {

constexpr RandomKey kKey{0x5eed, 7};

TEST(RandomBernoulli, ComparesTheWordsOfTheGenerator) {
  const double p = 0.3;
  // An odd length, so that the last vector is not whole.
  std::vector<float> same(999), each(999, 0.3f), chosen(999), x(999, 2.0f), kept(999);
  std::vector<double> each_wide(999, p), chosen_wide(999), x_wide(999, 2.0), kept_wide(999);
  fill_bernoulli(kKey, p, same.data(), 999);
  EXPECT_TRUE(fill_bernoulli(kKey, each.data(), chosen.data(), 999));
  EXPECT_TRUE(fill_bernoulli(kKey, each_wide.data(), chosen_wide.data(), 999));
  keep_some(kKey, p, x.data(), kept.data(), 999);
  keep_some(kKey, p, x_wide.data(), kept_wide.data(), 999);
  for (std::uint64_t i = 0; i < same.size(); ++i) {
    const std::uint32_t word = philox_word(kKey, i);
    EXPECT_EQ(same[i], word < p * 0x1p32 ? 1.0f : 0.0f);
    const bool one = std::ldexp(static_cast<float>(word >> 8), -24) < 0.3f;
    EXPECT_EQ(chosen[i], one ? 1.0f : 0.0f);
    EXPECT_EQ(kept[i], one ? 2.0f * (1.0f / 0.3f) : 0.0f);
    const bool one_wide = std::ldexp(static_cast<double>(word >> 1), -31) < p;
    EXPECT_EQ(chosen_wide[i], one_wide ? 1.0 : 0.0);
    EXPECT_EQ(kept_wide[i], one_wide ? 2.0 * (1.0 / p) : 0.0);
  }
}

TEST(RandomBernoulli, FindsProbabilitiesOutsideTheirRange) {
  for (const float bad : {-0.1f, 1.1f, std::nanf("")}) {
    for (const std::size_t place : {0, 500, 998}) {
      std::vector<float> p(999, 0.5f), out(999);
      p[place] = bad;
      EXPECT_FALSE(fill_bernoulli(kKey, p.data(), out.data(), 999)) << bad << " at " << place;
      std::vector<double> wide(p.begin(), p.end()), out_wide(999);
      EXPECT_FALSE(fill_bernoulli(kKey, wide.data(), out_wide.data(), 999));
    }
  }
}

TEST(RandomBernoulli, DropsInfinities) {
  std::vector<float> x(999, std::numeric_limits<float>::infinity()), kept(999);
  keep_some(kKey, 0.5, x.data(), kept.data(), 999);
  for (const float v : kept) EXPECT_TRUE(v == 0.0f || std::isinf(v));
}

TEST(RandomBernoulli, ElementsDependOnTheirIndexAlone) {
  const std::vector<float> p(300'001, 0.4f);
  expect_elements_depend_on_their_index_alone<std::int64_t>(
      [](std::int64_t* out, std::int64_t n) { fill_bernoulli(kKey, 0.4, out, n); });
  expect_elements_depend_on_their_index_alone<float>(
      [&](float* out, std::int64_t n) { fill_bernoulli(kKey, p.data(), out, n); });
  expect_elements_depend_on_their_index_alone<float>(
      [&](float* out, std::int64_t n) { keep_some(kKey, 0.4, p.data(), out, n); });
}

TEST(RandomIntegers, AreProductsWithABlock) {
  std::vector<std::int64_t> out(1000);
  const std::uint64_t range = 1000;
  fill_integers(kKey, -500, range, out.data(), 1000);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    // The top 64 bits of the block decide, up to a carry that a thousand draws do not meet.
    const PhiloxBlock block = philox_block(kKey, i);
    const long double u =
        (static_cast<long double>(block[3]) + static_cast<long double>(block[2]) * 0x1p-32L) * 0x1p-32L;
    EXPECT_EQ(out[i], static_cast<std::int64_t>(std::floor(u * 1000.0L)) - 500);
  }
  expect_elements_depend_on_their_index_alone<std::int64_t>(
      [](std::int64_t* to, std::int64_t n) { fill_integers(kKey, 0, 12345, to, n); });
}

TEST(RandomVariates, ElementsHaveNumbersOfTheirOwn) {
  ElementSource a(kKey, 0), again(kKey, 0), b(kKey, 1);
  const double first = a.uniform();
  EXPECT_EQ(first, again.uniform());
  EXPECT_NE(first, a.uniform());
  EXPECT_NE(first, b.uniform());
  std::vector<double> uniforms, normals;
  for (int i = 0; i < 50'000; ++i) {
    uniforms.push_back(ElementSource(kKey, i).uniform());
    normals.push_back(b.normal());
  }
  EXPECT_GT(kolmogorov_smirnov(uniforms, [](double u) { return u; }), 0.001);
  EXPECT_GT(kolmogorov_smirnov(normals, [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }),
            0.001);
}

}  // namespace
}  // namespace likely::kernels
