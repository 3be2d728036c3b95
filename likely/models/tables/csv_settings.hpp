// What can be chosen about `likely train csv`. Internal to tables/.
#pragma once

#include <vector>

#include "likely/models/tables/table_file.hpp"
#include "likely/models/tables/table_model.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::tables {

std::vector<runs::Setting> csv_settings();
ReadOptions read_options(const runs::Run& run);

// By which rows a model is judged. A quarter of a small table is a coarse measure, where a few rows more or
// less are right by luck: there, folds judge, in which every row is held out once, and the model learns from
// all.
struct Judging {
  double holdout = 0.0;    // the share of the rows that the model does not learn from
  std::int64_t folds = 0;  // 0: none
};
// Refuses shares below 0 that are not -1.
Judging judging_of(const runs::Run& run, std::int64_t rows);

// Refuses hidden layers and weight decays that are not numbers.
ModelOptions model_options(const runs::Run& run);

}  // namespace likely::tables
