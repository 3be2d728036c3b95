// How probable given sequences are.
//
//   const Scores scores = score_sequences(model, drawn.tokens, drawn.lengths);
//   perplexity(scores)
#pragma once

#include "likely/core/create.hpp"
#include "likely/prob/sequence/search.hpp"

namespace likely {

struct Scores {
  Tensor tokens;  // (n, length) f64: log-probability of each token given those before it; 0 behind the end
  Tensor log_probabilities;  // (n,) f64: their sums
  Tensor lengths;            // (n,) i64
};

namespace detail {

// Tokens and lengths as (n, length) and (n,); refuses what does not fit.
struct GivenSequences {
  GivenSequences(const Tensor& tokens, const Tensor& lengths);
  std::int64_t rows() const { return tokens.dim(0); }
  std::int64_t longest() const;
  // What each row reads at a place, and 0 where it has ended.
  Tensor at(std::int64_t place) const;
  // Adds the log-probabilities of the tokens at a place. Refuses tokens that are none.
  void look_up(const Tensor& log_probabilities, std::int64_t place);

  Tensor tokens, lengths;
  std::vector<double> found;
};

}  // namespace detail

// Tokens are (..., length) i64, of which the first `lengths` (...) of each row count (none given: all). A
// model reads what it says about itself: filters take no part.
template <SequenceModel Model>
Scores score_sequences(const Model& model, const Tensor& tokens, const Tensor& lengths = {},
                       const CancelTest& cancelled = {}) {
  detail::GivenSequences given(tokens, lengths);
  auto states = model.start(given.rows());
  Tensor read = full({given.rows()}, static_cast<double>(model.start_token()), DType::i64);
  for (std::int64_t place = 0; place < given.longest(); ++place) {
    give_up_if(cancelled);
    auto step = model.step(std::move(states), read);
    given.look_up(step.log_probabilities, place);
    states = std::move(step.states);
    read = given.at(place);
  }
  const Tensor found = tensor(given.found, given.tokens.shape());
  std::vector<double> sums(static_cast<std::size_t>(given.rows()), 0.0);
  for (std::size_t i = 0; i < given.found.size(); ++i)
    sums[i / static_cast<std::size_t>(given.tokens.dim(1))] += given.found[i];
  return {found, tensor(sums), given.lengths};
}

// exp of minus the mean log-probability of a token. Refuses scores without tokens.
double perplexity(const Scores& scores);

}  // namespace likely
