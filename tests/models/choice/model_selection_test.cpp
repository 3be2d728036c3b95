#include "likely/models/choice/model_selection.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <limits>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::choice {
namespace {

using testing::expect_refusal;

TEST(ModelSelection, ExceedanceOfTwoIsTheBetaLaws) {
  for (const auto& counts :
       std::vector<std::vector<double>>{{1.0, 1.0}, {3.5, 9.2}, {40.0, 2.0}, {0.3, 0.4}}) {
    const auto p = exceedance_probabilities(counts);
    EXPECT_NEAR(p[0],
                boost::math::cdf(complement(boost::math::beta_distribution<>(counts[0], counts[1]), 0.5)),
                1e-12);
    EXPECT_NEAR(p[0] + p[1], 1.0, 1e-14);
  }
}

TEST(ModelSelection, ExceedanceOfSeveralIsTheirShareOfDraws) {
  for (const auto& counts : std::vector<std::vector<double>>{
           {2.0, 3.0, 4.0}, {0.5, 0.7, 1.5, 0.6}, {60.0, 55.0, 3.0}, {1.0, 1.0, 1.0, 1.0, 1.0}}) {
    const auto p = exceedance_probabilities(counts);
    constexpr std::int64_t kDraws = 50000;
    const Tensor drawn =
        Dirichlet(tensor(counts, {static_cast<std::int64_t>(counts.size())})).sample(Rng(1), {kDraws});
    std::vector<double> share(counts.size());
    for (const auto k : argmax(drawn, 1).to_vector<std::int64_t>()) {
      share[static_cast<std::size_t>(k)] += 1.0 / kDraws;
    }
    for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_NEAR(p[k], share[k], 0.01);
  }
  // The third of three that hardly counts leaves the beta law of the others.
  const auto three = exceedance_probabilities({7.0, 4.0, 1e-6});
  EXPECT_NEAR(three[0], exceedance_probabilities({7.0, 4.0})[0], 1e-4);
}

TEST(ModelSelection, DecisiveEvidenceCountsPeople) {
  // Seven of ten people use the first model beyond doubt: the counts are 1 + 7 and 1 + 3, and the evidence of
  // the frequencies is that of the known assignments, B(8, 4) / B(1, 1).
  std::vector<double> evidence;
  for (int n = 0; n < 10; ++n) {
    evidence.push_back(n < 7 ? 0.0 : -200.0);
    evidence.push_back(n < 7 ? -200.0 : 0.0);
  }
  const ModelSelection s = select_models(evidence, 2);
  EXPECT_TRUE(s.converged);
  EXPECT_NEAR(s.counts[0], 8.0, 1e-9);
  EXPECT_NEAR(s.counts[1], 4.0, 1e-9);
  EXPECT_NEAR(s.frequencies[0], 8.0 / 12.0, 1e-9);
  EXPECT_NEAR(s.exceedance[0], boost::math::cdf(complement(boost::math::beta_distribution<>(8.0, 4.0), 0.5)),
              1e-9);
  const double known = std::lgamma(8.0) + std::lgamma(4.0) - std::lgamma(12.0);
  EXPECT_NEAR(s.log_evidence, known, 1e-9);
  EXPECT_NEAR(s.null_evidence, -10.0 * std::log(2.0), 1e-9);
  const double risk = 1.0 / (1.0 + std::exp(known + 10.0 * std::log(2.0)));
  EXPECT_NEAR(s.omnibus_risk, risk, 1e-9);
  EXPECT_NEAR(s.protected_exceedance[0], (1.0 - risk) * s.exceedance[0] + risk / 2.0, 1e-12);
  EXPECT_NEAR(s.assignments[0], 1.0, 1e-12);
}

TEST(ModelSelection, TheBoundIsBelowTheExactEvidence) {
  // For two models the integral over the frequency is that of a polynomial.
  const std::vector<double> evidence = {0.0, -1.0, -0.5, 0.3, 1.2, -0.7, 0.1, 0.4, 2.0, 0.0};
  std::vector<double> polynomial = {1.0};  // in r
  for (std::size_t n = 0; n < 5; ++n) {
    const double a = std::exp(evidence[2 * n]), b = std::exp(evidence[2 * n + 1]);
    std::vector<double> next(polynomial.size() + 1);
    for (std::size_t i = 0; i < polynomial.size(); ++i) {
      next[i] += polynomial[i] * b;
      next[i + 1] += polynomial[i] * (a - b);
    }
    polynomial = next;
  }
  double exact = 0.0;
  for (std::size_t i = 0; i < polynomial.size(); ++i) exact += polynomial[i] / static_cast<double>(i + 1);
  const ModelSelection s = select_models(evidence, 2);
  EXPECT_LE(s.log_evidence, std::log(exact));
  EXPECT_NEAR(s.log_evidence, std::log(exact), 0.5);
  // The bound is at its maximum: the fixed point of the updates.
  EXPECT_TRUE(s.converged);
  EXPECT_NEAR(s.counts[0] + s.counts[1], 7.0, 1e-9);
}

TEST(ModelSelection, EvidenceThatTellsNothingProtects) {
  const ModelSelection s = select_models(std::vector<double>(30, -100.0), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(s.frequencies[k], 1.0 / 3.0, 1e-9);
    EXPECT_NEAR(s.exceedance[k], 1.0 / 3.0, 1e-9);
    EXPECT_NEAR(s.protected_exceedance[k], 1.0 / 3.0, 1e-9);
  }
  EXPECT_GT(s.omnibus_risk, 0.5);
}

TEST(ModelSelection, Refusals) {
  expect_refusal([] { select_models({1.0}, 1); }, "[select_models] at least 2 models are needed, got 1");
  expect_refusal([] { select_models({}, 2); }, "[select_models] there are no subjects");
  expect_refusal(
      [] {
        select_models({1.0, 2.0, 3.0}, 2);
      },
      "[select_models] 3 log-evidences are not a row of 2 for each subject");
  expect_refusal(
      [] {
        select_models({1.0, 2.0, 3.0, std::nan("")}, 2);
      },
      "[select_models] the log-evidence of subject 2, model 2 is nan");
  expect_refusal(
      [] {
        select_models({1.0, 2.0}, 2, {.prior_count = 0.0});
      },
      "[select_models] prior_count must be finite and above 0, got 0");
  expect_refusal(
      [] {
        exceedance_probabilities({1.0, -1.0});
      },
      "[exceedance_probabilities] count 2 must be finite and above 0, got -1");
}

}  // namespace
}  // namespace likely::choice
