// Full hierarchical Bayes for choice models: a population's parameters and everybody's own, sampled together.
//
//   const choice::Likelihood likelihood(model, trials);
//   const auto posterior = choice::sample_hierarchical(likelihood, rng.split());
//   std::cout << summary_table(posterior.group_summaries());
//
// With u the unconstrained parameters (parameters.hpp), for subject i and parameter k:
//   mu_k ~ N(prior mean, mean_scale),  sigma_k ~ half-normal or half-Cauchy(spread_scale),
//   u_ik = mu_k + sigma_k z_ik,  z_ik ~ N(0, 1)                                            (non-centred)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/choice/likelihood.hpp"
#include "likely/prob/inference/leave_one_out.hpp"
#include "likely/prob/mcmc/nuts.hpp"
#include "likely/prob/mcmc/summary.hpp"

namespace likely::choice {

enum class SpreadPrior : std::uint8_t { half_normal, half_cauchy };

// Refused: scales that are not finite or not above 0.
struct HierarchicalOptions {
  double mean_scale = 1.5;  // around each parameter's own prior mean; on the logit scale nearly even
  SpreadPrior spread_prior = SpreadPrior::half_normal;
  double spread_scale = 1.0;
  NutsOptions sampler{.target_acceptance = 0.9};  // 4 chains of 1000 samples after 1000 of warm-up
  CancelTest cancelled = nullptr;  // asked at every point: a trajectory may take long. Throws Cancelled
};

struct HierarchicalPosterior {
  Model model;
  std::int64_t subjects = 0;
  NutsDraws draws;  // mu, log sigma, then z row by row

  int parameters() const { return model.size(); }

  // Chains of one quantity. The middle of the population is the natural parameter at mu_k.
  Chains group_mean(int k, Scale scale = Scale::natural) const;
  Chains group_spread(int k) const;  // sigma_k
  Chains subject(std::int64_t i, int k, Scale scale = Scale::natural) const;

  // Of every parameter: the population's middle, mu and sigma; and of every subject's parameters, one subject
  // after another, named alpha[id].
  std::vector<Summary> group_summaries(const SummaryOptions& options = {}) const;
  std::vector<Summary> subject_summaries(const std::vector<std::string>& ids,
                                         const SummaryOptions& options = {},
                                         const CancelTest& cancelled = nullptr) const;

  // Everybody's unconstrained parameters in one draw, subjects x parameters.
  std::vector<double> subject_parameters(std::int64_t chain, std::int64_t sample) const;
};

// Samples by nuts with the exact gradients of the likelihood. Refuses what nuts refuses, and a model without
// parameters.
HierarchicalPosterior sample_hierarchical(const Likelihood& likelihood, Rng rng,
                                          const HierarchicalOptions& options = {});

// log p of each subject's choices, and of each choice of everybody, in each draw (`most_draws` of them at
// most, evenly taken): what leave_one_out and waic want. Leaving out whole subjects asks for new people, and
// importance sampling often finds that too hard (its k is large); single choices are easier.
PointwiseLogLikelihood subject_log_likelihood(const HierarchicalPosterior& posterior,
                                              const Likelihood& likelihood, std::int64_t most_draws = 4000);
PointwiseLogLikelihood trial_log_likelihood(const HierarchicalPosterior& posterior,
                                            const Likelihood& likelihood, std::int64_t most_draws = 1000,
                                            const CancelTest& cancelled = nullptr);
// The pointwise parts of a density over trials, added up for each subject.
std::vector<double> by_subject(const PredictiveDensity& over_trials, const Likelihood& likelihood);

namespace detail {
// The log-density of (mu, log sigma, z) up to a constant, with its gradient.
DensityGradientFunction hierarchical_density(const Likelihood& likelihood,
                                             const HierarchicalOptions& options);
}  // namespace detail

}  // namespace likely::choice
