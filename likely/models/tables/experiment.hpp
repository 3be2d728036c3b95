// One table, cut into rows to learn from and rows to be judged by: what `likely train csv` does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "likely/models/tables/scores.hpp"
#include "likely/models/tables/table_file.hpp"
#include "likely/models/tables/table_model.hpp"

namespace likely::tables {

using Scores = std::variant<ClassScores, NumberScores>;

// A model and rows to judge it by: rows that it has not seen.
struct Judged {
  TableModel model;
  Rows rows;
};

// What each model predicts for its rows, one after the other: as TableModel::predict.
Tensor predictions(const std::vector<Judged>& judged);
Tensor targets(const std::vector<Judged>& judged);
// Judges these predictions together; `train` are the targets that were learned from.
Scores score(const std::vector<Judged>& judged, const Tensor& train);
// The same of what was predicted for these rows.
Scores score(const std::vector<Judged>& judged, const Tensor& said, const Tensor& train);
// The accuracy or R2.
double main_figure(const Scores& scores);

// Some of the rows.
Rows pick(const Rows& rows, const std::vector<std::int64_t>& which);

// The rows held out and the others, by the seed alone: stratified_sample. Nothing is held out at 0.
struct Halves {
  Rows train;
  std::optional<Rows> held_out;
};
Halves hold_out(const Rows& rows, double fraction, std::uint64_t seed);

// fit_model with a key of the seed's own.
std::optional<FittedModel> fit_rows(const Rows& train, const ModelOptions& options, std::uint64_t seed,
                                    const OnEpoch& on_epoch = {});

// Every row is judged once, by a model that was fitted to the other folds. Nothing, if Ctrl-C came in
// between. Refuses k < 2 and k > rows.
std::optional<std::vector<Judged>> fit_folds(const Rows& rows, std::int64_t k, const ModelOptions& options,
                                             std::uint64_t seed, const OnEpoch& on_epoch = {});

}  // namespace likely::tables
