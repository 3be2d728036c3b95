// How probable given sequences are.
//
//   const Scores scores = score_sequences(model, drawn.tokens, drawn.lengths);
//   perplexity(scores)
//   value_and_grad(model, [&](const Model& m) {   // maximum likelihood
//     return -sum(score_sequences(m, tokens, lengths).log_probabilities);
//   });
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

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
  // What each row reads at a place, (n,), and 0 where it has ended.
  Tensor at(std::int64_t place) const;
  // What is read before each token: (n, longest()).
  Tensor before_each(std::int64_t start_token) const;
  // The log-probabilities, f64, of the tokens at a place, (n, 1), from what a step said, (n, V), or of all,
  // (n, longest()), from what a read said; 0 where a row has ended. Refuse tokens that are none.
  Tensor of_step(const Tensor& log_probabilities, std::int64_t place) const;
  Tensor of_read(const Tensor& log_probabilities) const;
  // Of places side by side.
  Scores scores(std::vector<Tensor> found) const;

  Tensor tokens, lengths;

 private:
  Tensor look_up(const Tensor& log_probabilities, std::int64_t first) const;
};

}  // namespace detail

// Tokens are (..., length) i64, of which the first `lengths` (...) of each row count (none given: all). A
// model reads what it says about itself: filters take no part. Differentiable in the model's parameters. A
// model with a read() is called once.
template <SequenceModel Model>
Scores score_sequences(const Model& model, const Tensor& tokens, const Tensor& lengths = {},
                       const CancelTest& cancelled = {}) {
  const detail::GivenSequences given(tokens, lengths);
  std::vector<Tensor> found;
  if constexpr (ReadsManyTokens<Model>) {
    give_up_if(cancelled);
    if (given.longest() > 0) {
      const Tensor read = given.before_each(model.start_token());
      found.push_back(given.of_read(model.read(model.start(given.rows()), read).log_probabilities));
    }
  } else {
    auto states = model.start(given.rows());
    Tensor read = full({given.rows()}, static_cast<double>(model.start_token()), DType::i64);
    for (std::int64_t place = 0; place < given.longest(); ++place) {
      give_up_if(cancelled);
      auto step = model.step(std::move(states), read);
      found.push_back(given.of_step(step.log_probabilities, place));
      states = std::move(step.states);
      read = given.at(place);
    }
  }
  return given.scores(std::move(found));
}

// exp of minus the mean log-probability of a token. Refuses scores without tokens.
double perplexity(const Scores& scores);

}  // namespace likely
