#include "likely/prob/inference/leave_one_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/prob/log_sum.hpp"
#include "likely/prob/sample_moments.hpp"

namespace likely {

namespace {

using detail::log_sum;

struct GeneralizedPareto {
  double k, sigma;
};

// The posterior mean of Zhang and Stephens (2009) for exceedances in rising order, and k drawn to 1/2 as by
// ten observations.
GeneralizedPareto fit_pareto(const std::vector<double>& x) {
  constexpr double kPriorShare = 3.0, kPriorCount = 10.0;
  const auto n = static_cast<double>(x.size());
  const auto count = static_cast<std::size_t>(30.0 + std::floor(std::sqrt(n)));
  const double quarter = x[static_cast<std::size_t>(std::floor(n / 4.0 + 0.5)) - 1];
  const auto shape = [&](double theta) {
    double total = 0.0;
    for (const double v : x) total += std::log1p(-theta * v);
    return total / n;
  };
  std::vector<double> thetas(count), log_profiles(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(count) / (static_cast<double>(i) + 0.5);
    thetas[i] = 1.0 / x.back() + (1.0 - std::sqrt(place)) / (kPriorShare * quarter);
    const double k = shape(thetas[i]);
    log_profiles[i] = n * (std::log(-thetas[i] / k) - k - 1.0);
  }
  const double total = log_sum(log_profiles);
  double theta = 0.0;
  for (std::size_t i = 0; i < count; ++i) theta += thetas[i] * std::exp(log_profiles[i] - total);
  const double k = shape(theta);
  return {(k * n + 0.5 * kPriorCount) / (n + kPriorCount), -k / theta};
}

double pareto_quantile(const GeneralizedPareto& law, double p) {
  if (law.k == 0.0) return -law.sigma * std::log1p(-p);
  return law.sigma * std::expm1(-law.k * std::log1p(-p)) / law.k;
}

void check(const char* name, const PointwiseLogLikelihood& x) {
  if (x.samples < 2) refuse(name, fmt::format("at least 2 samples are needed, got {}", x.samples));
  if (x.observations < 1) refuse(name, "there are no observations");
  if (static_cast<std::int64_t>(x.values.size()) != x.samples * x.observations) {
    refuse(name, fmt::format("{} samples of {} observations need {} values, got {}", x.samples,
                             x.observations, x.samples * x.observations, x.values.size()));
  }
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (std::isnan(x.values[i]) || x.values[i] == std::numeric_limits<double>::infinity()) {
      refuse(name, fmt::format("the log-likelihood of sample {}, observation {} is {}",
                               static_cast<std::int64_t>(i) / x.observations,
                               static_cast<std::int64_t>(i) % x.observations, x.values[i]));
    }
  }
}

void check_efficiency(const char* name, double efficiency) {
  if (!(efficiency > 0.0 && std::isfinite(efficiency))) {
    refuse(name, fmt::format("efficiency must be finite and above 0, got {}", efficiency));
  }
}

std::vector<double> column(const PointwiseLogLikelihood& x, std::int64_t observation) {
  std::vector<double> values(static_cast<std::size_t>(x.samples));
  for (std::size_t s = 0; s < values.size(); ++s) {
    values[s] =
        x.values[s * static_cast<std::size_t>(x.observations) + static_cast<std::size_t>(observation)];
  }
  return values;
}

double log_mean(const std::vector<double>& x) { return log_sum(x) - std::log(static_cast<double>(x.size())); }

// sqrt(n) times the deviation of the terms: the standard error of their sum.
double error_of_sum(const std::vector<double>& x) {
  if (x.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(static_cast<double>(x.size()) * detail::variance_of(x));
}

// elpd and its error from the pointwise parts.
void add_up(const std::vector<double>& full, PredictiveDensity& result) {
  result.elpd = std::accumulate(result.pointwise.begin(), result.pointwise.end(), 0.0);
  result.standard_error = error_of_sum(result.pointwise);
  result.parameters = std::accumulate(full.begin(), full.end(), 0.0) - result.elpd;
}

}  // namespace

double reliable_k(std::int64_t samples) {
  return std::min(1.0 - 1.0 / std::log10(static_cast<double>(samples)), 0.7);
}

SmoothedWeights pareto_smoothed(std::span<const double> log_ratios, double efficiency) {
  const std::size_t count = log_ratios.size();
  if (count < 2) refuse("pareto_smoothed", fmt::format("at least 2 log-ratios are needed, got {}", count));
  check_efficiency("pareto_smoothed", efficiency);
  SmoothedWeights result{{log_ratios.begin(), log_ratios.end()}, std::numeric_limits<double>::infinity()};
  std::vector<double>& w = result.log_weights;
  const double largest = *std::max_element(w.begin(), w.end());
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(w[i]) || !std::isfinite(largest)) {
      refuse("pareto_smoothed", fmt::format("log-ratio {} is {}", i, std::isnan(w[i]) ? w[i] : largest));
    }
    w[i] -= largest;
  }
  const auto s = static_cast<double>(count);
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * s, 3.0 * std::sqrt(s / efficiency))));
  if (tail >= 5) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return w[a] < w[b]; });
    const std::size_t first = count - tail;
    // A ratio of 0 is no limit to measure exceedances from; it is as good as the smallest normal number.
    const double cutoff = std::max(w[order[first - 1]], std::log(std::numeric_limits<double>::min()));
    std::vector<double> exceedances;
    for (std::size_t i = first; i < count; ++i) {
      exceedances.push_back(std::exp(w[order[i]]) - std::exp(cutoff));
    }
    const bool all_equal = !(exceedances.back() > exceedances.front());
    if (!all_equal && exceedances.front() >= 0.0 &&
        exceedances[static_cast<std::size_t>(std::floor(static_cast<double>(tail) / 4.0 + 0.5)) - 1] > 0.0) {
      const GeneralizedPareto law = fit_pareto(exceedances);
      result.k = law.k;
      if (std::isfinite(law.k)) {
        for (std::size_t i = 0; i < tail; ++i) {
          const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(tail);
          // No weight beyond the largest that was seen.
          w[order[first + i]] = std::min(std::log(pareto_quantile(law, p) + std::exp(cutoff)), 0.0);
        }
      }
    } else if (all_equal) {
      result.k = -std::numeric_limits<double>::infinity();  // nothing to smooth
    }
  }
  const double total = log_sum(w);
  for (double& v : w) v -= total;
  return result;
}

