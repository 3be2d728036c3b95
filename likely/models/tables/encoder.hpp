// Encoder: rows of a table as a network wants them.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/parts.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

// Whom rows are for. A straight line goes on beyond the rows that it was fitted to; a network knows nothing
// there.
enum class Reader : std::uint8_t { linear, network };

// Missing numbers become the mean of their column, words a 1 in a column of their own (unknown and missing
// ones none), features that never change are left out, the others get mean 0 and standard deviation 1.
// Numbers that are far from all others (number_range.hpp) are drawn in to the range of these, for networks
// all that are outside of it. Networks get what is more than kTail standard deviations out on a scale of
// logarithms: rare pixels and long tails would outweigh all else. All of it is learned from the rows to train
// with alone.
struct Encoder {
  static constexpr double kTail = 5.0;

  Buffer low, high;  // (inputs,) f64: the ranges of the numbers; 0 for words
  Buffer fill;       // (inputs,) f64: what stands for a missing number
  Buffer used;       // (features,) i64: the expanded columns that change
  data::Standardizer scaler;

  // Refuses rows in which no input changes.
  static Encoder fit(const Schema& schema, const Tensor& x);
  // (rows, features) f32.
  Tensor apply(const Schema& schema, const Tensor& x, Reader reader) const;
  // Whether a number of this input is drawn in; never where the input has no part in the features.
  bool draws_in(std::size_t input, double value, Reader reader) const;
  std::int64_t features() const { return used.size(); }
  // What of its parts does not fit the columns and a network of so many inputs (tree/misfit.hpp).
  std::string misfit_for(const Schema& schema, std::int64_t wanted_features) const;

  LIKELY_PARTS(low, high, fill, used, scaler)
};

}  // namespace likely::tables
