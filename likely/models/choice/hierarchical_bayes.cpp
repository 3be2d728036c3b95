// Hot: every point of the sampler.
#include "likely/models/choice/hierarchical_bayes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;

// Where mu, log sigma and z of a subject begin in a draw.
struct Layout {
  std::size_t parameters;
  std::size_t mean(std::size_t k) const { return k; }
  std::size_t log_spread(std::size_t k) const { return parameters + k; }
  std::size_t own(std::size_t i, std::size_t k) const { return (2 + i) * parameters + k; }
};

void check_scale(const char* name, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    refuse("sample_hierarchical", fmt::format("{} must be finite and above 0, got {}", name, value));
  }
}

}  // namespace

namespace detail {

DensityGradientFunction hierarchical_density(const Likelihood& likelihood,
                                             const HierarchicalOptions& options) {
  return [&likelihood, &options](const Numbers& x) {
    give_up_if(options.cancelled);
    const auto n = static_cast<std::size_t>(likelihood.parameters());
    const auto subjects = static_cast<std::size_t>(likelihood.subjects());
    const Layout at{n};
    Numbers spread(n), parameters(subjects * n), values(subjects), slopes(subjects * n);
    for (std::size_t k = 0; k < n; ++k) spread[k] = std::exp(x[at.log_spread(k)]);
    for (std::size_t i = 0; i < subjects; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        parameters[i * n + k] = x[at.mean(k)] + spread[k] * x[at.own(i, k)];
      }
    }
    likelihood.evaluate(parameters, values, slopes);

    DensityGradient result{std::accumulate(values.begin(), values.end(), 0.0), Numbers(x.size())};
    for (std::size_t k = 0; k < n; ++k) {
      const double error = (x[at.mean(k)] - likelihood.model().parameters[k].prior_mean) / options.mean_scale;
      const double ratio = spread[k] / options.spread_scale;
      const bool normal = options.spread_prior == SpreadPrior::half_normal;
      // With the slope of sigma = e^x as part of the density.
      result.log_density += -0.5 * error * error + x[at.log_spread(k)] -
                            (normal ? 0.5 * ratio * ratio : std::log1p(ratio * ratio));
      double by_mean = -error / options.mean_scale;
      double by_spread = 1.0 - (normal ? ratio * ratio : 2.0 * ratio * ratio / (1.0 + ratio * ratio));
      for (std::size_t i = 0; i < subjects; ++i) {
        const double z = x[at.own(i, k)], slope = slopes[i * n + k];
        result.log_density -= 0.5 * z * z;
        by_mean += slope;
        by_spread += slope * spread[k] * z;
        result.gradient[at.own(i, k)] = slope * spread[k] - z;
      }
      result.gradient[at.mean(k)] = by_mean;
      result.gradient[at.log_spread(k)] = by_spread;
    }
    return result;
  };
}

}  // namespace detail

Chains HierarchicalPosterior::group_mean(int k, Scale scale) const {
  const Layout at{static_cast<std::size_t>(parameters())};
  const auto place = static_cast<std::size_t>(k);
  return draws.quantity([&](const Numbers& x) {
    const double mu = x[at.mean(place)];
    return scale == Scale::natural ? model.parameters[place].natural(mu) : mu;
  });
}

Chains HierarchicalPosterior::group_spread(int k) const {
  const Layout at{static_cast<std::size_t>(parameters())};
  return draws.quantity(
      [&](const Numbers& x) { return std::exp(x[at.log_spread(static_cast<std::size_t>(k))]); });
}

Chains HierarchicalPosterior::subject(std::int64_t i, int k, Scale scale) const {
  const Layout at{static_cast<std::size_t>(parameters())};
  const auto place = static_cast<std::size_t>(k);
  return draws.quantity([&](const Numbers& x) {
    const double u =
        x[at.mean(place)] + std::exp(x[at.log_spread(place)]) * x[at.own(static_cast<std::size_t>(i), place)];
    return scale == Scale::natural ? model.parameters[place].natural(u) : u;
  });
}

std::vector<Summary> HierarchicalPosterior::group_summaries(const SummaryOptions& options) const {
  std::vector<Summary> result;
  for (int k = 0; k < parameters(); ++k) {
    const std::string& name = model.parameters[static_cast<std::size_t>(k)].name;
    result.push_back(summarize(name, group_mean(k), options));
    result.push_back(summarize("mu " + name, group_mean(k, Scale::unconstrained), options));
    result.push_back(summarize("sigma " + name, group_spread(k), options));
  }
  return result;
}

