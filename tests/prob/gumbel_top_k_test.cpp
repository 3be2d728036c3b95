// Sampling without replacement and Gumbels with a given maximum, against enumeration.
#include "likely/prob/sampling/gumbel_top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "likely/prob/distributions/truncated_gumbel.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using kernels::kolmogorov_smirnov;
using testing::check_gradients;
using testing::expect_refusal;
using In = const std::vector<Tensor>&;
using Order = std::vector<std::int64_t>;

// Keys are fixed, so a probability above this one is the same in every run.
constexpr double kLeast = 0.001;
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<double> kLogits = {0.4, -1.1, 1.3, 0.0, -0.3};

// All ordered choices of k of n classes.
std::vector<Order> orders(std::int64_t n, std::size_t k) {
  std::vector<Order> all = {{}};
  for (std::size_t step = 0; step < k; ++step) {
    std::vector<Order> longer;
    for (const Order& order : all) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (std::find(order.begin(), order.end(), i) != order.end()) continue;
        longer.push_back(order);
        longer.back().push_back(i);
      }
    }
    all = longer;
  }
  return all;
}

// Each by the softmax of what is left.
double probability_of(const std::vector<double>& logits, const Order& order) {
  double left = 0.0, p = 1.0;
  for (const double l : logits) left += std::exp(l);
  for (const std::int64_t i : order) {
    const double weight = std::exp(logits[static_cast<std::size_t>(i)]);
    p *= weight / left;
    left -= weight;
  }
  return p;
}

// Over all orders of the set.
double probability_of_set(const std::vector<double>& logits, Order set) {
  std::sort(set.begin(), set.end());
  double p = 0.0;
  do p += probability_of(logits, set);
  while (std::next_permutation(set.begin(), set.end()));
  return p;
}

Tensor repeated(const std::vector<double>& logits, std::int64_t rows, DType dtype = DType::f32) {
  return expand(tensor(logits).to(dtype), {rows, static_cast<std::int64_t>(logits.size())}).contiguous();
}

TEST(GumbelMax, IndexIsCategoricalMaximumIsGumbelAndTheyAreIndependent) {
  const std::int64_t rows = 60'000;
  const GumbelMax drawn = gumbel_max(repeated(kLogits, rows), Rng(3));
  const std::vector<std::int64_t> index = drawn.index.to_vector<std::int64_t>();
  const std::vector<double> maximum = drawn.maximum.to_vector<double>();
  double total = 0.0;
  for (const double l : kLogits) total += std::exp(l);
  const double lse = std::log(total);
  const auto cdf = [&](double x) { return std::exp(-std::exp(lse - x)); };
  EXPECT_GT(kolmogorov_smirnov(maximum, cdf), kLeast);
  // Classes by quarters of the maximum's law: independent means the product everywhere.
  std::vector<double> counts(4 * kLogits.size()), expected;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto quarter = std::min<std::size_t>(3, static_cast<std::size_t>(4.0 * cdf(maximum[i])));
    counts[4 * static_cast<std::size_t>(index[i]) + quarter] += 1.0;
  }
  for (const double l : kLogits) {
    for (int quarter = 0; quarter < 4; ++quarter) expected.push_back(std::exp(l) / total * rows / 4.0);
  }
  EXPECT_GT(chi_square(counts, expected), kLeast);
  for (const double l : maximum) ASSERT_TRUE(std::isfinite(l));
}

TEST(GumbelTopK, OrderedSamplesFollowTheirLaw) {
  const std::int64_t rows = 60'000;
  for (const DType dtype : {DType::f32, DType::f64}) {
    const PerturbedSample drawn = gumbel_top_k(repeated(kLogits, rows, dtype), 3, Rng(5));
    EXPECT_EQ(drawn.indices.shape(), (Shape{rows, 3}));
    EXPECT_EQ(drawn.perturbed.dtype(), dtype);
    EXPECT_EQ(drawn.threshold.shape(), Shape{rows});
    std::map<Order, double> seen;
    const std::vector<std::int64_t> index = drawn.indices.to_vector<std::int64_t>();
    for (std::size_t r = 0; r < index.size(); r += 3) seen[{index[r], index[r + 1], index[r + 2]}] += 1.0;
    std::vector<double> counts, expected;
    for (const Order& order : orders(5, 3)) {
      counts.push_back(seen[order]);
      expected.push_back(probability_of(kLogits, order) * static_cast<double>(rows));
    }
    EXPECT_GT(chi_square(counts, expected), kLeast);
  }
}

