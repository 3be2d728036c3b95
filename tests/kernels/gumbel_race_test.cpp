#include "likely/kernels/random/gumbel_race.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/random/random.hpp"
#include "tests/kernels/random_checks.hpp"

namespace likely::kernels {
namespace {

// Keys are fixed, so a probability above this one is the same in every run.
constexpr double kLeast = 0.001;
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
struct Drawn {
  std::vector<std::int64_t> indices;
  std::vector<T> perturbed, threshold;
  RaceTrouble trouble;
};

template <class T>
Drawn<T> race(const std::vector<T>& x, std::int64_t rows, std::int64_t k, std::uint64_t seed = 1) {
  const std::int64_t columns = static_cast<std::int64_t>(x.size()) / rows;
  Drawn<T> drawn{std::vector<std::int64_t>(static_cast<std::size_t>(rows * k)),
                 std::vector<T>(static_cast<std::size_t>(rows * k)),
                 std::vector<T>(static_cast<std::size_t>(rows)),
                 {}};
  drawn.trouble = gumbel_race({seed, 0}, {seed, 1}, x.data(), rows, columns, k, drawn.indices.data(),
                              drawn.perturbed.data(), drawn.threshold.data());
  return drawn;
}

// `rows` equal rows of `columns` that are -inf but at these places.
template <class T>
std::vector<T> sparse_rows(std::int64_t rows, std::int64_t columns,
                           const std::map<std::int64_t, double>& at) {
  std::vector<T> x(static_cast<std::size_t>(rows * columns), static_cast<T>(-kInf));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const auto& [place, logit] : at)
      x[static_cast<std::size_t>(row * columns + place)] = static_cast<T>(logit);
  }
  return x;
}

// With t = e^-perturbed, each t less the one before, times the weight of what was left, is standard
// exponential.
template <class T>
std::vector<double> scaled_waits(const Drawn<T>& drawn, const std::vector<T>& x, std::int64_t rows,
                                 std::int64_t k, std::int64_t most_rows) {
  const std::size_t columns = x.size() / static_cast<std::size_t>(rows);
  std::vector<double> waits;
  for (std::size_t row = 0; row < static_cast<std::size_t>(std::min(rows, most_rows)); ++row) {
    double left = 0.0, before = 0.0;
    for (std::size_t i = 0; i < columns; ++i) left += std::exp(static_cast<double>(x[row * columns + i]));
    for (std::size_t j = 0; j <= static_cast<std::size_t>(k); ++j) {
      const std::size_t at = row * static_cast<std::size_t>(k) + j;
      const bool last = j == static_cast<std::size_t>(k);
      const double time = std::exp(-static_cast<double>(last ? drawn.threshold[row] : drawn.perturbed[at]));
      waits.push_back((time - before) * left);
      before = time;
      if (last) break;
      left -= std::exp(static_cast<double>(x[row * columns + static_cast<std::size_t>(drawn.indices[at])]));
    }
  }
  return waits;
}

double exponential_cdf(double x) { return -std::expm1(-x); }

// Six classes in three blocks, two of them in one: ordered pairs against the product of the softmaxes.
template <class T>
void expect_the_law_of_ordered_pairs() {
  const std::map<std::int64_t, double> logits = {{0, 0.3},   {3, -1.2},   {511, 0.9},
                                                 {512, 0.0}, {1030, 1.4}, {1099, -0.5}};
  const std::int64_t rows = 1500, columns = 1100, k = 2, keys = 20;
  const std::vector<T> x = sparse_rows<T>(rows, columns, logits);
  double total = 0.0;
  for (const auto& [place, logit] : logits) total += std::exp(logit);
  std::map<std::pair<std::int64_t, std::int64_t>, double> counts;
  std::vector<double> waits;
  for (std::int64_t key = 0; key < keys; ++key) {
    const Drawn<T> drawn = race(x, rows, k, static_cast<std::uint64_t>(key));
    ASSERT_EQ(drawn.trouble.no_softmax, -1);
    ASSERT_EQ(drawn.trouble.too_few, -1);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      counts[{drawn.indices[2 * row], drawn.indices[2 * row + 1]}] += 1.0;
    }
    const std::vector<double> more = scaled_waits(drawn, x, rows, k, 100);
    waits.insert(waits.end(), more.begin(), more.end());
  }
  std::vector<double> counted, expected;
  for (const auto& [a, la] : logits) {
    for (const auto& [b, lb] : logits) {
      if (a == b) continue;
      counted.push_back(counts[{a, b}]);
      expected.push_back(static_cast<double>(rows * keys) * std::exp(la) / total * std::exp(lb) /
                         (total - std::exp(la)));
    }
  }
  EXPECT_EQ(std::accumulate(counted.begin(), counted.end(), 0.0), static_cast<double>(rows * keys));
  EXPECT_GT(chi_square(counted, expected), kLeast);
  EXPECT_GT(kolmogorov_smirnov(waits, exponential_cdf), kLeast);
}

