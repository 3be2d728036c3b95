// Document 001, from "Noise Contrastive Estimation" to "NCE and Negative Sampling" and the proof behind it,
// on a space of five words, where every expectation is a sum. docs/errata.md says what is wrong in print.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/prob/noise_contrastive.hpp"

namespace likely {

namespace {

const std::vector<double> kData{0.05, 0.1, 0.15, 0.3, 0.4}, kNoise{0.3, 0.25, 0.2, 0.15, 0.1};

Tensor log_of(const std::vector<double>& p) { return log(tensor(p)); }

// C = E_p log Pr(Y = 1 | w) + k E_q log Pr(Y = 0 | w), all of it as sums; `subtracts` for the objective as it
// is printed.
Tensor objective(const Tensor& log_u, double k, bool subtracts = false) {
  const Tensor x = log_u - log_of(kNoise) - std::log(k);
  const Tensor of_noise = subtracts ? -logsigmoid(x) : logsigmoid(-x);
  return sum(tensor(kData) * logsigmoid(x)) + k * sum(tensor(kNoise) * of_noise);
}

// Every word as often as it is probable: 20 data, and 20 for each of k.
Tensor repeated(const std::vector<double>& p, int times) {
  std::vector<std::int64_t> words;
  for (std::size_t i = 0; i < p.size(); ++i)
    words.insert(words.end(),
                 static_cast<std::size_t>(std::lround(20.0 * p[i])) * static_cast<std::size_t>(times),
                 static_cast<std::int64_t>(i));
  return tensor(words);
}

TEST(Document001Contrastive, ThePosteriorIsASigmoid) {
  for (const double k : {1.0, 5.0, 0.3}) {
    for (std::size_t i = 0; i < kData.size(); ++i) {
      // By Bayes' rule, from the prior 1 / (k + 1) and k / (k + 1).
      const double data = kData[i] / (k + 1.0), noise = kNoise[i] * k / (k + 1.0);
      const Tensor x = tensor(std::log(kData[i]) - std::log(k * kNoise[i]), DType::f64);
      EXPECT_NEAR(sigmoid(x).item(), data / (data + noise), 1e-14);
      EXPECT_NEAR(sigmoid(-x).item(), noise / (data + noise), 1e-14);
    }
  }
}

// likely's loss is minus the objective of the population where each word comes as often as it is probable.
TEST(Document001Contrastive, TheLossIsMinusTheObjective) {
  const Tensor log_u = tensor({-1.0, 0.5, 2.0, -3.0, 0.0}, DType::f64), log_q = log_of(kNoise);
  const auto at = [&](const Tensor& values, const Tensor& words) { return index_select(values, 0, words); };
  const Tensor data = repeated(kData, 1), noise = repeated(kNoise, 3);
  const Tensor loss =
      noise_contrastive_loss({at(log_u, data), at(log_q, data), at(log_u, noise), at(log_q, noise)}, 3.0);
  EXPECT_NEAR(loss.item(), -objective(log_u, 3.0).item(), 1e-12);
}

// At u = p the slope is 0 and the curvature negative: exp(w theta*) = p, with a normaliser of 1, for any k
// and any noise.
TEST(Document001Contrastive, TheOptimumIsTheDataWithNormaliserOne) {
  for (const double k : {0.5, 1.0, 5.0, 100.0}) {
    Tensor log_u = zeros({5}, DType::f64);
    const auto minus = [&](const Tensor& x) { return -objective(x, k); };
    for (int step = 0; step < 200; ++step) {
      // Each word has a term of its own: Newton's step, held short.
      const Tensor curvature = sum(hessian(log_u, minus), {1});
      log_u = log_u - minimum(maximum(grad(log_u, minus) / curvature, -1.0), 1.0);
    }
    for (std::int64_t i = 0; i < 5; ++i)
      EXPECT_NEAR(log_u.at({i}), std::log(kData[static_cast<std::size_t>(i)]), 1e-9) << k;
    EXPECT_NEAR(logsumexp(log_u, {0}).item(), 0.0, 1e-9) << k;
    // G* = nu q / p.
    const Tensor G = k * tensor(kNoise) / exp(log_u);
    for (std::int64_t i = 0; i < 5; ++i) {
      const auto j = static_cast<std::size_t>(i);
      EXPECT_NEAR(G.at({i}), k * kNoise[j] / kData[j], 1e-7) << k;
    }
  }
}

// delta C / delta G = -p / (1 + G) + nu q / (G (1 + G)), with the p of the data: printed is that of the
// model.
TEST(Document001Contrastive, TheFunctionalDerivativeHasTheProbabilityOfTheData) {
  const double nu = 3.0;
  const Tensor G = tensor({0.2, 1.0, 3.0, 0.7, 5.0}, DType::f64);
  const auto C = [&](const Tensor& g) {
    return -sum(tensor(kData) * log(1.0 + g)) + nu * sum(tensor(kNoise) * (log(g) - log(1.0 + g)));
  };
  const Tensor slope = grad(G, C);
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto j = static_cast<std::size_t>(i);
    const double g = G.at({i}), of_model = nu * kNoise[j] / g;
    EXPECT_NEAR(slope.at({i}), -kData[j] / (1.0 + g) + nu * kNoise[j] / (g * (1.0 + g)), 1e-12);
    // With the model's probability, which is nu q / G by the definition of G, it would be 0 wherever one is.
    EXPECT_NEAR(-of_model / (1.0 + g) + nu * kNoise[j] / (g * (1.0 + g)), 0.0, 1e-12);
    EXPECT_GT(std::abs(slope.at({i})), 1e-3);
  }
}

// Printed: sum log sigma(x) over data - sum log sigma(x) over noise. It has a slope at u = p, and no maximum:
// where p < k q it grows without end as u falls.
TEST(Document001Contrastive, ThePrintedObjectiveHasNoMaximum) {
  const double k = 5.0;
  const Tensor at_data = grad(log_of(kData), [&](const Tensor& x) { return objective(x, k, true); });
  EXPECT_GT(max(abs(at_data)).item(), 0.1);
  EXPECT_LT(max(abs(grad(log_of(kData), [&](const Tensor& x) { return objective(x, k); }))).item(), 1e-12);
  double before = objective(log_of(kData), k, true).item();
  for (const double lower : {10.0, 100.0, 1000.0}) {
    const double now = objective(log_of(kData) - lower, k, true).item();
    EXPECT_GT(now, before + 1.0);
    before = now;
  }
}

// k = |V| and uniform q: k q = 1, so that value and gradient are those of negative sampling.
TEST(Document001Contrastive, NegativeSamplingIsASpecialCase) {
  const std::int64_t pairs = 3, words = 7;
  Rng rng(4);
  const Tensor scores = rng.normal({pairs, words + 1}, 0.0, 2.0, DType::f64);
  const Tensor log_q = full({1}, -std::log(static_cast<double>(words)), DType::f64);
  const auto as_contrast = [&](const Tensor& s) {
    return noise_contrastive_loss({slice(s, 1, {0, 1}), log_q, slice(s, 1, {1, words + 1}), log_q},
                                  static_cast<double>(words));
  };
  const auto as_negatives = [&](const Tensor& s) {
    return negative_sampling_loss(slice(s, 1, {0, 1}), slice(s, 1, {1, words + 1}));
  };
  double by_hand = 0.0;
  for (std::int64_t i = 0; i < pairs; ++i) {
    by_hand -= std::log(1.0 / (1.0 + std::exp(-scores.at({i, 0}))));
    for (std::int64_t j = 1; j <= words; ++j) by_hand -= std::log(1.0 / (1.0 + std::exp(scores.at({i, j}))));
  }
  EXPECT_NEAR(as_negatives(scores).item(), by_hand / static_cast<double>(pairs), 1e-12);
  EXPECT_NEAR(as_contrast(scores).item(), as_negatives(scores).item(), 1e-12);
  const Tensor difference = grad(scores, as_contrast) - grad(scores, as_negatives);
  EXPECT_LT(max(abs(difference)).item(), 1e-14);
}

// With few noise words, as word2vec has them, k q is not 1: the optimum is then p / (m q), not p.
TEST(Document001Contrastive, NegativeSamplingWithFewWordsLearnsARatio) {
  const double m = 2.0;
  const auto loss = [&](const Tensor& s) {
    return -sum(tensor(kData) * logsigmoid(s)) - m * sum(tensor(kNoise) * logsigmoid(-s));
  };
  const Tensor ratio = log_of(kData) - log_of(kNoise) - std::log(m);
  EXPECT_LT(max(abs(grad(ratio, loss))).item(), 1e-12);
  EXPECT_GT(max(abs(grad(log_of(kData), loss))).item(), 0.1);
}

}  // namespace

}  // namespace likely