// Given the order, kappa is the largest of the rest, below what is in the sample: the whole joint law says
// that waits e^-g in units of what is left are independent and exponential.
TEST(GumbelTopK, PerturbedLogitsAndThresholdFollowTheirLaw) {
  for (const std::int64_t classes : {5, 2000}) {  // by noise, and by a race
    const std::int64_t rows = 3000, k = 3;
    const Tensor logits = Rng(2).normal({1, classes}, 0.0, 1.5, DType::f64);
    const PerturbedSample drawn = gumbel_top_k(expand(logits, {rows, classes}), k, Rng(8));
    const Tensor all = concat({drawn.perturbed, unsqueeze(drawn.threshold, -1)}, -1);
    const Tensor times = exp(-all);
    const Tensor before = concat({zeros({rows, 1}, DType::f64), slice(times, -1, {0, k})}, -1);
    // What is left before each draw.
    const Tensor weights = take_along_axis(exp(expand(logits, {rows, classes})), drawn.indices, -1);
    const Tensor gone = concat({zeros({rows, 1}, DType::f64), cumsum(weights, -1)}, -1);
    const Tensor waits = (times - before) * (sum(exp(logits)) - gone);
    EXPECT_GT(kolmogorov_smirnov(waits.to_vector<double>(), [](double t) { return -std::expm1(-t); }),
              kLeast);
  }
}

TEST(GumbelTopK, EveryClassOnceWhereAllAreDrawn) {
  const PerturbedSample drawn = gumbel_top_k(repeated(kLogits, 7), 5, Rng(1));
  EXPECT_TRUE(array_equal(sort(drawn.indices), expand(arange(5), {7, 5})));
  EXPECT_TRUE(array_equal(drawn.threshold, full({7}, -kInf)));
  // -inf is never drawn, and nothing is left over it.
  const PerturbedSample some = gumbel_top_k(tensor({{-kInf, 1.0, -kInf, 2.0}}), 2, Rng(1));
  EXPECT_TRUE(array_equal(sort(some.indices), tensor({{1, 3}})));
  EXPECT_EQ(some.threshold.at({0}), -kInf);
}

TEST(GumbelTopK, TheSameOnAnyNumberOfThreadsForStridedAndTrackedLogits) {
  const Tensor x = Rng(4).normal({12, 9000});
  const PerturbedSample one = gumbel_top_k(x, 6, Rng(9));
  const int saved = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const PerturbedSample more = gumbel_top_k(x, 6, Rng(9));
    EXPECT_TRUE(array_equal(one.indices, more.indices));
    EXPECT_TRUE(array_equal(one.perturbed, more.perturbed));
    EXPECT_TRUE(array_equal(one.threshold, more.threshold));
  }
  set_threads(saved);
  const Tensor turned = transpose(transpose(x, 0, 1).contiguous(), 0, 1);
  EXPECT_TRUE(array_equal(gumbel_top_k(turned, 6, Rng(9)).perturbed, one.perturbed));
  const Tensor slope =
      grad(x, [](const Tensor& v) { return sum(gumbel_top_k(v, 6, Rng(9)).perturbed) + sum(v) * 0.0; });
  EXPECT_TRUE(array_equal(slope, zeros_like(x)));
}

TEST(GumbelTopK, ShapesOfBatches) {
  for (const std::int64_t classes : {4, 2000}) {
    const PerturbedSample drawn = gumbel_top_k(zeros({2, 3, classes}), 2, Rng(1));
    EXPECT_EQ(drawn.indices.shape(), (Shape{2, 3, 2}));
    EXPECT_EQ(drawn.threshold.shape(), (Shape{2, 3}));
    EXPECT_EQ(gumbel_top_k(zeros({0, classes}), 2, Rng(1)).indices.shape(), (Shape{0, 2}));
    EXPECT_EQ(gumbel_top_k(zeros({classes}), 2, Rng(1)).threshold.shape(), Shape());
    EXPECT_EQ(gumbel_max(zeros({2, 3, classes}), Rng(1)).index.shape(), (Shape{2, 3}));
  }
}

