// What a sequence model is: a plain struct that says how probable each token is after what it has read.
//
//   struct Alternating {        // a 0 after a 1 and a 1 after a 0, nine times of ten
//     using States = Tensor;    // whatever the model carries: a cache, a tree of tensors, nothing
//     std::int64_t start_token() const { return 2; }
//     States start(std::int64_t n) const;
//     SequenceStep<States> step(States states, const Tensor& tokens) const;
//     States select(const States& states, const Tensor& rows) const;
//   };
//
// A search feeds start_token() first, and then what it chose; all its sequences go through one step together.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "likely/core/tensor.hpp"

namespace likely {

// What a step returns. Row r of (n, V), f32 or f64, has the logarithms of the probabilities of the V tokens
// after what row r of the states has read: they add up to 1, and -inf is never chosen.
template <class States>
struct SequenceStep {
  Tensor log_probabilities;
  States states;
};

// start(n): the states of n rows that have read nothing.
// step(states, tokens): after one more token each; tokens are (n,) i64.
// select(states, rows): the states of these rows, (m,) i64; a row may come several times, or not at all.
// A model that can end has an end_token() as well: a sequence that has it reads no further. One that reads
// many tokens at once has a read(), see below.
template <class Model>
concept SequenceModel = requires(const Model& model, std::int64_t n, const Tensor& numbers) {
  { model.start_token() } -> std::convertible_to<std::int64_t>;
  { model.step(model.start(n), numbers).log_probabilities } -> std::convertible_to<Tensor>;
  {
    model.select(model.step(model.start(n), numbers).states, numbers)
    } -> std::same_as<decltype(model.start(n))>;
};

// read(states, tokens): after each of many tokens, (n, length) i64, in one call. log_probabilities are
// (n, length, V), those that `length` steps would return one by one, and states those after the last. Prompts
// and given sequences are read so; tokens that are none are refused after the call, when V is known.
template <class Model>
concept ReadsManyTokens = SequenceModel<Model> &&
    requires(const Model& model, std::int64_t n, const Tensor& numbers) {
  { model.read(model.start(n), numbers) } -> std::same_as<decltype(model.step(model.start(n), numbers))>;
};

// The states of a model that remembers nothing but its last token.
struct NoStates {};

namespace detail {

// -1 where the model never ends.
template <class Model>
std::int64_t end_token_of(const Model& model) {
  if constexpr (requires {
                  { model.end_token() } -> std::convertible_to<std::int64_t>;
                }) {
    return model.end_token();
  } else {
    return -1;
  }
}

}  // namespace detail

}  // namespace likely
