#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "likely/kernels/random/random.hpp"
#include "tests/kernels/random_checks.hpp"

namespace likely::kernels {
namespace {

constexpr RandomKey kKey{0x5eed, 5};

// The float kernels take 31 bits of a word: -log(1 - v) with v = (k + 1/2) 2^-31.
double exponential_of(std::uint64_t i) {
  return -std::log1p(-(static_cast<double>(philox_word(kKey, i) >> 1) + 0.5) * 0x1p-31);
}

TEST(RandomExponential, IsTheLogarithmOfTheWord) {
  std::vector<float> x(100'000), gumbel(100'000);
  fill_exponential(kKey, x.data(), 100'000);
  fill_gumbel(kKey, gumbel.data(), 100'000);
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    const double expected = exponential_of(i);
    EXPECT_NEAR(x[i], expected, 4e-7 * expected);
    EXPECT_NEAR(gumbel[i], -std::log(expected), 4e-7 * std::max(1.0, std::abs(std::log(expected))));
  }
}

TEST(RandomExponential, IsTheLogarithmOfTheOpenUniformInDouble) {
  std::vector<double> u(10'000), x(10'000), gumbel(10'000);
  fill_uniform_open(kKey, u.data(), 10'000);
  fill_exponential(kKey, x.data(), 10'000);
  fill_gumbel(kKey, gumbel.data(), 10'000);
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_NEAR(x[i], -std::log(u[i]), 1e-14 * std::max(1.0, x[i]));
    EXPECT_NEAR(gumbel[i], -std::log(-std::log(u[i])), 1e-13 * std::max(1.0, std::abs(gumbel[i])));
  }
}

TEST(RandomExponential, ElementsDependOnTheirIndexAlone) {
  expect_elements_depend_on_their_index_alone<float>(
      [](float* out, std::int64_t n) { fill_exponential(kKey, out, n); });
  expect_elements_depend_on_their_index_alone<double>(
      [](double* out, std::int64_t n) { fill_gumbel(kKey, out, n); });
}

}  // namespace
}  // namespace likely::kernels