TEST(GumbelTopK, Refusals) {
  expect_refusal([] { gumbel_top_k(tensor(1.0), 1, Rng(1)); },
                 "[gumbel_top_k] logits must hold at least one element along the axis, got shape ()");
  expect_refusal([] { gumbel_top_k(arange(3), 1, Rng(1)); },
                 "[gumbel_top_k] logits must be floating, got i64");
  expect_refusal([] { gumbel_top_k(zeros({3}), 0, Rng(1)); }, "[gumbel_top_k] k must be in [1, 3], got 0");
  expect_refusal([] { gumbel_top_k(zeros({3}), 4, Rng(1)); }, "[gumbel_top_k] k must be in [1, 3], got 4");
  for (const std::int64_t classes : {3, 3000}) {
    Tensor few = full({2, classes}, -kInf);
    few = where(arange(classes) == 1.0, 0.0, few);
    expect_refusal([&] { gumbel_top_k(few, 2, Rng(1)); },
                   "[gumbel_top_k] row 0 of the logits has fewer than k = 2 classes that are not -inf");
    for (const double bad : {kInf, std::numeric_limits<double>::quiet_NaN()}) {
      const Tensor broken = where(unsqueeze(arange(2) == 1.0, -1), bad, zeros({2, classes}));
      expect_refusal([&] { gumbel_top_k(broken, 1, Rng(1)); },
                     "[gumbel_top_k] row 1 of the logits (2, " + std::to_string(classes) +
                         ") has no softmax: it holds NaN or +inf, or nothing but -inf");
    }
  }
}

TEST(OrderedLogProb, IsTheProductOfSoftmaxesOfWhatIsLeft) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{3}, std::size_t{5}}) {
    double total = 0.0;
    for (const Order& order : orders(5, k)) {
      const double log_p = ordered_log_prob(tensor(kLogits), tensor(order)).item();
      EXPECT_NEAR(log_p, std::log(probability_of(kLogits, order)), 1e-13);
      total += std::exp(log_p);
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
  }
  // Shifts, far logits and batches.
  const Tensor far = tensor({{1000.0, 0.0, -1000.0}, {0.0, -kInf, 0.0}}, DType::f64);
  const Tensor log_p = ordered_log_prob(far, tensor({{1, 0}, {2, 0}}));
  EXPECT_EQ(log_p.at({0}), -1000.0);
  EXPECT_NEAR(log_p.at({1}), -std::numbers::ln2, 1e-15);
  EXPECT_EQ(ordered_log_prob(tensor(kLogits), tensor({1, 1})).item(), -kInf);
  EXPECT_EQ(ordered_log_prob(tensor({0.0, -kInf}), tensor({0, 1})).item(), -kInf);
}

TEST(SetLogProb, IsTheSumOverAllOrders) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}}) {
    for (const Order& order : orders(5, k)) {
      if (!std::is_sorted(order.begin(), order.end())) continue;
      EXPECT_NEAR(set_log_prob(tensor(kLogits), tensor(order)).item(),
                  std::log(probability_of_set(kLogits, order)), 1e-12);
    }
  }
  // Eight of ten, among them classes that are rare or certain: 40320 orders.
  const std::vector<double> wide = {12.0, -9.0, 0.0, 3.0, -30.0, 1.0, 0.5, 8.0, -2.0, 2.0};
  for (const Order& order : {Order{0, 1, 2, 3, 4, 5, 6, 7}, Order{1, 2, 3, 4, 5, 6, 8, 9}}) {
    const double expected = std::log(probability_of_set(wide, order));
    EXPECT_NEAR(set_log_prob(tensor(wide), tensor(order)).item(), expected, 1e-11 * std::abs(expected));
  }
  // Far apart, where the integrand has steps: the last digits are those of the rule.
  const std::vector<double> far = Rng(4).normal({60}, 0.0, 8.0, DType::f64).to_vector<double>();
  for (const std::uint64_t seed : {1U, 3U, 6U}) {
    Order order = argsort(Rng(seed).uniform({60})).to_vector<std::int64_t>();
    order.resize(6);
    const double expected = std::log(probability_of_set(far, order));
    EXPECT_NEAR(set_log_prob(tensor(far), tensor(order)).item(), expected, 2e-14 * std::abs(expected))
        << seed;
  }
  EXPECT_EQ(set_log_prob(tensor(kLogits), tensor({2, 2})).item(), -kInf);
  EXPECT_EQ(set_log_prob(tensor({0.0, 1.0, -kInf}), tensor({0, 1})).item(), 0.0);
}

