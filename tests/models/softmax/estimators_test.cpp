// The comparison of estimators beside closed forms and sums by hand; its files.
#include "likely/models/softmax/estimators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "likely/core/threads.hpp"
#include "likely/io/csv.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::estimators {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

const EstimatorRow& row_of(const EstimatorStudy& study, const std::string& problem, const std::string& name) {
  const auto row = std::find_if(study.rows.begin(), study.rows.end(), [&](const EstimatorRow& one) {
    return one.problem == problem && one.estimator == name;
  });
  if (row == study.rows.end()) throw Error("no row " + name);
  return *row;
}

// The derivative of sum_k p_k f_k by theta, with p = softmax(theta s), by hand.
double gradient_over_classes(double theta) {
  const std::vector<double> s = {1.2, -0.4, 0.3, -1.1, 0.8, 0.1, -0.7, 0.5, -0.2, -0.9};
  const std::vector<double> w = {0.6, -0.9, 1.1, 0.2, -0.3, 1.5, -1.2, 0.8, 0.0, -0.5};
  double total = 0.0, f = 0.0, mean_s = 0.0, sf = 0.0;
  for (const double x : s) total += std::exp(theta * x);
  for (std::size_t k = 0; k < s.size(); ++k) {
    const double p = std::exp(theta * s[k]) / total, value = (1.0 + w[k]) * (1.0 + w[k]);
    f += p * value;
    mean_s += p * s[k];
    sf += p * s[k] * value;
  }
  return sf - mean_s * f;
}

TEST(Estimators, FindTheGradientUnlessTheyAreBiased) {
  for (const double theta : {1.0, -2.5}) {
    const EstimatorStudy study =
        compare_estimators({.theta = theta, .samples = 50, .repetitions = 3000, .seed = 3});
    ASSERT_EQ(study.rows.size(), 15U);
    for (const EstimatorRow& row : study.rows) {
      const double exact = row.problem == "normal" ? 8.0 * theta + 12.0 : gradient_over_classes(theta);
      EXPECT_NEAR(row.exact, exact, 1e-11);
      EXPECT_NEAR(row.standard_error, std::sqrt(row.variance / 3000.0), 1e-12);
      if (row.unbiased) {
        EXPECT_NEAR(row.mean, exact, 4.5 * row.standard_error) << row.problem << " " << row.estimator;
      }
    }
    for (const char* name : {"straight-through", "Gumbel-softmax", "Gumbel-softmax, hard"}) {
      const EstimatorRow& row = row_of(study, "classes", name);
      EXPECT_FALSE(row.unbiased);
      if (theta > 0.0) {
        EXPECT_GT(std::abs(row.mean - row.exact), 6.0 * row.standard_error) << name;
      }
    }
  }
}

// Of one sample: a^2 times 1, m^4 + 14 m^2 + 15 and 8 m^2 + 10, from the moments of a normal law, with a^2
// = 4.
TEST(Estimators, HaveTheVariancesOfTheDocumentsExample) {
  const double m = 5.0, m2 = m * m;
  const EstimatorStudy study = compare_estimators({.theta = 1.0, .samples = 40, .repetitions = 4000});
  const auto expect_variance = [&](const char* name, double of_one) {
    const EstimatorRow& row = row_of(study, "normal", name);
    EXPECT_NEAR(row.variance, of_one / 40.0, 0.15 * of_one / 40.0) << name;
  };
  expect_variance("reparameterised", 4.0 * 4.0);
  expect_variance("score", 4.0 * (m2 * m2 + 14.0 * m2 + 15.0));
  expect_variance("score, mean of earlier values", 4.0 * (8.0 * m2 + 10.0));
  EXPECT_LT(row_of(study, "normal", "score, leave-one-out").relative,
            row_of(study, "normal", "score").relative);
  EXPECT_EQ(row_of(study, "normal", "reparameterised").relative, 1.0);
}

