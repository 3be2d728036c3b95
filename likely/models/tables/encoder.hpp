// Encoder: rows of a table as a network wants them.
#pragma once

#include <string>

#include "likely/core/parts.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

// Missing numbers become the mean of their column, words a 1 in a column of their own (unknown and missing
// ones none), features that never change are left out, the others get mean 0 and standard deviation 1, and
// what lies farther out than kFarthest is drawn in: a network has seen nothing there. All of it is learned
// from the rows to train with alone.
struct Encoder {
  static constexpr double kFarthest = 5.0;

  Buffer fill;  // (inputs,) f64: what stands for a missing number
  Buffer used;  // (features,) i64: the expanded columns that change
  data::Standardizer scaler;

  // Refuses rows in which no input changes.
  static Encoder fit(const Schema& schema, const Tensor& x);
  // (rows, features) f32.
  Tensor apply(const Schema& schema, const Tensor& x) const;
  std::int64_t features() const { return used.size(); }
  // What of its parts does not fit the columns and a network of so many inputs (tree/misfit.hpp).
  std::string misfit_for(const Schema& schema, std::int64_t wanted_features) const;

  LIKELY_PARTS(fill, used, scaler)
};

}  // namespace likely::tables
