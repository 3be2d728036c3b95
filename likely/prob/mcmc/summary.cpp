#include "likely/prob/mcmc/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"
#include "likely/prob/sample_moments.hpp"

namespace likely {

namespace {

double sorted_quantile(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return part == 0.0 ? sorted[below] : sorted[below] + part * (sorted[above] - sorted[below]);
}

Interval shortest(const std::vector<double>& sorted, double probability) {
  const auto count = sorted.size();
  const auto inside =
      std::min(count, static_cast<std::size_t>(std::ceil(probability * static_cast<double>(count) - 1e-9)));
  std::size_t best = 0;
  for (std::size_t i = 0; i + inside <= count; ++i) {
    if (sorted[i + inside - 1] - sorted[i] < sorted[best + inside - 1] - sorted[best]) best = i;
  }
  return {sorted[best], sorted[best + inside - 1]};
}

void check_samples(const char* name, const std::vector<double>& samples) {
  if (samples.empty()) refuse(name, "there are no samples");
}

}  // namespace

double quantile(std::vector<double> samples, double probability) {
  check_samples("quantile", samples);
  if (!(probability >= 0.0 && probability <= 1.0)) {
    refuse("quantile", fmt::format("the probability must lie in [0, 1], got {}", probability));
  }
  std::sort(samples.begin(), samples.end());
  return sorted_quantile(samples, probability);
}

Interval highest_density_interval(std::vector<double> samples, double probability) {
  check_samples("highest_density_interval", samples);
  if (!(probability > 0.0 && probability <= 1.0)) {
    refuse("highest_density_interval",
           fmt::format("the probability must lie in (0, 1], got {}", probability));
  }
  std::sort(samples.begin(), samples.end());
  return shortest(samples, probability);
}

Summary summarize(std::string name, const Chains& chains, const SummaryOptions& options) {
  if (!(options.interval > 0.0 && options.interval < 1.0)) {
    refuse("summarize", fmt::format("interval must lie in (0, 1), got {}", options.interval));
  }
  Summary s{};
  s.name = std::move(name);
  s.r_hat = r_hat(chains);
  s.ess_bulk = ess_bulk(chains);
  s.ess_tail = ess_tail(chains);
  s.mcse_mean = mcse_mean(chains);
  s.mcse_sd = mcse_sd(chains);
  std::vector<double> all;
  for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  s.mean = detail::mean_of(all);
  s.sd = std::sqrt(detail::variance_of(all));
  std::sort(all.begin(), all.end());
  s.median = sorted_quantile(all, 0.5);
  s.low = sorted_quantile(all, 0.5 * (1.0 - options.interval));
  s.high = sorted_quantile(all, 0.5 * (1.0 + options.interval));
  s.densest = shortest(all, options.interval);
  return s;
}

std::vector<Summary> summarize(const NutsDraws& draws, const std::vector<std::string>& names,
                               const SummaryOptions& options) {
  if (!names.empty() && static_cast<std::int64_t>(names.size()) != draws.size) {
    refuse("summarize", fmt::format("there are {} numbers and {} names", draws.size, names.size()));
  }
  std::vector<Summary> result;
  for (std::int64_t i = 0; i < draws.size; ++i) {
    const std::string name = names.empty() ? fmt::format("x[{}]", i) : names[static_cast<std::size_t>(i)];
    result.push_back(summarize(name, draws.number(i), options));
  }
  return result;
}

std::string summary_table(const std::vector<Summary>& summaries) {
  std::size_t width = 4;
  for (const Summary& s : summaries) width = std::max(width, s.name.size());
  std::string text =
      fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7} {:>7} {:>7}\n", "name", width, "mean",
                  "sd", "median", "low", "high", "mcse", "bulk", "tail", "R-hat");
  for (const Summary& s : summaries) {
    text += fmt::format(
        "{:<{}} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>8.2g} {:>7.0f} {:>7.0f} {:>7.4f}\n", s.name,
        width, s.mean, s.sd, s.median, s.low, s.high, s.mcse_mean, s.ess_bulk, s.ess_tail, s.r_hat);
  }
  return text;
}

std::vector<std::string> sampling_warnings(const NutsDraws& draws, const std::vector<Summary>& summaries) {
  std::vector<std::string> warnings;
  std::int64_t samples = 0;
  for (const NutsChain& chain : draws.chains) samples += chain.samples();
  if (draws.divergences() > 0) {
    warnings.push_back(fmt::format(
        "{} of {} trajectories diverged: the samples may miss a part of the density; raise target_acceptance",
        draws.divergences(), samples));
  }
  if (draws.full_depths() > 0) {
    warnings.push_back(
        fmt::format("{} of {} trajectories were cut at max_depth: the sampler is slow, but not wrong",
                    draws.full_depths(), samples));
  }
  for (std::size_t i = 0; i < draws.chains.size(); ++i) {
    if (draws.chains[i].samples() < 4) continue;
    const double fraction = e_bfmi(draws.chains[i].energies);
    if (fraction < 0.3) {
      warnings.push_back(fmt::format("E-BFMI of chain {} is {:.2f}, below 0.3: the tails are explored slowly",
                                     i + 1, fraction));
    }
  }
  const auto worst = [&](auto value, auto better) {
    const Summary* found = nullptr;
    for (const Summary& s : summaries) {
      if (!std::isnan(value(s)) && (found == nullptr || better(value(*found), value(s)))) found = &s;
    }
    return found;
  };
  const Summary* mixed = worst([](const Summary& s) { return s.r_hat; }, std::less<>());
  if (mixed != nullptr && mixed->r_hat > 1.01) {
    warnings.push_back(fmt::format("R-hat of {} is {:.3f}, above 1.01: the chains do not agree; draw more",
                                   mixed->name, mixed->r_hat));
  }
  const auto smaller_ess = [](const Summary& s) { return std::min(s.ess_bulk, s.ess_tail); };
  const Summary* few = worst(smaller_ess, std::greater<>());
  const double wanted = 100.0 * static_cast<double>(draws.chains.size());
  if (few != nullptr && smaller_ess(*few) < wanted) {
    warnings.push_back(fmt::format("{} has only {:.0f} effective samples, fewer than {:.0f}: draw more",
                                   few->name, smaller_ess(*few), wanted));
  }
  return warnings;
}

}  // namespace likely
