// Hierarchical fits of choice models by expectation and maximization with Laplace's approximation (Huys et
// al. 2011): everybody's parameters under a normal law of the population, which is fitted too.
//
//   const auto group = choice::fit_hierarchical(likelihood, {.covariates = {"age"}, .values = ages});
//   group.coefficient(0, 1);         // how the first parameter moves with age, on the unconstrained scale
//
// u_i ~ N(B x_i, Sigma) with x_i = (1, covariates of i). Each round finds the mode m_i and the covariance V_i
// of every subject's posterior, then B by least squares and Sigma = mean of (m_i - B x_i)(m_i - B x_i)^T +
// V_i, of which only the diagonal is kept if not asked otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "likely/models/choice/fit.hpp"
#include "likely/ops/rng.hpp"

namespace likely::choice {

// Where a fit is, after each round.
struct EmProgress {
  int iteration;
  double log_evidence;  // of all subjects, by Laplace's approximation
  double change;        // what is compared with the tolerance
};

// Refused: starts < 1, max_iterations < 1, tolerance or least_sd not above 0, integration_samples < 0, values
// that are not a number for each subject and covariate, covariates that determine each other, too few
// subjects for them.
struct EmOptions {
  std::vector<std::string> covariates = {};  // their names
  std::vector<double> values = {};           // subjects x covariates, row by row
  bool full_covariance = false;
  int starts = 4;                  // laws that are tried for 12 rounds each; the best is followed
  int max_iterations = 500;        // of it
  double tolerance = 1e-4;         // on the change of means (in standard deviations) and of log deviations
  double least_sd = 1e-2;          // of the population in a parameter
  int integration_samples = 2000;  // of each subject's likelihood under the population; 0: none
  // Of the subjects in each round; its cancelled is for the whole, its progress begins anew in each round.
  FitOptions fit = {};
  std::function<bool(const EmProgress&)> progress = nullptr;  // false stops with what there is
};

struct HierarchicalFit {
  Model model;
  std::vector<std::string> covariates;  // without the constant
  // Parameters x (1 + covariates): B, its standard errors (the observed information of the population's law,
  // with what the subjects' own uncertainty takes away), and the covariance Sigma, N x N.
  std::vector<double> coefficients, standard_errors;
  std::vector<double> covariance;
  // The law of somebody whose covariates are the subjects' means: what B says about such a person, and the
  // standard errors of that. Without covariates these are the constants.
  std::vector<double> covariate_means, means, mean_errors;
  Fit subjects;  // the modes under the population's law; log_evidence is Laplace's

  double log_evidence = 0.0;
  // ln of the mean likelihood over draws from the population, of each subject; their sum gives the integrated
  // BIC = -2 sum + (parameters of the population) ln(all trials). Empty and NaN without integration.
  std::vector<double> integrated_log_likelihood;
  double integrated_bic = 0.0;
  int population_parameters = 0;

  int iterations = 0;           // of all laws that were tried
  bool converged = false;       // the law no longer moves, or the evidence no longer rises
  std::vector<double> history;  // log_evidence after each round
  std::vector<std::string> warnings;

  double coefficient(int parameter, int covariate) const;  // covariate 0 is the constant
  double standard_error(int parameter, int covariate) const;
  double sd(int parameter) const;
  // Two-sided, by the normal law of coefficient over standard error.
  double p_value(int parameter, int covariate) const;
};

// rng is for the starts and the integration. Results do not depend on the number of threads. Refuses a model
// without parameters and fewer than 2 subjects.
HierarchicalFit fit_hierarchical(const Likelihood& likelihood, const EmOptions& options = {},
                                 Rng rng = Rng(1));

}  // namespace likely::choice
