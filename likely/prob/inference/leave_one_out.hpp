// How well a model predicts what it has not seen, from the log-likelihoods of what it has: leave-one-out by
// Pareto-smoothed importance sampling (Vehtari, Gelman and Gabry 2017) and WAIC (Watanabe 2010).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "likely/core/cancel.hpp"

namespace likely {

// Log-likelihoods log p(y_n | sample s), row by row: samples x observations. What counts as an observation (a
// trial, a subject) is what is left out.
struct PointwiseLogLikelihood {
  std::int64_t samples = 0;
  std::int64_t observations = 0;
  std::vector<double> values;
};

// Importance weights whose largest have been replaced by the quantiles of the Pareto law that fits them.
struct SmoothedWeights {
  std::vector<double> log_weights;  // their exponentials sum to 1
  double k;  // the law's shape: above min(1 - 1 / log10(samples), 0.7) the weights are not reliable
};
// Refuses fewer than 2 log-ratios and such as are not numbers. efficiency: effective samples per sample, at
// most 1 for most chains. k is infinite where fewer than 5 samples are in the tail.
SmoothedWeights pareto_smoothed(std::span<const double> log_ratios, double efficiency = 1.0);

// The largest k that is reliable for this many samples.
double reliable_k(std::int64_t samples);

// The expected log predictive density of the observations.
struct PredictiveDensity {
  double elpd = 0.0;            // the sum over observations
  double standard_error = 0.0;  // of the sum
  double parameters = 0.0;      // the effective number of them
  std::vector<double> pointwise;
  std::vector<double> k;  // of each observation; empty for waic
  std::int64_t unreliable =
      0;  // observations whose k is too large, or, for waic, whose variance is above 0.4
};

// Both refuse: fewer than 2 samples, no observations, a number of values that is not the product, NaN and
// +infinity. Cancelled is asked at each observation.
PredictiveDensity leave_one_out(const PointwiseLogLikelihood& log_likelihood, double efficiency = 1.0,
                                const CancelTest& cancelled = nullptr);
PredictiveDensity waic(const PointwiseLogLikelihood& log_likelihood, const CancelTest& cancelled = nullptr);

// a minus b, with the standard error of the difference, by observations. Refuses unequal numbers of them.
struct PredictiveDifference {
  double elpd;
  double standard_error;
};
PredictiveDifference compare(const PredictiveDensity& a, const PredictiveDensity& b);

}  // namespace likely