TEST(Estimators, DrawSpreadsAndErrors) {
  const EstimatorStudy study = compare_estimators({.repetitions = 500});
  ASSERT_EQ(study.spreads.size(), 2U);
  std::vector<double> squares;
  for (const Spread& spread : study.spreads) {
    ASSERT_EQ(spread.theta.size(), spread.estimate.size());
    EXPECT_NEAR(spread.theta.front(), -5.0, 1e-12);
    EXPECT_NEAR(spread.theta.back(), 2.0, 1e-12);
    double sum = 0.0;
    for (std::size_t i = 0; i < spread.theta.size(); ++i)
      sum += std::pow(spread.estimate[i] - (8.0 * spread.theta[i] + 12.0), 2.0);
    squares.push_back(sum / static_cast<double>(spread.theta.size()));
  }
  EXPECT_EQ(study.spreads[0].estimator, "score");
  EXPECT_GT(squares[0], 20.0 * squares[1]);
  EXPECT_NEAR(squares[1], 0.16, 0.04);  // 16 / 100 samples
  for (const ErrorCurve& curve : study.curves) {
    ASSERT_EQ(curve.samples.size(), curve.error.size());
    EXPECT_LT(curve.error.back(), curve.error.front()) << curve.estimator;
    if (curve.estimator.starts_with("without replacement")) {
      EXPECT_LT(curve.error.back(), 1e-12);
    }
  }
}

TEST(Estimators, GiveTheSameBitsForTheSameSeed) {
  const int saved = threads();
  set_threads(1);
  const std::string one = estimators_json(compare_estimators({.repetitions = 50}));
  set_threads(2);
  EXPECT_EQ(estimators_json(compare_estimators({.repetitions = 50})), one);
  set_threads(saved);
  EXPECT_NE(estimators_json(compare_estimators({.repetitions = 50, .seed = 2})), one);
}

TEST(Estimators, WriteTablesAndFigures) {
  const TemporaryFolder folder;
  const EstimatorStudy study = compare_estimators({.repetitions = 20});
  const runs::Drawn drawn = write_estimators(study, folder.path(), true);
  // Without gnuplot there is a warning, and no picture.
  EXPECT_EQ(drawn.pictures.size() + 4 * drawn.warnings.size(), 4U);
  for (const char* name : {"spread", "samples", "classes", "relaxation"})
    EXPECT_TRUE(std::filesystem::exists(folder / "figures" / (std::string(name) + ".gp"))) << name;
  const std::string table = testing::read_bytes(folder / "estimators.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 16);
  EXPECT_TRUE(table.starts_with("problem,estimator,unbiased,samples,repetitions,mean,")) << table;
  EXPECT_NE(table.find("\nclasses,\"score, leave-one-out\",yes,4,20,"), std::string::npos) << table;
  const std::string spread = testing::read_bytes(folder / "spread.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(spread.begin(), spread.end(), '\n')),
            1 + 2 * study.spreads[0].theta.size());
  EXPECT_TRUE(std::filesystem::exists(folder / "errors.csv"));
  const std::string relaxation = testing::read_bytes(folder / "relaxation.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(relaxation.begin(), relaxation.end(), '\n')),
            1 + 2 * study.relaxation.rows.size());
  const std::string text = estimators_text(study);
  EXPECT_NE(text.find("reparameterised"), std::string::npos) << text;
  EXPECT_NE(text.find("biased"), std::string::npos) << text;
}

TEST(Estimators, CanBeGivenUpAndRefuse) {
  int asked = 0;
  EstimatorOptions given_up{.repetitions = 10};
  given_up.cancelled = [&] { return ++asked > 20; };
  EXPECT_THROW(compare_estimators(given_up), Cancelled);
  expect_refusal([] { compare_estimators({.samples = 1}); }, "`samples` must be in [2, 1048576], got 1");
  expect_refusal([] { compare_estimators({.repetitions = 1}); },
                 "`repetitions` must be in [2, 10000000], got 1");
  expect_refusal([] { compare_estimators({.theta = std::nan("")}); },
                 "`theta` must be in [-1000, 1000], got nan");
}

}  // namespace
}  // namespace likely::estimators