PredictiveDensity leave_one_out(const PointwiseLogLikelihood& log_likelihood, double efficiency,
                                const CancelTest& cancelled) {
  check("leave_one_out", log_likelihood);
  check_efficiency("leave_one_out", efficiency);
  const auto count = static_cast<std::size_t>(log_likelihood.observations);
  PredictiveDensity result;
  result.pointwise.resize(count);
  result.k.resize(count);
  std::vector<double> full(count);
  const double nanoseconds = 200.0 * static_cast<double>(log_likelihood.values.size());
  parallel_tiles(log_likelihood.observations, nanoseconds, [&](std::int64_t n) {
    give_up_if(cancelled);
    std::vector<double> values = column(log_likelihood, n);
    const auto i = static_cast<std::size_t>(n);
    full[i] = log_mean(values);
    if (!std::isfinite(*std::min_element(values.begin(), values.end()))) {
      // A sample that rules the observation out has all the weight without it.
      result.pointwise[i] = -std::numeric_limits<double>::infinity();
      result.k[i] = std::numeric_limits<double>::infinity();
      return;
    }
    std::vector<double> ratios = values;
    for (double& v : ratios) v = -v;
    const SmoothedWeights weights = pareto_smoothed(ratios, efficiency);
    for (std::size_t s = 0; s < values.size(); ++s) values[s] += weights.log_weights[s];
    result.pointwise[i] = log_sum(values);
    result.k[i] = weights.k;
  });
  add_up(full, result);
  const double limit = reliable_k(log_likelihood.samples);
  result.unreliable = std::count_if(result.k.begin(), result.k.end(), [&](double k) { return k > limit; });
  return result;
}

PredictiveDensity waic(const PointwiseLogLikelihood& log_likelihood, const CancelTest& cancelled) {
  check("waic", log_likelihood);
  PredictiveDensity result;
  std::vector<double> full;
  for (std::int64_t n = 0; n < log_likelihood.observations; ++n) {
    give_up_if(cancelled);
    const std::vector<double> values = column(log_likelihood, n);
    const bool possible = std::isfinite(*std::min_element(values.begin(), values.end()));
    const double variance = possible ? detail::variance_of(values) : std::numeric_limits<double>::infinity();
    full.push_back(log_mean(values));
    result.pointwise.push_back(full.back() - variance);
    result.unreliable += variance > 0.4 ? 1 : 0;
  }
  add_up(full, result);
  return result;
}

PredictiveDifference compare(const PredictiveDensity& a, const PredictiveDensity& b) {
  if (a.pointwise.size() != b.pointwise.size()) {
    refuse("compare", fmt::format("{} observations against {}", a.pointwise.size(), b.pointwise.size()));
  }
  std::vector<double> differences(a.pointwise.size());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = a.pointwise[i] - b.pointwise[i];
  return {std::accumulate(differences.begin(), differences.end(), 0.0), error_of_sum(differences)};
}

}  // namespace likely
