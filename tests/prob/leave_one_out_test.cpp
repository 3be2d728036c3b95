#include "likely/prob/inference/leave_one_out.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/reference.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

TEST(LeaveOneOut, WeightsAsThePublishedFormulaeSmoothThem) {
  testing::ReferenceFunctions functions;
  for (const char* name : {"light", "middle", "heavy", "bounded"}) {
    functions[name] = [](const std::vector<Tensor>& inputs) {
      const SmoothedWeights result = pareto_smoothed(inputs[0].to_vector<double>(), inputs[1].item());
      std::vector<double> all = result.log_weights;
      all.push_back(result.k);
      return tensor(all);
    };
  }
  testing::expect_parity("smoothing", functions, 1e-9);
}

TEST(LeaveOneOut, FindsTheShapeOfAKnownTail) {
  // The ratio u^-k has a Pareto tail of shape k.
  const std::vector<double> u = Rng(5).uniform({20000}, 0.0, 1.0, DType::f64).to_vector<double>();
  for (const double k : {0.2, 0.5, 0.9}) {
    std::vector<double> log_ratios;
    for (const double v : u) log_ratios.push_back(-k * std::log1p(-v));
    EXPECT_NEAR(pareto_smoothed(log_ratios).k, k, 0.12);
  }
}

// y ~ N(mu, sigma), mu ~ N(0, 2): everything is known.
struct Conjugate {
  std::vector<double> y;
  double sigma = 1.0;

  // The posterior of mu without observation `left_out` (-1: with all).
  double precision(int left_out) const {
    return 0.25 + static_cast<double>(y.size() - (left_out < 0 ? 0 : 1)) / (sigma * sigma);
  }
  double mean(int left_out) const {
    double total = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (static_cast<int>(i) != left_out) total += y[i] / (sigma * sigma);
    }
    return total / precision(left_out);
  }
  double log_density(double at, double mu, double variance) const {
    return -0.5 * (std::log(2.0 * std::acos(-1.0) * variance) + (at - mu) * (at - mu) / variance);
  }
  double exact(int i) const {
    return log_density(y[static_cast<std::size_t>(i)], mean(i), sigma * sigma + 1.0 / precision(i));
  }
  PointwiseLogLikelihood drawn(std::int64_t samples) const {
    PointwiseLogLikelihood result{samples, static_cast<std::int64_t>(y.size()), {}};
    for (const double z : Rng(9).normal({samples}, 0.0, 1.0, DType::f64).to_vector<double>()) {
      const double mu = mean(-1) + z / std::sqrt(precision(-1));
      for (const double v : y) result.values.push_back(log_density(v, mu, sigma * sigma));
    }
    return result;
  }
};

Conjugate conjugate() { return {Rng(3).normal({30}, 0.7, 1.0, DType::f64).to_vector<double>()}; }

TEST(LeaveOneOut, IsExactLeaveOneOutInAConjugateModel) {
  const Conjugate model = conjugate();
  const PointwiseLogLikelihood drawn = model.drawn(40000);
  const PredictiveDensity loo = leave_one_out(drawn);
  double exact = 0.0;
  for (int i = 0; i < 30; ++i) {
    EXPECT_NEAR(loo.pointwise[static_cast<std::size_t>(i)], model.exact(i), 0.006) << i;
    EXPECT_LT(loo.k[static_cast<std::size_t>(i)], 0.5) << i;
    exact += model.exact(i);
  }
  EXPECT_NEAR(loo.elpd, exact, 0.03);
  EXPECT_EQ(loo.unreliable, 0);
  EXPECT_NEAR(loo.parameters, 1.0, 0.4);
  const PredictiveDensity w = waic(drawn);
  EXPECT_NEAR(w.elpd, exact, 0.1);
  EXPECT_NEAR(w.parameters, loo.parameters, 0.1);
  EXPECT_EQ(w.unreliable, 0);
  // The error of a sum of independent terms.
  double mean = 0.0, squares = 0.0;
  for (const double v : loo.pointwise) mean += v / 30.0;
  for (const double v : loo.pointwise) squares += (v - mean) * (v - mean);
  EXPECT_NEAR(loo.standard_error, std::sqrt(30.0 / 29.0 * squares), 1e-12);
}

