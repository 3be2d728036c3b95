// Which model a population uses, when its members may use different ones: random-effects Bayesian model
// selection (Stephan et al. 2009; Rigoux et al. 2014).
#pragma once

#include <cstdint>
#include <vector>

namespace likely::choice {

// Refused: prior_count not finite or not above 0, max_iterations < 1, tolerance < 0.
struct SelectionOptions {
  double prior_count = 1.0;  // of each model: the Dirichlet prior of the frequencies
  std::int64_t max_iterations = 10000;
  double tolerance = 1e-10;  // on the change of the counts
};

struct ModelSelection {
  std::vector<double> counts;                // alpha of the Dirichlet posterior of the frequencies
  std::vector<double> frequencies;           // their posterior means
  std::vector<double> assignments;           // subjects x models: the probability that a subject uses a model
  std::vector<double> exceedance;            // the probability that a model is more frequent than all others
  std::vector<double> protected_exceedance;  // that, if frequencies differ at all
  double omnibus_risk = 0.0;                 // the probability that all models are equally frequent
  double log_evidence = 0.0;                 // the bound on it with frequencies that may differ,
  double null_evidence = 0.0;                // and with equal ones
  std::int64_t iterations = 0;
  bool converged = false;
};

// From each subject's log-evidence for each model (subjects x models, row by row; -BIC / 2 may serve), by the
// variational updates g_nk ~ exp(L_nk + psi(alpha_k) - psi(sum alpha)), alpha_k = alpha_0 + sum_n g_nk.
// Refuses fewer than 2 models, no subjects, numbers of values that do not fit, and evidences that are not
// finite, naming the subject and the model.
ModelSelection select_models(const std::vector<double>& log_evidence, std::int64_t models,
                             const SelectionOptions& options = {});

// The probability of each frequency to be the largest under a Dirichlet law with these counts, by quadrature.
// Refuses counts that are not finite or not above 0.
std::vector<double> exceedance_probabilities(const std::vector<double>& counts);

}  // namespace likely::choice
