// Statistical checks for tests of random numbers. All use fixed keys, so that they pass always or never.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {

// The probability that samples of a continuous distribution lie as far from its cdf as these, or further.
template <class T, class Cdf>
double kolmogorov_smirnov(std::vector<T> samples, const Cdf& cdf) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = cdf(static_cast<double>(samples[i]));
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  // Kolmogorov's limit law with Stephens' correction for finite n.
  const double x = distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
  double probability = 0;
  for (int k = 1; k <= 100; ++k) probability += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return probability;
}

// The probability that counts of these expectations lie as far from them as these, or further.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  const boost::math::chi_squared law(static_cast<double>(counts.size()) - 1);
  return boost::math::cdf(boost::math::complement(law, sum));
}

// fill(out, n) must give the same elements for any n and any number of threads.
template <class T, class Fill>
void expect_elements_depend_on_their_index_alone(const Fill& fill, std::size_t most = 300'001) {
  const int saved = threads();
  set_threads(1);
  std::vector<T> all(most);
  fill(all.data(), static_cast<std::int64_t>(most));
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64},
                                std::size_t{65}, std::size_t{1000}, std::size_t{70'003}, most}) {
      std::vector<T> some(n + 1, T{7});
      fill(some.data(), static_cast<std::int64_t>(n));
      EXPECT_TRUE(std::equal(some.begin(), some.end() - 1, all.begin())) << n << " on " << count;
      EXPECT_EQ(some[n], T{7}) << "wrote past the end, n = " << n;
    }
  }
  set_threads(saved);
}

}  // namespace likely::kernels
