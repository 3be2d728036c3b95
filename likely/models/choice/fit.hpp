// Estimating parameters, a subject at a time: maximum likelihood within bounds, and the maximum of the
// posterior with Laplace's approximation of the evidence.
//
//   const choice::Likelihood likelihood(choice::named_model("rw"), choice::read_trials("bandit.tsv"));
//   const choice::Fit best = choice::fit_likelihood(likelihood);
//   const choice::Fit posterior = choice::fit_posterior(likelihood);
//
// Both climb by Newton's method with a trust region from the best of many points, eight subjects at once.
// Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/choice/likelihood.hpp"

namespace likely::choice {

// How the curvature at the maximum is found, from which standard errors and evidences come.
enum class Curving : std::uint8_t {
  exact,
  // Forward differences of values, with steps of eps^(1/4) max(|x|, 1) away from 0, as cbm takes them: wrong
  // in the fourth digit. Only to compare with its figures.
  forward_differences,
};

// Refused: numbers below 0, fewer candidates than starts, iterations < 1, confidence outside (0, 1).
struct FitOptions {
  // Climbs of each subject at most, from the best candidates that are not close together; no more are made
  // when, after 5 of them (24 with more than two parameters), half ended on the same summit. 0: 16 for up to
  // two parameters, else 64.
  int starts = 0;
  // Points at which the function is looked at first, spread over the range; 0: 64 for up to two parameters,
  // else 512.
  int candidates = 0;
  int iterations = 200;  // of a climb, at most
  double confidence = 0.95;
  Curving curving = Curving::exact;
  // Asked whenever the trials of a group are looked at. The fit then throws Cancelled.
  CancelTest cancelled = nullptr;
  // How many subjects are done, some at a time. Called by any thread, by one at a time.
  std::function<void(std::int64_t subjects)> progress = nullptr;
};

// Where an estimate lies.
enum class Standing : std::uint8_t {
  inside,
  at_lower,  // on a bound of its box, and the likelihood rises beyond
  at_upper,
  flat,  // the function hardly depends on it: it is not determined by these trials
};

struct SubjectFit {
  std::string id;
  std::int64_t trials = 0;
  // One number a parameter. Natural scale, and the same without bounds (infinite on a bound).
  std::vector<double> estimate, unconstrained;
  // From the curvature at the maximum; NaN where there is none (on a bound, flat). The interval is that of
  // the unconstrained parameter, carried over.
  std::vector<double> standard_error, interval_lower, interval_upper;
  std::vector<Standing> standing;
  // Covariance of the estimates on the scale of the climb (natural for the likelihood, unconstrained for the
  // posterior), N x N; NaN in rows and columns of parameters without a standard error.
  std::vector<double> covariance;

  double log_likelihood = 0.0;
  double chance = 0.0;     // the log-likelihood of choosing at random
  double pseudo_r2 = 0.0;  // 1 - log_likelihood / chance
  double aic = 0.0;        // 2 N - 2 log_likelihood
  double bic = 0.0;        // N ln(trials) - 2 log_likelihood
  // Of the posterior: log_likelihood + ln prior, ln det of minus its Hessian by the unconstrained parameters,
  // and ln p(choices) = log_joint + N / 2 ln(2 pi) - log_det_hessian / 2. NaN after fit_likelihood.
  double log_joint = 0.0;
  double log_det_hessian = 0.0;
  double log_evidence = 0.0;

  bool converged = false;
  int iterations = 0;  // of all climbs together
  int climbs = 0;
  int climbs_agreeing = 0;  // of them, those that ended within 1e-6 of the best value
  std::vector<std::string> warnings;
};

struct Fit {
  Model model;
  bool is_posterior = false;
  std::vector<SubjectFit> subjects;

  // Over all subjects.
  double log_likelihood() const;
  double aic() const;  // the sum of the subjects'
  double bic() const;  // the sum of the subjects'
  double log_evidence() const;
  // All parameters of all subjects as one model of all trials: S N ln(all trials) - 2 log_likelihood.
  double joint_bic() const;
  // Warnings of all subjects with their ids.
  std::vector<std::string> warnings() const;
};

// Each subject's maximum of the likelihood within the parameters' boxes.
Fit fit_likelihood(const Likelihood& likelihood, const FitOptions& options = {});

// A normal prior of unconstrained parameters.
struct NormalPrior {
  std::vector<double> mean;       // N, or S x N: a mean for each subject
  std::vector<double> precision;  // N x N: the inverse covariance, which must be positive definite
};
// What the parameters themselves say (prior_mean, prior_sd).
NormalPrior default_prior(const Model& model);

// Each subject's maximum of likelihood times prior. `start`, if not empty, has S x N points that are climbed
// from instead of candidates: where the maxima were under a prior nearby. Refuses priors of another size or
// without an inverse.
Fit fit_posterior(const Likelihood& likelihood, const FitOptions& options = {});
Fit fit_posterior(const Likelihood& likelihood, const NormalPrior& prior, const FitOptions& options = {},
                  const std::vector<double>& start = {});

}  // namespace likely::choice
