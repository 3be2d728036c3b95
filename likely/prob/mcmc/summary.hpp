// What samples say: means, deviations, quantiles, intervals, and whether to believe them.
#pragma once

#include <string>
#include <vector>

#include "likely/prob/mcmc/convergence.hpp"
#include "likely/prob/mcmc/nuts.hpp"

namespace likely {

// The number below which lie this fraction of the samples, interpolated between neighbours (type 7 of Hyndman
// and Fan, the default of R and NumPy). Refuses no samples and a probability outside [0, 1].
double quantile(std::vector<double> samples, double probability);

struct Interval {
  double low, high;
};
// The shortest interval that holds this fraction of the samples. Refuses no samples and a probability outside
// (0, 1].
Interval highest_density_interval(std::vector<double> samples, double probability);

// Of one quantity.
struct Summary {
  std::string name;
  double mean, sd;
  double median, low, high;  // low and high: the quantiles that leave the same on both sides
  Interval densest;          // the highest-density interval
  double mcse_mean, mcse_sd;
  double r_hat, ess_bulk, ess_tail;
};

// Refused: interval outside (0, 1).
struct SummaryOptions {
  double interval = 0.95;  // the probability in the intervals
};

// Refuses what the functions of convergence.hpp refuse.
Summary summarize(std::string name, const Chains& chains, const SummaryOptions& options = {});
// Of every number of the draws; they are called x[0], x[1], ... where there are no names. Refuses names that
// are not as many.
std::vector<Summary> summarize(const NutsDraws& draws, const std::vector<std::string>& names = {},
                               const SummaryOptions& options = {});

// A line for each, with a heading, in columns.
std::string summary_table(const std::vector<Summary>& summaries);

// What is wrong with draws, a sentence each: divergences, cut trajectories, low E-BFMI, R-hat above 1.01, ESS
// below 100 a chain. Empty where all is well.
std::vector<std::string> sampling_warnings(const NutsDraws& draws, const std::vector<Summary>& summaries);

}  // namespace likely
