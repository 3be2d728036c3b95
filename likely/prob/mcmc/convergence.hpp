// Whether chains of samples have converged and how much they tell, after Vehtari, Gelman, Simpson, Carpenter
// and Bürkner (2021).
#pragma once

#include <vector>

namespace likely {

// The samples of one quantity, chain by chain.
using Chains = std::vector<std::vector<double>>;

// All refuse: no chain, chains of unequal length, chains of fewer than 4 samples. They are NaN where a sample
// is not finite or all are equal.

// Rank-normalised split R-hat, the larger of that of the samples and of their distances from the median: how
// much wider all chains together are than each half of one. Below 1.01 is well.
double r_hat(const Chains& chains);

// Effective sample sizes: how many independent samples would tell as much about the middle of the
// distribution (of the normalised ranks), and about its tails (the smaller of those of the quantiles 5 % and
// 95 %). At least 400 are wanted for four chains.
double ess_bulk(const Chains& chains);
double ess_tail(const Chains& chains);
// About the mean, and about a quantile. Refuses a probability outside (0, 1).
double ess_mean(const Chains& chains);
double ess_quantile(const Chains& chains, double probability);

// The Monte-Carlo standard errors of the mean, of the standard deviation and of a quantile.
double mcse_mean(const Chains& chains);
double mcse_sd(const Chains& chains);
double mcse_quantile(const Chains& chains, double probability);

// The energy fraction of missing information of one chain, sum (E_n - E_n-1)^2 / sum (E_n - mean)^2
// (Betancourt 2016); below 0.3 the momenta are drawn anew too timidly for the density's tails.
double e_bfmi(const std::vector<double>& energies);

}  // namespace likely