TEST(GumbelRace, OrderedPairsFollowTheirLaw) {
  expect_the_law_of_ordered_pairs<float>();
  expect_the_law_of_ordered_pairs<double>();
}

// A long row: which fifth of the probability each draw comes from, against noise for every class and a sort;
// and the perturbed logits against their exact law.
template <class T>
void expect_what_noise_for_all_gives() {
  const std::int64_t rows = 4000, columns = 1300, k = 8;
  std::vector<T> row(columns);
  fill_normal({7, 7}, row.data(), columns);
  for (T& v : row) v *= T{2};
  std::vector<T> x;
  for (std::int64_t r = 0; r < rows; ++r) x.insert(x.end(), row.begin(), row.end());
  const Drawn<T> drawn = race(x, rows, k);

  std::vector<std::int64_t> order(columns);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  double total = 0.0, below = 0.0;
  for (const T v : row) total += std::exp(static_cast<double>(v));
  std::vector<std::size_t> fifth(columns);
  std::vector<double> share(5);
  for (const std::int64_t i : order) {
    const auto group = std::min<std::size_t>(4, static_cast<std::size_t>(5.0 * below / total));
    const double p = std::exp(static_cast<double>(row[static_cast<std::size_t>(i)])) / total;
    fifth[static_cast<std::size_t>(i)] = group;
    share[group] += p;
    below += p * total;
  }
  std::vector<double> first(5), expected(5), later(5 * k), plainly(5 * k);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    first[fifth[static_cast<std::size_t>(drawn.indices[r * k])]] += 1.0;
    for (std::size_t j = 0; j < k; ++j)
      later[5 * j + fifth[static_cast<std::size_t>(drawn.indices[r * k + j])]] += 1.0;
  }
  for (std::size_t g = 0; g < 5; ++g) expected[g] = share[g] * static_cast<double>(rows);
  EXPECT_GT(chi_square(first, expected), kLeast);

  std::vector<T> noise(columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    fill_gumbel({99, static_cast<std::uint64_t>(r)}, noise.data(), columns);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] += row[i];
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](auto a, auto b) {
      return noise[static_cast<std::size_t>(a)] > noise[static_cast<std::size_t>(b)];
    });
    for (std::size_t j = 0; j < k; ++j) plainly[5 * j + fifth[static_cast<std::size_t>(order[j])]] += 1.0;
  }
  for (std::size_t j = 0; j < k; ++j) {
    double distance = 0.0;  // of two samples of one law: chi-square with 4 degrees of freedom
    for (std::size_t g = 5 * j; g < 5 * j + 5; ++g) {
      distance += (later[g] - plainly[g]) * (later[g] - plainly[g]) / (later[g] + plainly[g]);
    }
    EXPECT_LT(distance, 20.5) << "draw " << j;  // of which the probability is 0.0004
  }
  EXPECT_GT(kolmogorov_smirnov(scaled_waits(drawn, x, rows, k, 1000), exponential_cdf), kLeast);
}

TEST(GumbelRace, LongRowsFollowTheLawOfNoiseForAll) {
  expect_what_noise_for_all_gives<float>();
  expect_what_noise_for_all_gives<double>();
}

