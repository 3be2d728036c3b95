// A Markov chain as a sequence model.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/parts.hpp"
#include "likely/prob/sequence/model.hpp"

namespace likely {

// The first state has the probabilities `initial`, (V,), each further one those of its predecessor's row of
// `transition`, (V, V). A sequence ends in `end_state`, which has a row, too, that nobody reads; -1: it never
// ends. Refuses probabilities that are negative or do not add up to 1 (within a millionth), and other shapes.
class MarkovChain {
 public:
  using States = NoStates;
  MarkovChain(const Tensor& initial, const Tensor& transition, std::int64_t end_state = -1);

  std::int64_t states() const { return log_rows.dim(1); }
  Tensor initial() const;
  Tensor transition() const;
  std::string misfit() const;

  std::int64_t start_token() const { return states(); }
  std::int64_t end_token() const { return end_state_; }
  NoStates start(std::int64_t) const { return {}; }
  SequenceStep<NoStates> step(NoStates states, const Tensor& tokens) const;
  NoStates select(const NoStates& states, const Tensor&) const { return states; }

  Buffer log_rows;  // (V + 1, V) f64: log-probabilities after each state, and of the first one
  LIKELY_PARTS(log_rows)

 private:
  std::int64_t end_state_;
};

}  // namespace likely
