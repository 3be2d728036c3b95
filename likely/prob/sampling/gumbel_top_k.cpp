#include "likely/prob/sampling/gumbel_top_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/kernels/random/gumbel_race.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/gumbel_rule.hpp"
#include "likely/prob/log_one_minus_exp.hpp"

namespace likely {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where a race over blocks is quicker than noise for every class and a search: it looks at a block for each
// number drawn.
bool is_race_quicker(std::int64_t classes, std::int64_t k) { return (k + 1) * 256 <= classes; }

[[noreturn]] void refuse_too_few(const Tensor& logits, std::int64_t k, std::int64_t row) {
  refuse("gumbel_top_k", fmt::format("{} of the logits has fewer than k = {} classes that are not -inf",
                                     detail::row_name(logits.shape(), row), k));
}

PerturbedSample by_race(const Tensor& logits, std::int64_t k, Rng& rng) {
  const Shape batch = detail::without_last(logits.shape());
  Shape drawn = batch;
  drawn.push_back(k);
  PerturbedSample result{Tensor::uninitialized(drawn, DType::i64),
                         Tensor::uninitialized(drawn, logits.dtype()),
                         Tensor::uninitialized(batch, logits.dtype())};
  detail::with_floating("gumbel_top_k", logits.dtype(), [&]<class T>(T) {
    const kernels::RandomKey blocks = rng.draw(), picks = rng.draw();
    const kernels::RaceTrouble trouble =
        kernels::gumbel_race(blocks, picks, logits.data<T>(), batch.size(), logits.shape().back(), k,
                             result.indices.mutable_data<std::int64_t>(), result.perturbed.mutable_data<T>(),
                             result.threshold.mutable_data<T>());
    detail::check_bad_row("gumbel_top_k", "logits", logits.shape(), trouble.no_softmax);
    if (trouble.too_few >= 0) refuse_too_few(logits, k, trouble.too_few);
  });
  return result;
}

// Row numbers are of a mask of the rows.
std::int64_t first_where(const Tensor& mask) {
  return static_cast<std::int64_t>(argmax(flatten(mask).to(DType::i64)).item());
}

void check_softmax(const char* operation, const Tensor& logits) {
  const Tensor bad = logical_not(is_finite(logsumexp(logits, -1)));
  if (any(bad).item() != 0.0) detail::check_bad_row(operation, "logits", logits.shape(), first_where(bad));
}

PerturbedSample by_noise(const Tensor& logits, std::int64_t k, Rng& rng) {
  const std::int64_t classes = logits.shape().back();
  check_softmax("gumbel_top_k", logits);
  const TopK top = topk(logits + rng.gumbel(logits.shape(), logits.dtype()), std::min(k + 1, classes));
  const Tensor few = select(top.values, -1, k - 1) == -kInfinity;
  if (any(few).item() != 0.0) refuse_too_few(logits, k, first_where(few));
  const Tensor threshold = k < classes
                               ? select(top.values, -1, k)
                               : full(detail::without_last(logits.shape()), -kInfinity, logits.dtype());
  return {slice(top.indices, -1, {0, k}), slice(top.values, -1, {0, k}), threshold};
}

// The chosen logits, and the log-sum-exp of all others.
struct ChosenAndRest {
  Tensor chosen, rest;
  Tensor repeated;  // whether a class comes twice
};

ChosenAndRest chosen_and_rest(const char* name, const Tensor& logits, const Tensor& indices) {
  detail::check_rows(name, "logits", logits);
  detail::check_rows(name, "indices", indices.to(logits.dtype()));
  check_softmax(name, stop_gradient(logits));
  const Tensor chosen = take_along_axis(logits, indices, -1);
  const Shape batch =
      broadcast_shapes(name, detail::without_last(logits.shape()), detail::without_last(indices.shape()));
  Shape all = batch, some = batch;
  all.push_back(logits.shape().back());
  some.push_back(indices.shape().back());
  const Tensor times = scatter_add(zeros(all), -1, expand(indices, some), ones(some));
  return {chosen, logsumexp(masked_fill(expand(logits, all), times > 0.0, -kInfinity), -1),
          any(times > 1.0, -1)};
}

}  // namespace

GumbelMax gumbel_max(const Tensor& logits, Rng rng) {
  const PerturbedSample one = gumbel_top_k(logits, 1, rng);
  return {squeeze(one.indices, -1), squeeze(one.perturbed, -1)};
}

PerturbedSample gumbel_top_k(const Tensor& logits, std::int64_t k, Rng rng) {
  detail::check_rows("gumbel_top_k", "logits", logits);
  const std::int64_t classes = logits.shape().back();
  if (k < 1 || k > classes) refuse("gumbel_top_k", fmt::format("k must be in [1, {}], got {}", classes, k));
  const Tensor fixed = stop_gradient(logits).contiguous();
  return is_race_quicker(classes, k) ? by_race(fixed, k, rng) : by_noise(fixed, k, rng);
}

Tensor ordered_log_prob(const Tensor& logits, const Tensor& indices) {
  const auto [chosen, rest, repeated] = chosen_and_rest("ordered_log_prob", logits, indices);
  // What is left before each draw: what is never drawn, and the chosen from this one on.
  const Tensor left = logcumsumexp(concat({chosen, unsqueeze(rest, -1)}, -1), -1, true);
  const Tensor never = chosen == -kInfinity;
  const Tensor steps = chosen - masked_fill(slice(left, -1, {0, chosen.shape().back()}), never, 0.0);
  return masked_fill(sum(steps, -1), repeated, -kInfinity);
}

Tensor set_log_prob(const Tensor& logits, const Tensor& indices) {
  const auto [chosen, rest, repeated] = chosen_and_rest("set_log_prob", logits, indices);
  // Where nothing is left over the set is certain, unless one of its classes is never drawn.
  const Tensor certain = rest == -kInfinity, never = chosen == -kInfinity;
  const Tensor impossible = logical_or(repeated, any(never, -1));
  const Tensor above = masked_fill(chosen, never, 0.0) - unsqueeze(masked_fill(rest, certain, 0.0), -1);
  const detail::GumbelRule rule = detail::gumbel_rule(chosen.shape().back(), above.dtype());
  const Tensor each = detail::log1mexp_of_log(unsqueeze(above, -1) - rule.points);
  const Tensor total = logsumexp(sum(each, -2) + rule.log_weights, -1);
  return masked_fill(masked_fill(total, certain, 0.0), impossible, -kInfinity);
}

Tensor inclusion_log_prob(const Tensor& log_probability, const Tensor& threshold) {
  return detail::log1mexp_of_log(log_probability - threshold);
}

Tensor gumbels_with_maximum(const Tensor& gumbels, const Tensor& maximum) {
  const Tensor highest = max(gumbels, -1, true);
  const Tensor never = gumbels == -kInfinity;
  const Tensor leads = gumbels == highest;
  const Tensor fixed = logical_or(never, leads);
  const Tensor target = unsqueeze(maximum, -1);
  // Harmless numbers stand where the result is known, so that no NaN flows back from there.
  const Tensor top = where(highest == -kInfinity, 0.0, highest);
  const Tensor g = where(fixed, top - 1.0, gumbels);
  const Tensor lower = g - detail::log1mexp(top - g);  // -log(e^-gumbel - e^-max)
  // -log(e^-target + e^-lower)
  const Tensor above = target > lower;
  const Tensor moved = where(above, lower, target) - log1p(exp(-abs(target - lower)));
  return where(never, -kInfinity, where(leads, target, moved));
}

}  // namespace likely