// n equal classes: 1 / C(n, k), for k far beyond any sum over orders; and in f32.
TEST(SetLogProb, NeedsEachOfItsClassesToBePossible) {
  // Where nothing is left over, too, a class that is never drawn makes the set impossible, as any order of
  // it.
  const Tensor logits = tensor({{0.0, -kInf, -kInf}, {0.5, 1.0, -kInf}, {0.5, 1.0, 2.0}}, DType::f64);
  for (const Order& order : {Order{0, 1}, Order{1, 0}}) {
    const Tensor sets = set_log_prob(logits, reshape(tensor(order), {1, 2})),
                 one = ordered_log_prob(logits, reshape(tensor(order), {1, 2}));
    EXPECT_EQ(sets.at({0}), -kInf);
    EXPECT_EQ(one.at({0}), -kInf);
    EXPECT_EQ(sets.at({1}), 0.0);
    EXPECT_LT(sets.at({2}), 0.0);
  }
  EXPECT_EQ(set_log_prob(logits, tensor({{0, 2}})).at({1}), -kInf);
  EXPECT_EQ(set_log_prob(logits, tensor({{0, 1, 2}})).to_vector<double>(),
            (std::vector<double>{-kInf, -kInf, 0.0}));
  // What is impossible has no derivative, and spoils no other.
  const Tensor g = grad(logits, [](const Tensor& z) {
    const Tensor p = set_log_prob(z, tensor({{0, 1}}));
    return sum(where(is_finite(p), p, 0.0));
  });
  EXPECT_TRUE(all(is_finite(g)).item() != 0.0);
}

TEST(SetLogProb, RefusesRowsWithoutASoftmax) {
  const Tensor bad = tensor({{0.0, 1.0}, {-kInf, -kInf}}, DType::f64);
  expect_refusal(
      [&] {
        set_log_prob(bad, tensor({{0, 1}}));
      },
      "[set_log_prob] row 1 of the logits (2, 2) has no softmax: it holds NaN or +inf, or nothing but -inf");
  expect_refusal(
      [&] {
        ordered_log_prob(bad, tensor({{0, 1}}));
      },
      "[ordered_log_prob] row 1 of the logits (2, 2) has no softmax: it holds NaN or +inf, or nothing but "
      "-inf");
}

TEST(SetLogProb, OfEqualClassesCountsSubsets) {
  for (const std::int64_t k : {1, 5, 20, 100, 300}) {
    const std::int64_t n = 400;
    const double expected = std::lgamma(k + 1.0) + std::lgamma(n - k + 1.0) - std::lgamma(n + 1.0);
    EXPECT_NEAR(set_log_prob(full({n}, 0.7, DType::f64), arange(k)).item(), expected,
                1e-11 * std::abs(expected))
        << k;
    EXPECT_NEAR(set_log_prob(full({n}, 0.7), arange(k)).item(), expected, 3e-6 * std::abs(expected)) << k;
  }
}

