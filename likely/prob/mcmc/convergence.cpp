#include "likely/prob/mcmc/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/kernels/special/incomplete.hpp"
#include "likely/prob/mcmc/summary.hpp"
#include "likely/prob/ranks.hpp"
#include "likely/prob/sample_moments.hpp"

namespace likely {

namespace {

using detail::mean_of;
using detail::variance_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check(const char* name, const Chains& chains) {
  if (chains.empty()) refuse(name, "there are no chains");
  for (const auto& chain : chains) {
    if (chain.size() != chains.front().size()) {
      refuse(name,
             fmt::format("the chains have unequal lengths, {} and {}", chains.front().size(), chain.size()));
    }
  }
  if (chains.front().size() < 4) {
    refuse(name, fmt::format("a chain must have at least 4 samples, got {}", chains.front().size()));
  }
}

void check_probability(const char* name, double probability) {
  if (!(probability > 0.0 && probability < 1.0)) {
    refuse(name, fmt::format("the probability must lie in (0, 1), got {}", probability));
  }
}

std::vector<double> all_samples(const Chains& chains) {
  std::vector<double> all;
  for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

template <class Function>
Chains map(const Chains& chains, const Function& f) {
  Chains result = chains;
  for (auto& chain : result) {
    for (double& v : chain) v = f(v);
  }
  return result;
}

// Finite, and not all the same.
bool varies(const Chains& chains) {
  bool any = false;
  for (const auto& chain : chains) {
    for (const double v : chain) {
      if (!std::isfinite(v)) return false;
      any = any || v != chains.front().front();
    }
  }
  return any;
}

// Each chain as its two halves; the middle sample of an odd number is left out.
Chains halves(const Chains& chains) {
  Chains result;
  for (const auto& chain : chains) {
    const auto half = static_cast<std::ptrdiff_t>(chain.size() / 2);
    result.emplace_back(chain.begin(), chain.begin() + half);
    result.emplace_back(chain.end() - half, chain.end());
  }
  return result;
}

// The normal quantiles of the ranks of all samples, those of ties being their mean rank.
Chains normal_ranks(const Chains& chains) {
  Chains result = chains;
  const std::vector<double> ranks = detail::mean_ranks(all_samples(chains));
  const auto count = static_cast<double>(ranks.size());
  auto rank = ranks.begin();
  for (auto& chain : result) {
    for (double& v : chain) v = kernels::normal_quantile((*rank++ - 0.375) / (count + 0.25));
  }
  return result;
}

// What chains vary within and between them.
struct Variances {
  double within;
  double together;  // the estimate of the whole
};

Variances variances(const Chains& chains) {
  std::vector<double> means, within;
  for (const auto& chain : chains) {
    means.push_back(mean_of(chain));
    within.push_back(variance_of(chain));
  }
  const auto n = static_cast<double>(chains.front().size());
  const double w = mean_of(within);
  return {w, w * (n - 1.0) / n + (means.size() > 1 ? variance_of(means) : 0.0)};
}

double basic_r_hat(const Chains& chains) {
  const Variances v = variances(chains);
  return std::sqrt(v.together / v.within);
}

// Geyer's initial monotone sequence over the autocorrelations of all chains together.
double basic_ess(const Chains& chains) {
  const std::size_t n = chains.front().size();
  const Variances v = variances(chains);
  Chains centred = chains;
  for (auto& chain : centred) {
    const double centre = mean_of(chain);
    for (double& x : chain) x -= centre;
  }
  const auto correlation = [&](std::size_t lag) {
    double total = 0.0;
    for (const auto& chain : centred) {
      for (std::size_t i = 0; i + lag < n; ++i) total += chain[i] * chain[i + lag];
    }
    return 1.0 - (v.within - total / static_cast<double>(n * chains.size())) / v.together;
  };
  // Sums of neighbours are positive and fall for a reversible chain; noise is cut where they do not.
  double even = 1.0, odd = correlation(1);
  double pair = even + odd;
  double total = pair;   // of the pairs before the last
  double rest = 0.0;     // the last correlation, counted once
  bool falling = false;  // whether the sum ended before the chains did
  for (std::size_t lag = 2; lag + 3 < n && pair > 0.0; lag += 2) {
    even = correlation(lag);
    odd = correlation(lag + 1);
    rest = std::max(even, 0.0);
    falling = !(even + odd > 0.0);
    if (falling) break;
    pair = std::min(pair, even + odd);
    total += pair;
  }
  if (!falling && n > 5) total -= pair;
  const auto count = static_cast<double>(n * chains.size());
  const double time = std::max(2.0 * total - 1.0 + rest, 1.0 / std::log10(count));
  return count / time;
}

Chains below_quantile(const Chains& chains, double probability) {
  const double limit = quantile(all_samples(chains), probability);
  return map(chains, [limit](double v) { return v <= limit ? 1.0 : 0.0; });
}

// Of the halves, where there is anything to tell.
double split_ess(const Chains& chains) { return varies(chains) ? basic_ess(halves(chains)) : kNaN; }

}  // namespace

double r_hat(const Chains& chains) {
  check("r_hat", chains);
  if (!varies(chains)) return kNaN;
  const double median = quantile(all_samples(chains), 0.5);
  const Chains folded = map(chains, [median](double v) { return std::abs(v - median); });
  return std::max(basic_r_hat(normal_ranks(halves(chains))), basic_r_hat(normal_ranks(halves(folded))));
}

double ess_bulk(const Chains& chains) {
  check("ess_bulk", chains);
  return varies(chains) ? basic_ess(normal_ranks(halves(chains))) : kNaN;
}

double ess_tail(const Chains& chains) {
  check("ess_tail", chains);
  return varies(chains) ? std::min(ess_quantile(chains, 0.05), ess_quantile(chains, 0.95)) : kNaN;
}

double ess_mean(const Chains& chains) {
  check("ess_mean", chains);
  return split_ess(chains);
}

double ess_quantile(const Chains& chains, double probability) {
  check("ess_quantile", chains);
  check_probability("ess_quantile", probability);
  return varies(chains) ? split_ess(below_quantile(chains, probability)) : kNaN;
}

double mcse_mean(const Chains& chains) {
  check("mcse_mean", chains);
  return std::sqrt(variance_of(all_samples(chains)) / split_ess(chains));
}

double mcse_sd(const Chains& chains) {
  check("mcse_sd", chains);
  const double centre = mean_of(all_samples(chains));
  const Chains squares = map(chains, [centre](double v) { return (v - centre) * (v - centre); });
  const std::vector<double> all = all_samples(squares);
  const double variance = mean_of(all);
  double fourth = 0.0;
  for (const double s : all) fourth += s * s;
  fourth /= static_cast<double>(all.size());
  // The delta method: sd = sqrt(variance).
  return std::sqrt((fourth - variance * variance) / split_ess(squares) / variance / 4.0);
}

double mcse_quantile(const Chains& chains, double probability) {
  check("mcse_quantile", chains);
  check_probability("mcse_quantile", probability);
  const double ess = ess_quantile(chains, probability);
  if (std::isnan(ess)) return kNaN;
  std::vector<double> sorted = all_samples(chains);
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  // The samples one standard error away, by the beta law of the probability below the true quantile.
  const auto place = [&](double p) {
    return boost::math::ibeta_inv(ess * probability + 1.0, ess * (1.0 - probability) + 1.0, p) * count;
  };
  constexpr double kBelow = 0.15865525393145707;
  const double low = std::max(std::floor(place(kBelow)), 1.0);
  const double high = std::min(std::ceil(place(1.0 - kBelow)), count);
  return 0.5 * (sorted[static_cast<std::size_t>(high) - 1] - sorted[static_cast<std::size_t>(low) - 1]);
}

double e_bfmi(const std::vector<double>& energies) {
  if (energies.size() < 2) {
    refuse("e_bfmi", fmt::format("at least 2 energies are needed, got {}", energies.size()));
  }
  double steps = 0.0;
  for (std::size_t i = 1; i < energies.size(); ++i) {
    steps += (energies[i] - energies[i - 1]) * (energies[i] - energies[i - 1]);
  }
  return steps / (variance_of(energies) * static_cast<double>(energies.size() - 1));
}

}  // namespace likely
