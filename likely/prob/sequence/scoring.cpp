#include "likely/prob/sequence/scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace detail {

namespace {

constexpr const char* kScore = "score_sequences";

}  // namespace

GivenSequences::GivenSequences(const Tensor& tokens_given, const Tensor& lengths_given) {
  if (tokens_given.rank() < 1 || tokens_given.dtype() != DType::i64 || tokens_given.size() == 0)
    refuse(kScore, fmt::format("tokens must be (..., length) i64 and not empty, got {} {}",
                               tokens_given.shape().string(), name_of(tokens_given.dtype())));
  const std::int64_t length = tokens_given.shape().back(), rows = tokens_given.size() / length;
  tokens = reshape(tokens_given, {rows, length}).contiguous();
  lengths = lengths_given.defined() ? lengths_given : full({rows}, static_cast<double>(length), DType::i64);
  if (lengths.size() != rows || lengths.dtype() != DType::i64)
    refuse(kScore, fmt::format("lengths must be i64, one for each of {} sequences, got {} {}", rows,
                               lengths.shape().string(), name_of(lengths.dtype())));
  lengths = reshape(lengths, {rows}).contiguous();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t n = lengths.data<std::int64_t>()[row];
    if (n < 0 || n > length)
      refuse(kScore, fmt::format("lengths must be in [0, {}], got {} at {}", length, n, row));
  }
  found.assign(static_cast<std::size_t>(tokens.size()), 0.0);
}

std::int64_t GivenSequences::longest() const {
  return *std::max_element(lengths.data<std::int64_t>(), lengths.data<std::int64_t>() + rows());
}

Tensor GivenSequences::at(std::int64_t place) const {
  std::vector<std::int64_t> read;
  for (std::int64_t row = 0; row < rows(); ++row)
    read.push_back(place < lengths.data<std::int64_t>()[row]
                       ? tokens.data<std::int64_t>()[row * tokens.dim(1) + place]
                       : 0);
  return tensor(read);
}

void GivenSequences::look_up(const Tensor& log_probabilities, std::int64_t place) {
  const Tensor x = log_probabilities.contiguous();
  if (x.rank() != 2 || x.dim(0) != rows())
    refuse(kScore, fmt::format("a step of {} rows must return log-probabilities ({}, V), got {}", rows(),
                               rows(), x.shape().string()));
  with_floating(kScore, x.dtype(), [&]<class T>(T) {
    for (std::int64_t row = 0; row < rows(); ++row) {
      if (place >= lengths.data<std::int64_t>()[row]) continue;
      const std::int64_t i = row * tokens.dim(1) + place;
      const std::int64_t token = tokens.data<std::int64_t>()[i];
      if (token < 0 || token >= x.dim(1))
        refuse(kScore,
               fmt::format("tokens[{}, {}] is {}, but there are {} tokens", row, place, token, x.dim(1)));
      found[static_cast<std::size_t>(i)] = static_cast<double>(x.data<T>()[row * x.dim(1) + token]);
    }
  });
}

}  // namespace detail

double perplexity(const Scores& scores) {
  const double tokens = sum(scores.lengths).item();
  if (!(tokens > 0.0)) refuse("perplexity", "there are no tokens");
  return std::exp(-sum(scores.log_probabilities).item() / tokens);
}

}  // namespace likely
