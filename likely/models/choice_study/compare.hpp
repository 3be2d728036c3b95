// Which of the models of a study explains the choices best, and how many people use each.
#pragma once

#include <string>
#include <vector>

#include "likely/models/choice/model_selection.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::choice {

struct Comparison {
  // By what models are compared, the larger the better, of each model: -BIC / 2 (mle), ln evidence (map),
  // -iBIC / 2 (em), the log density left out (nuts), summed over subjects.
  std::string criterion;
  std::vector<double> totals;
  std::vector<std::int64_t> best_for;  // how many subjects a model explains best
  std::size_t best = 0;                // the model with the largest total
  // nuts: the difference to the best model, and its standard error.
  std::vector<PredictiveDifference> differences;
  ModelSelection selection;           // random effects: frequencies and exceedance probabilities
  std::vector<std::string> left_out;  // subjects whose score is not finite for some model
};

// Refuses fewer than 2 models, and a study in which no subject has finite scores.
Comparison compare_models(const Study& study);

std::string comparison_text(const Study& study, const Comparison& comparison);
// The object of study_json, with best, criterion, omnibus_risk, left_out, and of each model total,
// difference, best_for, frequency, exceedance and protected_exceedance.
std::string comparison_json(const Study& study, const Comparison& comparison);
// What write_study writes, selection.csv with a row a model, and the figure of the frequencies.
runs::Drawn write_comparison(const Study& study, const Comparison& comparison, const Trials& trials,
                             const std::filesystem::path& folder, const WriteOptions& options = {});

}  // namespace likely::choice
