// Temperature, top-k and nucleus against sorted lists, ties and ends among them.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/prob/sequence/filters.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using Row = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Places by falling probability, the earlier of equals first.
std::vector<std::size_t> by_probability(const Row& p) {
  std::vector<std::size_t> order(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  return order;
}

// The first `count` of that order, renormalised.
Row kept_of(const Row& p, std::size_t count) {
  const std::vector<std::size_t> order = by_probability(p);
  double total = 0.0;
  for (std::size_t j = 0; j < std::min(count, p.size()); ++j) total += p[order[j]];
  Row kept(p.size(), 0.0);
  for (std::size_t j = 0; j < std::min(count, p.size()); ++j) kept[order[j]] = p[order[j]] / total;
  return kept;
}

std::size_t nucleus_size(const Row& p, double mass) {
  double total = 0.0;
  std::size_t count = 0;
  for (const std::size_t i : by_probability(p)) {
    total += p[i];
    ++count;
    if (total >= mass - 1e-12) break;
  }
  return count;
}

void expect_row(const Tensor& log_p, const Row& expected, double tolerance) {
  const Row found = exp(log_p.to(DType::f64)).to_vector<double>();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

Row random_row(std::uint64_t seed, std::int64_t n, double spread) {
  return softmax(Rng(seed).normal({n}, 0.0, spread, DType::f64)).to_vector<double>();
}

TEST(TokenFilters, TemperatureIsAPower) {
  const Row p{0.5, 0.3, 0.2, 0.0};
  for (const double t : {0.1, 0.5, 1.0, 3.0}) {
    double total = 0.0;
    for (const double q : p) total += std::pow(q, 1.0 / t);
    Row expected;
    for (const double q : p) expected.push_back(std::pow(q, 1.0 / t) / total);
    expect_row(with_temperature(log(tensor(p)), t), expected, 1e-14);
  }
  EXPECT_EQ(with_temperature(log(tensor(p)), 0.01).at({3}), -kInfinity);
}

TEST(TokenFilters, TopKKeepsTheBestAndOfEqualsTheFirst) {
  const Row tied{0.2, 0.3, 0.2, 0.3, 0.0};
  for (std::int64_t k = 1; k <= 7; ++k)
    expect_row(keep_top_k(log(tensor(tied)), k), kept_of(tied, static_cast<std::size_t>(k)), 1e-14);
  EXPECT_EQ(keep_top_k(log(tensor(tied)), 3).at({2}), -kInfinity);
  const Row many = random_row(3, 3000, 2.0);
  for (const DType dtype : {DType::f32, DType::f64})
    expect_row(keep_top_k(log(tensor(many)).to(dtype), 40), kept_of(many, 40), 1e-6);
}

TEST(TokenFilters, TopPKeepsTheNucleus) {
  for (const Row& p :
       {Row{0.5, 0.3, 0.2}, Row{0.2, 0.5, 0.0, 0.3}, Row{0.25, 0.25, 0.25, 0.25}, Row{1.0, 0.0},
        random_row(5, 700, 0.01), random_row(6, 700, 1.0), random_row(7, 2000, 6.0)}) {
    for (const double mass : {1e-9, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.999}) {
      const Row expected = kept_of(p, nucleus_size(p, mass));
      expect_row(keep_top_p(log(tensor(p)), mass), expected, 1e-13);
      if (p.size() < 5) expect_row(keep_top_p(log(tensor(p)).to(DType::f32), mass), expected, 1e-6);
    }
    expect_row(keep_top_p(log(tensor(p)), 1.0), p, 1e-14);
  }
  // Rows of a batch have nuclei of their own, and what adds up to anything is normalised.
  const Tensor rows = tensor({{0.5, 0.3, 0.2}, {0.1, 0.8, 0.1}});
  EXPECT_TRUE(allclose(exp(keep_top_p(log(rows) + 3.0, 0.75)), tensor({{0.625, 0.375, 0.0}, {0.0, 1.0, 0.0}}),
                       1e-5, 1e-6));
}

TEST(TokenFilters, AllInTheirOrder) {
  const Row p{0.4, 0.3, 0.2, 0.1};
  // Squares are 16, 9, 4, 1 of 30; the best three 16, 9, 4 of 29; 16 + 9 of 29 are 0.862.
  const TokenFilter filter{.temperature = 0.5, .top_k = 3, .top_p = 0.86};
  expect_row(filter(log(tensor(p))), {16.0 / 25.0, 9.0 / 25.0, 0.0, 0.0}, 1e-14);
  EXPECT_TRUE(TokenFilter{}.changes_nothing());
}

TEST(TokenFilters, RefuseWhatMeansNothing) {
  const Tensor x = log(tensor({0.5, 0.5}));
  expect_refusal([&] { (void)with_temperature(x, 0.0); },
                 "[with_temperature] the temperature must be above 0 and finite, got 0");
  expect_refusal([&] { (void)keep_top_k(x, 0); }, "[keep_top_k] k must be at least 1, got 0");
  expect_refusal([&] { (void)keep_top_p(x, 0.0); }, "[keep_top_p] p must be in (0, 1], got 0");
  expect_refusal([&] { (void)keep_top_p(x, 1.5); }, "[keep_top_p] p must be in (0, 1], got 1.5");
  expect_refusal([&] { (void)keep_top_k(tensor(1.0), 1); },
                 "[keep_top_k] log-probabilities need a last axis of tokens, got shape ()");
  expect_refusal([&] { TokenFilter{.top_k = -1}.check("search"); }, "[search] k must be at least 1, got -1");
}

}  // namespace
}  // namespace likely
