// Which columns of a table matter to models of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/tables/experiment.hpp"

namespace likely::tables {

// The places of at most so many inputs, in their order: those that the models' first layers give the largest
// weights, all inputs being of one scale. Among thousands of columns these are the ones to try, since trying
// one costs a prediction of all rows.
std::vector<std::size_t> heaviest_columns(const std::vector<Judged>& judged, std::size_t most);

// How much worse predictions become if the values of one column change places among the rows (Breiman, 2001):
// the rise of the log-loss, or the fall of R2; the mean over `repeats` shuffles of each model's rows. Largest
// first. `cancelled` is asked at each shuffle.
struct Importance {
  std::string column;
  double value = 0.0;
};
std::vector<Importance> permutation_importance(const std::vector<Judged>& judged,
                                               const std::vector<std::size_t>& columns, std::int64_t repeats,
                                               Rng rng, const CancelTest& cancelled = {});

}  // namespace likely::tables
