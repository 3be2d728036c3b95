#include "likely/prob/sequence/search_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

void check_search(const char* operation, std::int64_t count, const SearchOptions& options, bool streams,
                  bool has_penalty) {
  if (count < 1) refuse(operation, fmt::format("count must be at least 1, got {}", count));
  if (options.max_length < 1)
    refuse(operation, fmt::format("max_length must be at least 1, got {}", options.max_length));
  if (options.starts < 1) refuse(operation, fmt::format("starts must be at least 1, got {}", options.starts));
  if (options.prompts.defined() && (options.prompts.rank() != 2 || options.prompts.dim(0) != options.starts ||
                                    options.prompts.dtype() != DType::i64))
    refuse(operation,
           fmt::format("prompts must be ({}, length) i64, a row for each start, got {} {}", options.starts,
                       options.prompts.shape().string(), name_of(options.prompts.dtype())));
  options.filter.check(operation);
  if (!std::isfinite(options.length_penalty) || options.length_penalty < 0.0)
    refuse(operation,
           fmt::format("length_penalty must be finite and not negative, got {}", options.length_penalty));
  if (!has_penalty && options.length_penalty != 0.0)
    refuse(operation, "has no length_penalty: beam_search has");
  if (!streams && options.on_tokens)
    refuse(operation, "has no on_tokens: its sequences are known at the end alone");
}

Beams::Beams(const char* operation, std::int64_t count, const SearchOptions& options, std::int64_t end_token)
    : operation_(operation), count_(count), options_(options), end_token_(end_token), rows_(options.starts) {
  for (std::int64_t start = 0; start < options.starts; ++start) of_start.push_back({Beam{.row = start}});
}

Tensor Beams::filtered(const Tensor& log_probabilities) const {
  const Tensor& x = log_probabilities;
  if (!x.defined() || x.rank() != 2 || x.dim(0) != rows_ || x.dim(1) < 1 || !is_f32_or_f64(x.dtype()))
    refuse(operation_,
           fmt::format(
               "a step of {} rows must return log-probabilities ({}, V), f32 or f64, got {}", rows_, rows_,
               x.defined() ? fmt::format("{} {}", x.shape().string(), name_of(x.dtype())) : "nothing"));
  if (end_token_ >= x.dim(1))
    refuse(operation_, fmt::format("the end token is {}, but there are {} tokens", end_token_, x.dim(1)));
  return options_.filter.changes_nothing() ? x : options_.filter(x);
}

Beam Beams::extended(const Beam& beam, std::int64_t token, double log_probability) {
  Beam next = beam;
  next.prefix = prefixes_.extend(beam.prefix, token);
  next.token = token;
  ++next.length;
  next.log_probability += log_probability;
  if (token == end_token_ || next.length == options_.max_length) next.row = -1;
  return next;
}

Frontier Beams::frontier() {
  std::vector<std::int64_t> rows, tokens;
  bool moved = false;
  for (auto& beams : of_start) {
    for (Beam& beam : beams) {
      if (!beam.goes_on()) continue;
      moved = moved || beam.row != std::ssize(rows);
      rows.push_back(beam.row);
      beam.row = std::ssize(rows) - 1;
      tokens.push_back(beam.token);
    }
  }
  moved = moved || std::ssize(rows) != rows_;
  rows_ = std::ssize(rows);
  return {tensor(rows), tensor(tokens), moved};
}

PerturbedSequences Beams::result(const std::vector<double>& kappa) const {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> prefixes;
  std::vector<double> log_probabilities, ranks;
  for (const auto& beams : of_start) {
    for (const Beam& beam : beams) {
      prefixes.push_back(beam.prefix);
      log_probabilities.push_back(beam.log_probability);
      ranks.push_back(beam.rank);
    }
    for (std::int64_t missing = std::ssize(beams); missing < count_; ++missing) {
      prefixes.push_back(Prefixes::kEmpty);
      log_probabilities.push_back(kNothing);
      ranks.push_back(kNothing);
    }
  }
  const Shape shape{options_.starts, count_};
  const Prefixes::Padded padded = prefixes_.padded(prefixes, options_.starts);
  PerturbedSequences result;
  result.tokens = padded.tokens;
  result.lengths = padded.lengths;
  result.log_probabilities = tensor(log_probabilities, shape);
  result.perturbed = tensor(ranks, shape);
  if (!kappa.empty()) result.kappa = tensor(kappa);
  return result;
}

Tensor with_start(const Tensor& prompts, std::int64_t starts, std::int64_t start_token) {
  const Tensor first = full({starts, 1}, static_cast<double>(start_token), DType::i64);
  return prompts.defined() ? concat({first, prompts}, 1) : first;
}

Tensor prompt_tokens(const Tensor& prompts, std::int64_t place, std::int64_t vocabulary) {
  Tensor tokens = select(prompts, 1, place).contiguous();
  if (vocabulary < 0) return tokens;
  for (std::int64_t row = 0; row < tokens.size(); ++row) {
    const std::int64_t token = tokens.data<std::int64_t>()[row];
    if (token < 0 || token >= vocabulary)
      refuse("search", fmt::format("prompts[{}, {}] is {}, but there are {} tokens", row, place - 1, token,
                                   vocabulary));
  }
  return tokens;
}

void check_read(const char* operation, const Tensor& log_probabilities, std::int64_t rows,
                std::int64_t length) {
  const Tensor& x = log_probabilities;
  if (!x.defined() || x.rank() != 3 || x.dim(0) != rows || x.dim(1) != length || !is_f32_or_f64(x.dtype()))
    refuse(
        operation,
        fmt::format("a read of ({}, {}) tokens must return log-probabilities ({}, {}, V), f32 or f64, got {}",
                    rows, length, rows, length,
                    x.defined() ? fmt::format("{} {}", x.shape().string(), name_of(x.dtype())) : "nothing"));
}

Tensor last_place(const Tensor& log_probabilities, const Tensor& begin) {
  check_read("search", log_probabilities, begin.dim(0), begin.dim(1));
  for (std::int64_t place = 1; place < begin.dim(1); ++place)
    (void)prompt_tokens(begin, place, log_probabilities.dim(2));
  return select(log_probabilities, 1, -1);
}

}  // namespace likely::detail
