// k-fold cross-validation (chapter 8): every row is held out once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "likely/data/data.hpp"
#include "likely/ops/rng.hpp"
#include "likely/train/options.hpp"

namespace likely::train {

struct CrossValidation {
  std::vector<double> scores;      // of each fold
  std::vector<std::int64_t> rows;  // held out in each
  double mean = 0.0;               // over rows: every row counts the same
  double standard_error = 0.0;     // of the folds' mean: stddev / sqrt(count)
};

// Calls score(fold, rng) for every fold: train on fold.train, return what is reached on fold.validation as a
// mean over its rows. Stops with an Error on Ctrl-C.
CrossValidation cross_validate(const data::Dataset& dataset, std::int64_t count, Rng rng,
                               const std::function<double(const Data& fold, Rng rng)>& score);

}  // namespace likely::train