TEST(OrderedLogProb, Derivatives) {
  const Tensor chosen = tensor({{2, 0, 3}, {1, 4, 0}});
  const Tensor logits = testing::numbers({2, 5}, 1.5);
  check_gradients("ordered_log_prob", [&](In in) { return ordered_log_prob(in[0], chosen); }, {logits});
  check_gradients("set_log_prob", [&](In in) { return set_log_prob(in[0], chosen); }, {logits});
  check_gradients("inclusion_log_prob", [](In in) { return inclusion_log_prob(in[0], in[1]); },
                  {testing::numbers({6}, 3.0), testing::numbers({1}, 1.0)});
  // Finite beside -inf, and where nothing is left over.
  const Tensor open = tensor({{0.0, -kInf, 1.0, 2.0}, {0.5, -kInf, -kInf, 1.0}}, DType::f64);
  const Tensor two = tensor({{0, 3}, {3, 0}});
  for (const auto& f : {&ordered_log_prob, &set_log_prob}) {
    const Tensor slope = grad(open, [&](const Tensor& v) { return sum(f(v, two)); });
    EXPECT_TRUE(all(is_finite(slope)).item() != 0.0);
    EXPECT_NEAR(sum(slope).item(), 0.0, 1e-12);  // shifts change nothing
  }
}

TEST(InclusionLogProb, KeepsItsDigitsAtBothEnds) {
  // mpmath: log(-expm1(-exp(y)))
  const std::vector<std::pair<double, double>> known = {
      {-1000.0, -1000.0},           {-40.0, -40.0000000000000000021}, {-10.0, -10.0000226998790026},
      {-9.5, -9.50003742568149400}, {-2.0, -2.0669046064441695754},   {-0.5, -0.78798373870444865},
      {0.0, -0.45867514538708189},  {2.0, -0.000618170017051520194},  {5.0, -3.50738919646462309642e-65},
  };
  for (const auto& [y, expected] : known) {
    const double wide = inclusion_log_prob(tensor(y - 3.0, DType::f64), tensor(-3.0, DType::f64)).item();
    EXPECT_NEAR(wide, expected, 4e-14 * std::abs(expected)) << y;
    if (y == 5.0) continue;  // too small for a float
    const double narrow = inclusion_log_prob(tensor(y), tensor(0.0)).item();
    EXPECT_NEAR(narrow, expected, 3e-6 * std::abs(expected)) << y;
  }
  for (const double y : {-kInf, kInf}) {
    EXPECT_EQ(inclusion_log_prob(tensor(y), tensor(0.0)).item(), y < 0.0 ? -kInf : 0.0);
    const Tensor slope = grad(tensor(y), [](const Tensor& v) { return inclusion_log_prob(v, tensor(0.0)); });
    EXPECT_TRUE(std::isfinite(slope.item())) << y;
  }
  EXPECT_EQ(
      grad(tensor(-500.0, DType::f64), [](const Tensor& v) { return inclusion_log_prob(v, tensor(0.0)); })
          .item(),
      1.0);
}

// Given the threshold, classes are in the sample independently of each other.
TEST(InclusionLogProb, IsTheFrequencyAboveAThreshold) {
  const Tensor phi = tensor({-1.0, 0.5, 2.0});
  const std::int64_t rows = 40'000;
  const Tensor above = (phi + Rng(6).gumbel({rows, 3})) > 0.7;
  const std::vector<double> frequency = mean(above.to(DType::f64), 0).to_vector<double>();
  const std::vector<double> p = exp(inclusion_log_prob(phi, tensor(0.7))).to_vector<double>();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(frequency[i], p[i], 4.0 * std::sqrt(p[i] * (1.0 - p[i]) / rows));
  }
}

TEST(GumbelsWithMaximum, FollowTruncatedGumbelLaws) {
  const std::int64_t rows = 20'000;
  for (const double T : {-3.0, 0.5, 6.0}) {
    const Tensor phi = tensor(kLogits);
    const Tensor moved =
        gumbels_with_maximum(phi + Rng(7).gumbel({rows, 5}, DType::f64), full({rows}, T, DType::f64));
    EXPECT_TRUE(array_equal(max(moved, -1), full({rows}, T, DType::f64)));
    // The argmax is as probable as before, whatever T.
    std::vector<double> counts(5), expected;
    double total = 0.0;
    for (const std::int64_t i : argmax(moved, -1).to_vector<std::int64_t>())
      counts[static_cast<std::size_t>(i)] += 1.0;
    for (const double l : kLogits) total += std::exp(l);
    for (const double l : kLogits) expected.push_back(rows * std::exp(l) / total);
    EXPECT_GT(chi_square(counts, expected), kLeast);
    // And all others are truncated at T.
    for (std::int64_t i = 0; i < 5; ++i) {
      std::vector<double> others;
      for (const double g : select(moved, -1, i).to_vector<double>()) {
        if (g < T) others.push_back(g);
      }
      const double phi_i = kLogits[static_cast<std::size_t>(i)];
      EXPECT_GT(kolmogorov_smirnov(
                    others, [&](double g) { return std::exp(std::exp(phi_i - T) - std::exp(phi_i - g)); }),
                kLeast);
    }
  }
}

