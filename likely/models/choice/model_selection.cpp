// Hot: a million draws.
#include "likely/models/choice/model_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "likely/core/error.hpp"
#include "likely/kernels/special/incomplete.hpp"
#include "likely/kernels/special/special.hpp"
#include "likely/prob/log_sum.hpp"

namespace likely::choice {

namespace {

using likely::detail::log_sum;

double sum(std::span<const double> x) { return std::accumulate(x.begin(), x.end(), 0.0); }

void check(const std::vector<double>& log_evidence, std::int64_t models, const SelectionOptions& o) {
  const char* name = "select_models";
  if (models < 2) refuse(name, fmt::format("at least 2 models are needed, got {}", models));
  if (log_evidence.empty()) refuse(name, "there are no subjects");
  if (static_cast<std::int64_t>(log_evidence.size()) % models != 0) {
    refuse(name,
           fmt::format("{} log-evidences are not a row of {} for each subject", log_evidence.size(), models));
  }
  for (std::size_t i = 0; i < log_evidence.size(); ++i) {
    if (!std::isfinite(log_evidence[i])) {
      const auto at = static_cast<std::int64_t>(i);
      refuse(name, fmt::format("the log-evidence of subject {}, model {} is {}", at / models + 1,
                               at % models + 1, log_evidence[i]));
    }
  }
  if (!(o.prior_count > 0.0 && std::isfinite(o.prior_count))) {
    refuse(name, fmt::format("prior_count must be finite and above 0, got {}", o.prior_count));
  }
  if (o.max_iterations < 1) {
    refuse(name, fmt::format("max_iterations must be at least 1, got {}", o.max_iterations));
  }
  if (!(o.tolerance >= 0.0)) refuse(name, fmt::format("tolerance must be at least 0, got {}", o.tolerance));
}

// E log r under the Dirichlet law.
std::vector<double> expected_logs(const std::vector<double>& counts) {
  const double all = kernels::digamma(sum(counts));
  std::vector<double> logs;
  for (const double a : counts) logs.push_back(kernels::digamma(a) - all);
  return logs;
}

double log_normalizer(const std::vector<double>& counts) {
  double total = -kernels::log_gamma(sum(counts));
  for (const double a : counts) total += kernels::log_gamma(a);
  return total;
}

// The bound on the log-evidence: expected log-joint plus the entropies of frequencies and assignments.
double free_energy(const std::vector<double>& log_evidence, const ModelSelection& s, double prior_count) {
  const std::size_t models = s.counts.size();
  const std::vector<double> logs = expected_logs(s.counts);
  const std::vector<double> prior(models, prior_count);
  double total = log_normalizer(s.counts) - log_normalizer(prior);
  for (std::size_t k = 0; k < models; ++k) total += (prior_count - s.counts[k]) * logs[k];
  for (std::size_t i = 0; i < log_evidence.size(); ++i) {
    const double g = s.assignments[i];
    if (g > 0.0) total += g * (log_evidence[i] + logs[i % models] - std::log(g));
  }
  return total;
}

}  // namespace

std::vector<double> exceedance_probabilities(const std::vector<double>& counts) {
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (!(counts[k] > 0.0 && std::isfinite(counts[k]))) {
      refuse("exceedance_probabilities",
             fmt::format("count {} must be finite and above 0, got {}", k + 1, counts[k]));
    }
  }
  if (counts.size() == 1) return {1.0};
  if (counts.size() == 2) {
    const double second = kernels::incomplete_beta(counts[0], counts[1], 0.5);
    return {1.0 - second, second};
  }
  // Dirichlet frequencies are gamma variates over their sum, so k is the largest with probability
  // int p_k(x) prod_j F_j(x) dx; over log x the integrand falls off fast on both sides, and the plain sum
  // converges exponentially.
  const double largest = *std::max_element(counts.begin(), counts.end());
  const double high = std::log(largest + 40.0 * std::sqrt(largest) + 100.0);
  std::vector<double> result;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double a = counts[k];
    // Below this x^a is nothing beside its greatest values.
    const double low = std::min(std::log(a) - 12.0 / std::sqrt(a), std::log(a) - 45.0 / a);
    const int points = 4000;
    const double step = (high - low) / points;
    double total = 0.0;
    for (int i = 0; i <= points; ++i) {
      const double u = low + step * i, x = std::exp(u);
      double term = std::exp(a * u - x - kernels::log_gamma(a));
      for (std::size_t j = 0; j < counts.size() && term > 0.0; ++j) {
        if (j != k) term *= kernels::incomplete_gamma_p(counts[j], x);
      }
      total += term * step;
    }
    result.push_back(total);
  }
  const double all = sum(result);
  for (double& p : result) p /= all;
  return result;
}

ModelSelection select_models(const std::vector<double>& log_evidence, std::int64_t models,
                             const SelectionOptions& options) {
  check(log_evidence, models, options);
  const auto m = static_cast<std::size_t>(models);
  const std::size_t subjects = log_evidence.size() / m;
  ModelSelection s;
  s.counts.assign(m, options.prior_count);
  s.assignments.resize(log_evidence.size());
  while (!s.converged && s.iterations < options.max_iterations) {
    const std::vector<double> logs = expected_logs(s.counts);
    std::vector<double> counts(m, options.prior_count);
    for (std::size_t n = 0; n < subjects; ++n) {
      const std::span<double> g(&s.assignments[n * m], m);
      for (std::size_t k = 0; k < m; ++k) g[k] = log_evidence[n * m + k] + logs[k];
      const double total = log_sum(g);
      for (std::size_t k = 0; k < m; ++k) {
        g[k] = std::exp(g[k] - total);
        counts[k] += g[k];
      }
    }
    double change = 0.0;
    for (std::size_t k = 0; k < m; ++k) change = std::max(change, std::abs(counts[k] - s.counts[k]));
    s.counts = counts;
    s.iterations += 1;
    s.converged = change <= options.tolerance;
  }
  for (const double a : s.counts) s.frequencies.push_back(a / sum(s.counts));
  s.exceedance = exceedance_probabilities(s.counts);
  s.log_evidence = free_energy(log_evidence, s, options.prior_count);
  for (std::size_t n = 0; n < subjects; ++n) {
    s.null_evidence += log_sum(std::span(log_evidence).subspan(n * m, m)) - std::log(static_cast<double>(m));
  }
  s.omnibus_risk = 1.0 / (1.0 + std::exp(s.log_evidence - s.null_evidence));
  for (const double p : s.exceedance) {
    s.protected_exceedance.push_back((1.0 - s.omnibus_risk) * p + s.omnibus_risk / static_cast<double>(m));
  }
  return s;
}

}  // namespace likely::choice