std::vector<Summary> HierarchicalPosterior::subject_summaries(const std::vector<std::string>& ids,
                                                              const SummaryOptions& options,
                                                              const CancelTest& cancelled) const {
  if (static_cast<std::int64_t>(ids.size()) != subjects) {
    refuse("subject_summaries", fmt::format("there are {} subjects and {} ids", subjects, ids.size()));
  }
  const int n = parameters();
  std::vector<Summary> result(static_cast<std::size_t>(subjects * n));
  const double nanoseconds = 1e6 * static_cast<double>(result.size());
  parallel_tiles(subjects * n, nanoseconds, [&](std::int64_t tile) {
    give_up_if(cancelled);
    const std::int64_t i = tile / n;
    const int k = static_cast<int>(tile % n);
    result[static_cast<std::size_t>(tile)] =
        summarize(fmt::format("{}[{}]", model.parameters[static_cast<std::size_t>(k)].name,
                              ids[static_cast<std::size_t>(i)]),
                  subject(i, k), options);
  });
  return result;
}

std::vector<double> HierarchicalPosterior::subject_parameters(std::int64_t chain, std::int64_t sample) const {
  const Numbers x = draws.position(chain, sample);
  const Layout at{static_cast<std::size_t>(parameters())};
  Numbers result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(subjects); ++i) {
    for (std::size_t k = 0; k < at.parameters; ++k) {
      result.push_back(x[at.mean(k)] + std::exp(x[at.log_spread(k)]) * x[at.own(i, k)]);
    }
  }
  return result;
}

HierarchicalPosterior sample_hierarchical(const Likelihood& likelihood, Rng rng,
                                          const HierarchicalOptions& options) {
  check_scale("mean_scale", options.mean_scale);
  check_scale("spread_scale", options.spread_scale);
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  if (n == 0) {
    refuse("sample_hierarchical", fmt::format("the model {} has no parameters", likelihood.model().name));
  }
  HierarchicalPosterior result;
  result.model = likelihood.model();
  result.subjects = likelihood.subjects();
  Numbers start((2 + static_cast<std::size_t>(result.subjects)) * n);
  const Layout at{n};
  for (std::size_t k = 0; k < n; ++k) {
    start[at.mean(k)] = result.model.parameters[k].prior_mean;
    start[at.log_spread(k)] = std::min(0.0, std::log(options.spread_scale));
  }
  result.draws = nuts(start, detail::hierarchical_density(likelihood, options), rng, options.sampler);
  return result;
}

PointwiseLogLikelihood subject_log_likelihood(const HierarchicalPosterior& posterior,
                                              const Likelihood& likelihood, std::int64_t most_draws) {
  const std::vector<DrawPlace> places = even_draws(posterior.draws, most_draws);
  PointwiseLogLikelihood result{static_cast<std::int64_t>(places.size()), likelihood.subjects(), {}};
  result.values.resize(places.size() * static_cast<std::size_t>(result.observations));
  for (std::size_t s = 0; s < places.size(); ++s) {
    likelihood.evaluate(posterior.subject_parameters(places[s].chain, places[s].sample),
                        std::span(result.values)
                            .subspan(s * static_cast<std::size_t>(result.observations),
                                     static_cast<std::size_t>(result.observations)));
  }
  return result;
}

PointwiseLogLikelihood trial_log_likelihood(const HierarchicalPosterior& posterior,
                                            const Likelihood& likelihood, std::int64_t most_draws,
                                            const CancelTest& cancelled) {
  const std::vector<DrawPlace> places = even_draws(posterior.draws, most_draws);
  PointwiseLogLikelihood result{static_cast<std::int64_t>(places.size()), 0, {}};
  for (std::int64_t i = 0; i < likelihood.subjects(); ++i) result.observations += likelihood.trials(i);
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  result.values.resize(places.size() * static_cast<std::size_t>(result.observations));
  const double nanoseconds = 20.0 * static_cast<double>(result.values.size());
  parallel_tiles(result.samples, nanoseconds, [&](std::int64_t tile) {
    give_up_if(cancelled);
    const DrawPlace& place = places[static_cast<std::size_t>(tile)];
    const Numbers parameters = posterior.subject_parameters(place.chain, place.sample);
    auto out = result.values.begin() + tile * result.observations;
    for (std::int64_t i = 0; i < likelihood.subjects(); ++i) {
      const Numbers own =
          likelihood.pointwise(i, std::span(parameters).subspan(static_cast<std::size_t>(i) * n, n));
      out = std::copy(own.begin(), own.end(), out);
    }
  });
  return result;
}

std::vector<double> by_subject(const PredictiveDensity& over_trials, const Likelihood& likelihood) {
  std::vector<double> result;
  auto from = over_trials.pointwise.begin();
  for (std::int64_t i = 0; i < likelihood.subjects(); ++i) {
    if (over_trials.pointwise.end() - from < likelihood.trials(i)) {
      refuse("by_subject", "the density has fewer observations than there are trials");
    }
    result.push_back(std::accumulate(from, from + likelihood.trials(i), 0.0));
    from += likelihood.trials(i);
  }
  return result;
}

}  // namespace likely::choice
