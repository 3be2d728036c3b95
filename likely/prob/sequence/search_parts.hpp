// What the searches have in common. Internal to prob/sequence/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/prob/sequence/prefixes.hpp"
#include "likely/prob/sequence/search.hpp"

namespace likely::detail {

// A sequence that a search holds.
struct Beam {
  std::int64_t prefix = Prefixes::kEmpty;
  std::int64_t row = -1;    // of the last step; -1 where it has ended
  std::int64_t token = -1;  // its last
  std::int64_t length = 0;
  double log_probability = 0.0;
  double rank = 0.0;  // what the search orders by: perturbed, or by length

  bool goes_on() const { return row >= 0; }
};

// Refuses options that no search, or not this one, can have.
void check_search(const char* operation, std::int64_t count, const SearchOptions& options, bool streams,
                  bool has_penalty);

// The beams of all starts, one start after the other.
class Beams {
 public:
  Beams(const char* operation, std::int64_t count, const SearchOptions& options, std::int64_t end_token);

  // Before the first step each start has the empty prefix alone.
  std::vector<std::vector<Beam>> of_start;

  // After the filter. Refuses what does not fit the rows that were asked for, and an end token beyond the
  // last.
  Tensor filtered(const Tensor& log_probabilities) const;
  // The beam with one token more; it has ended if that is the end token or the last place.
  Beam extended(const Beam& beam, std::int64_t token, double log_probability);
  // What is next, and which row each beam will be.
  Frontier frontier();
  // Sorted as they are; `rank` becomes `perturbed`.
  PerturbedSequences result(const std::vector<double>& kappa) const;

  std::int64_t rows() const { return rows_; }
  std::int64_t count() const { return count_; }
  const SearchOptions& options() const { return options_; }
  const char* operation() const { return operation_; }

 private:
  const char* operation_;
  std::int64_t count_;
  SearchOptions options_;
  std::int64_t end_token_;
  std::int64_t rows_;
  Prefixes prefixes_;
};

}  // namespace likely::detail