TEST(LeaveOneOut, AnOutlierIsToldAsUnreliable) {
  Conjugate model = conjugate();
  model.y.resize(6);
  model.y[2] = 12.0;
  model.sigma = 0.5;
  const PredictiveDensity loo = leave_one_out(model.drawn(2000));
  EXPECT_GT(loo.k[2], reliable_k(2000));
  EXPECT_GE(loo.unreliable, 1);
  EXPECT_GE(waic(model.drawn(2000)).unreliable, 1);
}

TEST(LeaveOneOut, TheSameOnAnyNumberOfThreads) {
  const int saved = threads();
  const PointwiseLogLikelihood drawn = conjugate().drawn(2000);
  set_threads(1);
  const PredictiveDensity first = leave_one_out(drawn);
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(first.pointwise, leave_one_out(drawn).pointwise);
  }
  set_threads(saved);
}

TEST(LeaveOneOut, ComparesModelsByObservation) {
  const Conjugate model = conjugate();
  Conjugate wide = model;
  wide.sigma = 3.0;
  const PredictiveDensity a = leave_one_out(model.drawn(2000)), b = leave_one_out(wide.drawn(2000));
  const PredictiveDifference difference = compare(a, b);
  EXPECT_NEAR(difference.elpd, a.elpd - b.elpd, 1e-9);
  EXPECT_GT(difference.elpd, 3.0 * difference.standard_error);
  EXPECT_LT(difference.standard_error, a.standard_error + b.standard_error);
}

TEST(LeaveOneOut, Edges) {
  // Equal likelihoods leave nothing to smooth: all samples count the same.
  const SmoothedWeights equal = pareto_smoothed(std::vector<double>(100, 3.0));
  EXPECT_NEAR(equal.log_weights[7], -std::log(100.0), 1e-12);
  EXPECT_LT(equal.k, 0.0);
  // Too few for a tail.
  EXPECT_EQ(pareto_smoothed(std::vector<double>{0.0, 1.0, 0.5}).k, std::numeric_limits<double>::infinity());
  // A sample that says "impossible".
  const double none = -std::numeric_limits<double>::infinity();
  const PointwiseLogLikelihood impossible{3, 1, {-1.0, none, -2.0}};
  EXPECT_EQ(leave_one_out(impossible).elpd, none);
  EXPECT_EQ(waic(impossible).elpd, none);
}

TEST(LeaveOneOut, EndsWhenItIsCancelled) {
  const PointwiseLogLikelihood some{3, 5, std::vector<double>(15, -1.0)};
  std::atomic<int> asked = 0;
  const CancelTest third = [&] { return ++asked > 2; };
  EXPECT_THROW(waic(some, third), Cancelled);
  EXPECT_EQ(asked, 3);
  EXPECT_THROW(leave_one_out(some, 1.0, third), Cancelled);
  const CancelTest never = [] { return false; };
  EXPECT_EQ(leave_one_out(some, 1.0, never).pointwise, leave_one_out(some).pointwise);
  EXPECT_EQ(waic(some, never).pointwise, waic(some).pointwise);
}

TEST(LeaveOneOut, Refusals) {
  expect_refusal(
      [] {
        leave_one_out({1, 2, {0.0, 0.0}});
      },
      "[leave_one_out] at least 2 samples are needed, got 1");
  expect_refusal([] { leave_one_out({2, 0, {}}); }, "[leave_one_out] there are no observations");
  expect_refusal(
      [] {
        waic({2, 2, {0.0, 0.0, 0.0}});
      },
      "[waic] 2 samples of 2 observations need 4 values, got 3");
  expect_refusal(
      [] {
        leave_one_out({2, 2, {0.0, 0.0, std::nan(""), 0.0}});
      },
      "[leave_one_out] the log-likelihood of sample 1, observation 0 is nan");
  expect_refusal(
      [] {
        leave_one_out({2, 1, {0.0, 0.0}}, 0.0);
      },
      "[leave_one_out] efficiency must be finite and above 0, got 0");
  expect_refusal([] { pareto_smoothed(std::vector<double>{1.0}); },
                 "[pareto_smoothed] at least 2 log-ratios are needed, got 1");
  expect_refusal(
      [] {
        pareto_smoothed(std::vector<double>{1.0, std::nan("")});
      },
      "[pareto_smoothed] log-ratio 1 is nan");
  expect_refusal(
      [] {
        compare({.pointwise = {1.0}, .k = {}}, {.pointwise = {1.0, 2.0}, .k = {}});
      },
      "[compare] 1 observations against 2");
}

}  // namespace
}  // namespace likely
