// Whether a fit can be trusted, by simulation (Wilson and Collins 2019): parameters that are known are looked
// for again, and models that are known are told apart.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/simulate.hpp"

namespace likely::choice {

// Natural parameters of `count` people, u ~ N(prior mean, sd) for each parameter's unconstrained form.
// Refuses count < 1 and sd not above 0.
std::vector<std::vector<double>> draw_parameters(const Model& model, std::int64_t count, Rng rng,
                                                 double sd = 1.0);

enum class Estimator : std::uint8_t {
  likelihood,    // each subject alone
  posterior,     // each subject with the parameters' own priors
  hierarchical,  // all together (hierarchical_em.hpp)
};

struct RecoveredParameter {
  std::string name;
  double correlation;       // of the true and the fitted numbers, natural scale (Pearson)
  double rank_correlation;  // of their ranks (Spearman)
  double bias;              // mean of fitted - true
  double rmse;
  std::int64_t at_bounds;  // fits that ended on a bound
};

struct Recovery {
  Model model;
  std::vector<std::vector<double>> truth, fitted;  // subjects x parameters, natural scale
  std::vector<RecoveredParameter> parameters;
  // Parameters x parameters: correlations of each true number (row) with each fitted one. Large ones beside
  // the diagonal are parameters that stand in for each other.
  std::vector<double> across;
};

// Simulates the people whose parameters are `truth` in the task and fits them. Refuses fewer than 2. Where it
// is hierarchical, the progress of `options` begins anew in each round.
Recovery recover_parameters(const Model& model, const std::vector<std::vector<double>>& truth,
                            const Bandit& task, const Rng& rng, Estimator estimator = Estimator::likelihood,
                            const FitOptions& options = {});

enum class Criterion : std::uint8_t { aic, bic, evidence };

// Refused: datasets < 1, parameter_sd not above 0.
struct ConfusionOptions {
  std::int64_t datasets = 100;  // simulated people of each model
  Criterion criterion = Criterion::bic;
  double parameter_sd = 1.0;  // of their parameters, as in draw_parameters
  // Draws the parameters instead, for `datasets` people.
  std::function<std::vector<std::vector<double>>(const Model&, const Rng&)> people = nullptr;
  FitOptions fit = {};  // its progress counts all fits of all subjects: models x models x datasets
};

struct ModelConfusion {
  std::vector<std::string> models;
  std::vector<double> counts;     // models x models: simulated by the row's, best fitted by the column's
  std::vector<double> confusion;  // each row over its sum: p(best fitted | simulated)
  std::vector<double> inversion;  // each column over its sum: p(simulated | best fitted); NaN for none
};

// Simulates with each model, fits all of them, and counts which is best. Refuses fewer than 2 models.
ModelConfusion confuse_models(const std::vector<Model>& models, const Bandit& task, const Rng& rng,
                              const ConfusionOptions& options = {});

// Pearson's correlation of two lists, and that of their ranks (ties have their mean rank); NaN where one does
// not vary. Refuse lists of unequal length and of fewer than 2.
double correlation(const std::vector<double>& a, const std::vector<double>& b);
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace likely::choice
