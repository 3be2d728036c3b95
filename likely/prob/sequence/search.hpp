// Sequences from a sequence model: drawn, or searched for.
//
//   const Sequences drawn = sample_sequences(model, 20, rng, {.max_length = 50, .filter = {.top_p = 0.9}});
//   const Sequences best = beam_search(model, 5);                       // the most probable
//   const PerturbedSequences some = stochastic_beam_search(model, 10, rng);   // ten different ones, drawn
//   mean_without_replacement(some, f).unbiased                                // without_replacement.hpp
//
// All sequences of all starts go through one step of the model together, and states are selected only where
// rows moved. Log-probabilities are summed in f64. The same key gives the same sequences for any number of
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/sequence/filters.hpp"
#include "likely/prob/sequence/model.hpp"

namespace likely {

// Told after each step of sample_sequences and greedy_sequences: how many steps there were, and the tokens of
// this one, (starts, count) i64; -1 for sequences that had ended.
using OnTokens = std::function<void(std::int64_t step, const Tensor& tokens)>;

struct SearchOptions {
  std::int64_t max_length = 100;  // tokens of a sequence, its end token counted; a longer one is cut
  std::int64_t starts = 1;        // how many searches go on side by side
  Tensor prompts{};      // (starts, length) i64: what each has read before; it is no part of the results
  TokenFilter filter{};  // all probabilities are those that it leaves
  double length_penalty = 0.0;  // of beam_search alone: beams are ranked by log p / length^penalty
  OnTokens on_tokens{};         // of sample_sequences and greedy_sequences alone
  CancelTest cancelled{};       // asked before each step
};

// Of each start the same number of sequences. Where there are fewer (a model with few sequences), the last
// have length 0 and the log-probability -inf.
struct Sequences {
  Tensor tokens;             // (starts, count, longest) i64; -1 behind the end
  Tensor lengths;            // (starts, count) i64, the end token counted
  Tensor log_probabilities;  // (starts, count) f64, given the prompt
};

// An ordered sample without replacement, in the order drawn.
struct PerturbedSequences : Sequences {
  Tensor perturbed;  // (starts, count) f64, falling: log-probability + Gumbel
  Tensor kappa;  // (starts) f64: the largest perturbed log-probability that is not in the sample; -inf where
                 // the sample has all sequences
};

namespace detail {

// What a search asks of the model's next step.
struct Frontier {
  Tensor rows;         // (n,): which rows of the step before go on
  Tensor tokens;       // (n,): and what each reads
  bool moved = false;  // whether rows is anything else than 0, 1, ... of all that there were
};

// A search, as the loop over a model sees it.
class Search {
 public:
  virtual ~Search() = default;
  // Takes the log-probabilities after the step; says what is next, no rows if nothing is.
  virtual Frontier advance(const Tensor& log_probabilities) = 0;
};

struct Drawn {
  std::unique_ptr<Search> search;
  std::function<PerturbedSequences()> result;
};

Drawn sampling(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token);
Drawn greedy(const SearchOptions& options, std::int64_t end_token);
Drawn beam(std::int64_t count, const SearchOptions& options, std::int64_t end_token);
Drawn stochastic_beam(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token);

// Column `place` of the prompts; refuses tokens that are none.
Tensor prompt_tokens(const Tensor& prompts, std::int64_t place, std::int64_t vocabulary);
// The last place of what a read() of `begin`, with_start(), returned. Refuses another shape, and prompts that
// are no tokens.
Tensor last_place(const Tensor& log_probabilities, const Tensor& begin);
// Refuses what a read() of (rows, length) tokens must not return.
void check_read(const char* operation, const Tensor& log_probabilities, std::int64_t rows,
                std::int64_t length);
// (starts, 1 + length): the start token, and the prompts.
Tensor with_start(const Tensor& prompts, std::int64_t starts, std::int64_t start_token);

// The step after the start token and the prompts.
template <SequenceModel Model>
auto first_step(const Model& model, const SearchOptions& options) {
  const Tensor begin = with_start(options.prompts, options.starts, model.start_token());
  if constexpr (ReadsManyTokens<Model>) {
    auto step = model.read(model.start(options.starts), begin);
    step.log_probabilities = last_place(step.log_probabilities, begin);
    return step;
  } else {
    auto step = model.step(model.start(options.starts), prompt_tokens(begin, 0, -1));
    for (std::int64_t i = 1; i < begin.dim(1); ++i) {
      give_up_if(options.cancelled);
      const Tensor tokens = prompt_tokens(begin, i, step.log_probabilities.shape().back());
      step = model.step(std::move(step.states), tokens);
    }
    return step;
  }
}

template <SequenceModel Model>
PerturbedSequences run_search(const Model& model, const SearchOptions& options, const Drawn& drawn) {
  auto step = first_step(model, options);
  while (true) {
    give_up_if(options.cancelled);
    const Frontier next = drawn.search->advance(step.log_probabilities);
    if (next.rows.size() == 0) return drawn.result();
    if (next.moved) step.states = model.select(step.states, next.rows);
    step = model.step(std::move(step.states), next.tokens);
  }
}

// What a search without noise has found.
inline Sequences without_perturbed(const PerturbedSequences& found) {
  return {found.tokens, found.lengths, found.log_probabilities};
}

}  // namespace detail

// `count` independent sequences of each start (ancestral sampling). All refuse count < 1, max_length < 1,
// prompts of another number than starts, and log-probabilities that are none.
template <SequenceModel Model>
Sequences sample_sequences(const Model& model, std::int64_t count, Rng rng,
                           const SearchOptions& options = {}) {
  const auto sampling = detail::sampling(count, rng, options, detail::end_token_of(model));
  return detail::without_perturbed(detail::run_search(model, options, sampling));
}

// The most probable token at each step; one sequence of each start.
template <SequenceModel Model>
Sequences greedy_sequences(const Model& model, const SearchOptions& options = {}) {
  const auto greedy = detail::greedy(options, detail::end_token_of(model));
  return detail::without_perturbed(detail::run_search(model, options, greedy));
}

// The `count` most probable prefixes at each step, best first; those that have ended keep their place until
// better ones are found. Without length_penalty no sequence has more than one place.
template <SequenceModel Model>
Sequences beam_search(const Model& model, std::int64_t count, const SearchOptions& options = {}) {
  const auto beam = detail::beam(count, options, detail::end_token_of(model));
  return detail::without_perturbed(detail::run_search(model, options, beam));
}

// `count` different sequences, drawn without replacement (Kool et al. 2019): the sequences whose
// log-probability plus Gumbel noise is largest, found from the top down, where the largest of a prefix's
// continuations is what was drawn for the prefix.
template <SequenceModel Model>
PerturbedSequences stochastic_beam_search(const Model& model, std::int64_t count, Rng rng,
                                          const SearchOptions& options = {}) {
  return detail::run_search(model, options,
                            detail::stochastic_beam(count, rng, options, detail::end_token_of(model)));
}

}  // namespace likely
