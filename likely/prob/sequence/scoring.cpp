#include "likely/prob/sequence/scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
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

Tensor GivenSequences::before_each(std::int64_t start_token) const {
  std::vector<Tensor> columns{full({rows()}, static_cast<double>(start_token), DType::i64)};
  for (std::int64_t place = 0; place + 1 < longest(); ++place) columns.push_back(at(place));
  return stack(columns, 1);
}

Tensor GivenSequences::look_up(const Tensor& log_probabilities, std::int64_t first) const {
  const std::int64_t places = log_probabilities.dim(1), vocabulary = log_probabilities.dim(2);
  std::vector<std::int64_t> wanted, counts;
  for (std::int64_t row = 0; row < rows(); ++row) {
    for (std::int64_t place = first; place < first + places; ++place) {
      const bool there = place < lengths.data<std::int64_t>()[row];
      const std::int64_t token = there ? tokens.data<std::int64_t>()[row * tokens.dim(1) + place] : 0;
      if (token < 0 || token >= vocabulary)
        refuse(kScore,
               fmt::format("tokens[{}, {}] is {}, but there are {} tokens", row, place, token, vocabulary));
      wanted.push_back(token);
      counts.push_back(there ? 1 : 0);
    }
  }
  const Tensor found = gather(log_probabilities, 2, tensor(wanted, Shape{rows(), places, 1}));
  return where(tensor(counts, Shape{rows(), places}) > 0.0, cast(squeeze(found, 2), DType::f64), 0.0);
}

Tensor GivenSequences::of_step(const Tensor& log_probabilities, std::int64_t place) const {
  const Tensor& x = log_probabilities;
  if (!x.defined() || x.rank() != 2 || x.dim(0) != rows() || !is_f32_or_f64(x.dtype()))
    refuse(kScore,
           fmt::format(
               "a step of {} rows must return log-probabilities ({}, V), f32 or f64, got {}", rows(), rows(),
               x.defined() ? fmt::format("{} {}", x.shape().string(), name_of(x.dtype())) : "nothing"));
  return look_up(unsqueeze(x, 1), place);
}

Tensor GivenSequences::of_read(const Tensor& log_probabilities) const {
  check_read(kScore, log_probabilities, rows(), longest());
  return look_up(log_probabilities, 0);
}

Scores GivenSequences::scores(std::vector<Tensor> found) const {
  if (longest() < tokens.dim(1)) found.push_back(zeros({rows(), tokens.dim(1) - longest()}, DType::f64));
  const Tensor all = concat(found, 1);
  return {all, sum(all, -1), lengths};
}

}  // namespace detail

double perplexity(const Scores& scores) {
  const double tokens = sum(scores.lengths).item();
  if (!(tokens > 0.0)) refuse("perplexity", "there are no tokens");
  return std::exp(-sum(scores.log_probabilities).item() / tokens);
}

}  // namespace likely