TEST(GumbelRace, DrawsAreDifferentAndFall) {
  std::vector<float> x(3 * 5000);
  fill_normal({3, 3}, x.data(), 3 * 5000);
  const Drawn<float> drawn = race(x, 3, 700);
  for (std::size_t r = 0; r < 3; ++r) {
    const auto begin = drawn.indices.begin() + static_cast<std::ptrdiff_t>(700 * r);
    std::vector<std::int64_t> sorted(begin, begin + 700);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    EXPECT_GE(sorted.front(), 0);
    EXPECT_LT(sorted.back(), 5000);
    for (std::size_t j = 700 * r + 1; j < 700 * (r + 1); ++j)
      EXPECT_LE(drawn.perturbed[j], drawn.perturbed[j - 1]);
    EXPECT_LE(drawn.threshold[r], drawn.perturbed[700 * r + 699]);
  }
}

TEST(GumbelRace, TheSameBitsOnAnyNumberOfThreadsAndBesideAnyRows) {
  const int saved = threads();
  std::vector<double> x(6 * 40000);
  fill_normal({4, 4}, x.data(), 6 * 40000);
  set_threads(1);
  const Drawn<double> one = race(x, 6, 9);
  for (const int count : {2, 3}) {
    set_threads(count);
    const Drawn<double> more = race(x, 6, 9);
    EXPECT_EQ(one.indices, more.indices) << count;
    EXPECT_EQ(one.perturbed, more.perturbed) << count;
    EXPECT_EQ(one.threshold, more.threshold) << count;
  }
  set_threads(saved);
  const Drawn<double> first = race(std::vector<double>(x.begin(), x.begin() + 2 * 40000), 2, 9);
  EXPECT_TRUE(std::equal(first.indices.begin(), first.indices.end(), one.indices.begin()));
  // Fewer draws are the beginning of more, and their threshold is the next number.
  const Drawn<double> fewer = race(x, 6, 4);
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(fewer.indices[4 * r + j], one.indices[9 * r + j]);
      EXPECT_EQ(fewer.perturbed[4 * r + j], one.perturbed[9 * r + j]);
    }
    EXPECT_EQ(fewer.threshold[r], one.perturbed[9 * r + 4]);
  }
}

// Logits so far apart that the smaller ones have no weight beside the larger, and what then remains.
template <class T>
void expect_extremes() {
  const std::vector<T> steep = sparse_rows<T>(1, 1100, {{5, 1e4}, {7, 0.0}, {600, -1e4}, {1099, -2e4}});
  const Drawn<T> drawn = race(steep, 1, 3);
  EXPECT_EQ(drawn.indices, (std::vector<std::int64_t>{5, 7, 600}));
  EXPECT_NEAR(static_cast<double>(drawn.perturbed[0]), 1e4, 40.0);
  EXPECT_NEAR(static_cast<double>(drawn.perturbed[1]), 0.0, 40.0);
  EXPECT_NEAR(static_cast<double>(drawn.perturbed[2]), -1e4, 40.0);
  EXPECT_NEAR(static_cast<double>(drawn.threshold[0]), -2e4, 40.0);
  const Drawn<T> all = race(steep, 1, 4);
  EXPECT_EQ(all.trouble.too_few, -1);
  EXPECT_EQ(all.indices.back(), 1099);
  EXPECT_EQ(static_cast<double>(all.threshold[0]), -kInf);
  // A whole row, drawn to its end.
  std::vector<T> small = {T{1}, T{-2}, T{0}};
  std::vector<std::int64_t> order = race(small, 1, 3).indices;
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(GumbelRace, Extremes) {
  expect_extremes<float>();
  expect_extremes<double>();
}

TEST(GumbelRace, TellsTheFirstRowThatCannotBeDrawnFrom) {
  std::vector<double> x = sparse_rows<double>(4, 700, {{2, 0.0}, {650, 1.0}});
  EXPECT_EQ(race(x, 4, 3).trouble.too_few, 0);
  EXPECT_EQ(race(x, 4, 2).trouble.too_few, -1);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInf}) {
    std::vector<double> y = x;
    y[2 * 700 + 333] = y[3 * 700 + 1] = bad;
    EXPECT_EQ(race(y, 4, 2).trouble.no_softmax, 2) << bad;
    const std::vector<float> z(y.begin(), y.end());
    EXPECT_EQ(race(z, 4, 2).trouble.no_softmax, 2) << bad;
  }
  x[1 * 700 + 2] = x[1 * 700 + 650] = -kInf;
  EXPECT_EQ(race(x, 4, 2).trouble.no_softmax, 1);
}

}  // namespace
}  // namespace likely::kernels