TEST(GumbelsWithMaximum, IsTheFormulaWhereThatHasDigitsAndStaysRightBeyond) {
  const Tensor g = tensor({0.3, 1.7, -2.0, 1.1}, DType::f64);
  for (const double T : {-1.0, 1.7, 4.0}) {
    const std::vector<double> moved = gumbels_with_maximum(g, tensor(T, DType::f64)).to_vector<double>();
    const std::vector<double> from = g.to_vector<double>();
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(moved[i], -std::log(std::exp(-T) - std::exp(-1.7) + std::exp(-from[i])), 1e-13);
    }
    EXPECT_EQ(moved[1], T);
  }
  for (const DType dtype : {DType::f32, DType::f64}) {
    // Far above and far below: e^-g overflows or vanishes in the formula.
    const Tensor high =
        gumbels_with_maximum(tensor({2000.0, 1999.0, -2000.0}, dtype), tensor(-1500.0, dtype));
    EXPECT_EQ(high.at({0}), -1500.0);
    EXPECT_NEAR(high.at({1}), -1500.0, 1e-3);
    EXPECT_NEAR(high.at({2}), -2000.0, 1e-3);
    const Tensor low = gumbels_with_maximum(tensor({-2000.0, -2001.0, -2000.0}, dtype), tensor(1e4, dtype));
    EXPECT_EQ(low.at({0}), 1e4);
    EXPECT_EQ(low.at({2}), 1e4) << "ties";
    EXPECT_NEAR(low.at({1}), -2001.0 - std::log1p(-std::exp(-1.0)), 1e-3);
    const Tensor never = gumbels_with_maximum(tensor({0.0, -kInf, -1.0}, dtype), tensor(2.0, dtype));
    EXPECT_EQ(never.at({0}), 2.0);
    EXPECT_EQ(never.at({1}), -kInf);
    const Tensor nothing = gumbels_with_maximum(tensor({-kInf, -kInf}, dtype), tensor(2.0, dtype));
    EXPECT_EQ(nothing.at({0}), -kInf);
    const Tensor dead = gumbels_with_maximum(tensor({0.0, -1.0}, dtype), tensor(-kInf, dtype));
    EXPECT_EQ(dead.at({0}), -kInf);
    EXPECT_EQ(dead.at({1}), -kInf);
  }
}

TEST(GumbelsWithMaximum, Derivatives) {
  check_gradients("gumbels_with_maximum", [](In in) { return gumbels_with_maximum(in[0], in[1]); },
                  {testing::numbers({3, 5}, 2.0), testing::numbers({3}, 2.0, 1)});
  const Tensor hard = tensor(
      {{0.0, -kInf, 700.0, 700.0}, {-900.0, 3.0, 2.0, -kInf}, {-kInf, -kInf, -kInf, -kInf}}, DType::f64);
  for (const double T : {-800.0, 0.0, 800.0}) {
    const auto [dg, dT] =
        grad(std::tuple(hard, full({3}, T, DType::f64)), [](const Tensor& g, const Tensor& m) {
          const Tensor moved = gumbels_with_maximum(g, m);
          return sum(where(is_finite(moved), moved, 0.0));
        });
    EXPECT_TRUE(all(is_finite(dg)).item() != 0.0) << T;
    EXPECT_TRUE(all(is_finite(dT)).item() != 0.0) << T;
  }
}

}  // namespace
}  // namespace likely
