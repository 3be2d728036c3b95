#include "likely/ops/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Rng, RepeatsWithTheSeedAndAdvancesWithEachDraw) {
  Rng a(7), b(7), c(8);
  const Tensor first = a.normal({100});
  EXPECT_TRUE(array_equal(first, b.normal({100})));
  EXPECT_FALSE(array_equal(first, c.normal({100})));
  EXPECT_FALSE(array_equal(first, a.normal({100})));
}

TEST(Rng, ACopyDrawsTheSameNumbers) {
  Rng a(7);
  a.uniform({3});
  Rng copy = a;
  EXPECT_TRUE(copy == a);
  EXPECT_TRUE(array_equal(copy.uniform({50}), a.uniform({50})));
  copy.split();
  EXPECT_FALSE(copy == a);
}

TEST(Rng, AnElementDependsOnItsPlaceAlone) {
  Rng a(1), b(1);
  const Tensor long_one = a.normal({1000}), short_one = b.normal({7, 9});
  EXPECT_TRUE(array_equal(slice(long_one, 0, {0, 63}), reshape(short_one, {63})));
}

TEST(Rng, SplitsAreIndependent) {
  Rng rng(3);
  const Rng parent = rng;
  std::vector<Rng> family = rng.split(6);
  family.push_back(rng);
  family.push_back(parent);
  family.push_back(family[0].split());
  family.push_back(parent.fold_in(0));
  family.push_back(parent.fold_in(1));
  family.push_back(family[1].fold_in(0));
  family.emplace_back(4);
  std::vector<std::vector<double>> draws;
  for (Rng& member : family) draws.push_back(member.normal({100'000}).to_vector<double>());
  for (std::size_t i = 0; i < draws.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_LT(std::abs(correlation(draws[i], draws[j])), 4.5 / std::sqrt(100'000.0)) << i << ", " << j;
    }
  }
}

TEST(Rng, SplitsRepeat) {
  Rng a(3), b(3);
  const Rng first = a.split(), second = a.split();
  const std::vector<Rng> both = b.split(2);
  EXPECT_TRUE(first == both[0]);
  EXPECT_TRUE(second == both[1]);
  EXPECT_FALSE(first == second);
  EXPECT_TRUE(a == b);
}

TEST(Rng, FoldInDoesNotAdvance) {
  const Rng rng(3);
  EXPECT_TRUE(rng.fold_in(5) == rng.fold_in(5));
  EXPECT_FALSE(rng.fold_in(5) == rng.fold_in(6));
  Rng moved = rng;
  moved.split();
  EXPECT_FALSE(moved.fold_in(5) == rng.fold_in(5));
}

TEST(Rng, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor probabilities = Rng(5).uniform({40'000});
  const Tensor positive = Rng(6).uniform({40'000}, 0.1, 30.0);
  const Tensor logits = Rng(7).normal({4'000, 10});
  const std::vector<std::function<Tensor(Rng&)>> draws = {
      [](Rng& r) { return r.bits({300'000}); },
      [](Rng& r) { return r.uniform({300'000}, -1.0, 3.0); },
      [](Rng& r) { return r.normal({300'000}, 1.0, 2.0); },
      [](Rng& r) { return r.normal({300'000}, 1.0, 2.0, DType::f64); },
      [](Rng& r) { return r.truncated_normal({40'000}, -1.0, 2.0); },
      [](Rng& r) { return r.exponential({300'000}, 2.0); },
      [](Rng& r) { return r.gumbel({300'000}); },
      [](Rng& r) { return r.bernoulli({300'000}, 0.3); },
      [](Rng& r) { return r.randint(-5, 5, {300'000}); },
      [](Rng& r) { return r.permutation(10'000); },
      [&](Rng& r) { return r.bernoulli(probabilities); },
      [&](Rng& r) { return r.categorical(logits); },
      [&](Rng& r) { return r.gamma(positive); },
      [&](Rng& r) { return r.beta(positive, positive); },
      [&](Rng& r) { return r.poisson(positive); },
  };
  const int saved = threads();
  for (std::size_t i = 0; i < draws.size(); ++i) {
    set_threads(1);
    Rng once(11);
    const Tensor expected = draws[i](once);
    for (const int count : {2, 3}) {
      set_threads(count);
      Rng again(11);
      EXPECT_TRUE(array_equal(draws[i](again), expected)) << "draw " << i << " on " << count;
    }
  }
  set_threads(saved);
}

TEST(Rng, DrawsNothingAndScalars) {
  Rng rng(1);
  EXPECT_EQ(rng.normal({0, 3}).shape().string(), "(0, 3)");
  EXPECT_EQ(rng.normal({}).rank(), 0);
  EXPECT_EQ(rng.permutation(0).size(), 0);
  EXPECT_EQ(rng.permutation(1).item(), 0);
  EXPECT_EQ(rng.gamma(zeros({0})).size(), 0);
  EXPECT_EQ(rng.categorical(zeros({0, 3})).size(), 0);
  EXPECT_EQ(rng.categorical(zeros({1})).item(), 0);
  EXPECT_EQ(rng.split(0).size(), 0u);
}

TEST(Rng, RefusesBadParameters) {
  Rng rng(1);
  expect_refusal([&] { rng.split(-1); }, "[split] the count must not be negative, got -1");
  expect_refusal([&] { rng.uniform({2}, 1.0, 1.0); },
                 "[uniform] low must be below high and both finite, got 1 and 1");
  expect_refusal([&] { rng.uniform({2}, 0.0, kInfinity); },
                 "[uniform] low must be below high and both finite, got 0 and inf");
  expect_refusal([&] { rng.uniform({2}, 1.0, 1.0 + 1e-12); },
                 "[uniform] no numbers of type f32 between 1 and 1.000000000001");
  expect_refusal([&] { rng.uniform({2}, 0.0, 1.0, DType::i64); },
                 "[uniform] a floating type is needed, got i64");
  expect_refusal([&] { rng.normal({2}, 0.0, -1.0); },
                 "[normal] stddev must be finite and not negative, got -1");
  expect_refusal([&] { rng.normal({2}, kNan, 1.0); }, "[normal] mean must be finite, got nan");
  expect_refusal([&] { rng.truncated_normal({2}, 2.0, 1.0); },
                 "[truncated_normal] low must be below high, got 2 and 1");
  expect_refusal([&] { rng.truncated_normal({2}, 1.0, 2.0, 0.0, 0.0); },
                 "[truncated_normal] stddev must be finite and above 0, got 0");
  expect_refusal([&] { rng.truncated_normal({2}, 1.0, 2.0, kInfinity); },
                 "[truncated_normal] mean must be finite, got inf");
  expect_refusal([&] { rng.truncated_normal({2}, 50.0, 60.0); },
                 "[truncated_normal] no probability between 50 and 60 for mean 0 and stddev 1");
  expect_refusal([&] { rng.exponential({2}, 0.0); }, "[exponential] rate must be finite and above 0, got 0");
  expect_refusal([&] { rng.bernoulli({2}, 1.5); }, "[bernoulli] p must lie in [0, 1], got 1.5");
  expect_refusal([&] { rng.bernoulli({2}, kNan); }, "[bernoulli] p must lie in [0, 1], got nan");
  expect_refusal(
      [&] {
        rng.bernoulli(tensor({{0.5, 1.0}, {-0.25, 0.0}}));
      },
      "[bernoulli] probabilities must lie in [0, 1], got -0.25 at (1, 0)");
  expect_refusal([&] { rng.bernoulli(tensor({1, 0})); }, "[bernoulli] a floating type is needed, got i64");
  expect_refusal([&] { rng.categorical(tensor(1.0)); },
                 "[categorical] logits must hold at least one element along the axis, got shape ()");
  expect_refusal(
      [&] {
        rng.categorical(zeros({3, 0}));
      },
      "[categorical] logits must hold at least one element along the axis, got shape (3, 0)");
  expect_refusal([&] { rng.categorical(tensor({1, 2})); }, "[categorical] logits must be floating, got i64");
  expect_refusal(
      [&] {
        rng.categorical(full({2, 3}, -kInfinity));
      },
      "[categorical] row 0 of the logits (2, 3) has no softmax: it holds NaN or +inf, or nothing "
      "but -inf");
  expect_refusal([&] { rng.randint(3, 3, {2}); }, "[randint] low must be below high, got 3 and 3");
  expect_refusal([&] { rng.permutation(-1); }, "[permutation] n must not be negative, got -1");
  expect_refusal(
      [&] {
        rng.gamma(tensor({1.0, 0.0}));
      },
      "[gamma] alpha must be finite and above 0, got 0 at (1,)");
  expect_refusal([&] { rng.beta({2}, 1.0, -1.0); }, "[beta] beta must be finite and above 0, got -1 at (0,)");
  expect_refusal([&] { rng.beta({2}, kNan, 1.0); },
                 "[beta] alpha must be finite and above 0, got nan at (0,)");
  expect_refusal([&] { rng.beta(ones({2}), ones({3})); }, "[beta] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([&] { rng.poisson({2}, -1.0); }, "[poisson] the rate must lie in [0, 2^53], got -1 at (0,)");
}

}  // namespace
}  // namespace likely
