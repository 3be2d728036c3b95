#include "likely/kernels/random_discrete.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "likely/kernels/random_variates.hpp"
#include "random_checks.hpp"

namespace likely::kernels {
namespace {

constexpr RandomKey kKey{0x5eed, 7};

TEST(RandomBernoulli, ComparesTheWordsOfTheGenerator) {
  const double p = 0.3;
  std::vector<float> out(1000), kept(1000), x(1000, 2.0f);
  std::vector<double> each(1000, p), from_each(1000);
  fill_bernoulli(kKey, p, out.data(), 1000);
  fill_bernoulli(kKey, each.data(), from_each.data(), 1000);
  keep_some(kKey, p, x.data(), kept.data(), 1000);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    const bool one = philox_word(kKey, i) < p * 0x1p32;
    EXPECT_EQ(out[i], one ? 1.0f : 0.0f);
    EXPECT_EQ(from_each[i], one ? 1.0 : 0.0);
    EXPECT_EQ(kept[i], one ? 2.0f * static_cast<float>(1.0 / p) : 0.0f);
  }
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
