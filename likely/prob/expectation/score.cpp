// The score function estimator and its baselines.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/expectation/estimates.hpp"

namespace likely {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// For each index of the first axis the sum over all others. Nothing is subtracted: where one is far larger
// than the rest, the rest keeps its digits.
Tensor sum_of_others(const Tensor& x) {
  const std::int64_t n = x.shape()[0];
  const Tensor none = zeros_like(slice(x, 0, {0, 1}));
  const Tensor before = concat({none, slice(cumsum(x, 0), 0, {0, n - 1})}, 0);
  const Tensor after = concat({slice(cumsum(x, 0, true), 0, {1, n}), none}, 0);
  return before + after;
}

void check_others(const char* operation, const char* baseline, std::int64_t samples) {
  if (samples < 2)
    refuse(operation, fmt::format("baseline::{} needs at least 2 samples, got {}", baseline, samples));
}

// The baseline for values, or an empty tensor for none.
Tensor baseline_for(const char* operation, const Tensor& values, const Baseline& baseline) {
  const auto checked = [&](const char* name, const Tensor& b) {
    if (!b.defined()) refuse(operation, fmt::format("baseline::{} is empty", name));
    if (!(broadcast_shapes(operation, b.shape(), values.shape()) == values.shape()))
      refuse(operation, fmt::format("baseline::{} of shape {} does not broadcast to the values' {}", name,
                                    b.shape().string(), values.shape().string()));
    return stop_gradient(b.to(values.dtype()));
  };
  return std::visit(Overloaded{[](const baseline::None&) { return Tensor(); },
                               [&](const baseline::Constant& b) { return checked("Constant", b.value); },
                               [&](const baseline::Learned& b) { return checked("Learned", b.prediction); },
                               [&](const baseline::LeaveOneOut&) {
                                 const std::int64_t n = values.shape()[0];
                                 check_others(operation, "LeaveOneOut", n);
                                 return sum_of_others(stop_gradient(values)) / static_cast<double>(n - 1);
                               },
                               [&](const baseline::Optimal&) -> Tensor {
                                 refuse(operation, "baseline::Optimal needs the law: use expect");
                               }},
                    baseline);
}

}  // namespace

baseline::Constant::Constant(double number) : value(tensor(number, DType::f64)) {}

baseline::Constant MovingMean::baseline() const {
  if (!total.defined()) return baseline::Constant(0.0);
  return baseline::Constant(total / weight);
}

void MovingMean::add(const Tensor& values) {
  if (!(decay >= 0.0 && decay < 1.0))
    refuse("MovingMean", fmt::format("decay must be in [0, 1), got {}", decay));
  const Tensor now = stop_gradient(mean(values)).to(DType::f64) * (1.0 - decay);
  const Tensor new_weight = tensor(1.0 - decay, DType::f64);
  total = total.defined() ? total * decay + now : now;
  weight = weight.defined() ? weight * decay + new_weight : new_weight;
}

namespace detail {

Tensor score_term(const Tensor& log_prob, const Tensor& weight) {
  // -inf - -inf: what is never drawn counts nothing.
  const Tensor held = stop_gradient(log_prob);
  const Tensor never = held == -std::numeric_limits<double>::infinity();
  return stop_gradient(weight) * masked_fill(log_prob - held, never, 0.0);
}

Expectation with_baseline(const char* operation, const Tensor& log_prob, const Tensor& values,
                          const Baseline& baseline) {
  // 1, with the derivatives of p(z) / p(z held): all orders are right (Foerster et al. 2018).
  const Tensor ratio = exp(log_prob - stop_gradient(log_prob));
  const Tensor b = baseline_for(operation, values, baseline);
  Expectation result;
  result.value = mean(b.defined() ? values * ratio + b * (1.0 - ratio) : values * ratio, 0);
  result.values = values;
  if (const auto* learned = std::get_if<baseline::Learned>(&baseline))
    result.baseline_loss = mean(square(stop_gradient(values) - learned->prediction));
  return result;
}

Expectation score(const Task& task, const estimator::Score& options, Rng rng) {
  task.check_samples(options.samples);
  const Tensor answers = stop_gradient(task.law.sample(rng, {options.samples}));
  const Tensor values = task.values_at(answers);
  if (std::holds_alternative<baseline::Optimal>(options.baseline))
    return optimal_score(task, answers, values);
  return with_baseline("expect", task.law.log_prob(answers), values, options.baseline);
}

Expectation optimal_score(const Task& task, const Tensor& answers, const Tensor& values) {
  const SampledLaw& law = task.law;
  const std::int64_t samples = values.shape()[0];
  check_others("expect", "Optimal", samples);
  const int row_axes = law.values == Values::labels ? 1 : 0;
  const Shape rows = row_axes == 0 ? law.all : law.logits.shape();
  const bool fits = std::all_of(law.parameters.begin(), law.parameters.end(),
                                [&](const Tensor& p) { return p.rank() <= rows.rank(); });
  if (!fits || (row_axes == 0 && !law.of_numbers))
    refuse("expect",
           fmt::format("baseline::Optimal needs a law of single numbers or of labels, got {}", law.name));

  // A set of parameters for each element of the batch, and of constants for each sample: one backward pass
  // gives the scores of all.
  std::vector<Tensor> own, copies;
  for (const Tensor& parameter : law.parameters) {
    own.push_back(expand(parameter, rows));
    copies.push_back(contiguous(expand(stop_gradient(parameter), joined({samples}, rows))));
  }
  const std::vector<Tensor> scores = grad(copies, [&](const std::vector<Tensor>& parameters) {
    return sum(law.log_prob_with(parameters, answers));
  });
  const int inner_axes = law.event_axes + row_axes;
  Tensor v = stop_gradient(values);
  for (int i = 0; i < inner_axes; ++i) v = unsqueeze(v, -1);
  Expectation result{mean(values, 0), values, {}};
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Tensor weight = square(scores[i]);
    const Tensor total = sum_of_others(weight);
    const Tensor best = where(total > 0.0, sum_of_others(weight * v) / where(total > 0.0, total, 1.0), 0.0);
    Tensor term = score_term(own[i], mean(scores[i] * (v - best), 0));
    for (int axis = 0; axis < inner_axes; ++axis) term = sum(term, -1);
    result.value = result.value + term;
  }
  return result;
}

}  // namespace detail

namespace {

Expectation of_trajectories(const char* operation, const Tensor& log_probs, const Tensor& rewards,
                            const Baseline& baseline) {
  if (log_probs.rank() < 1 || !(log_probs.shape() == rewards.shape()) || log_probs.shape()[0] < 1)
    refuse(operation, fmt::format("log_probs and rewards must have one shape, samples first, got {} and {}",
                                  log_probs.shape().string(), rewards.shape().string()));
  Expectation result = detail::with_baseline(operation, log_probs, rewards, baseline);
  result.values = stop_gradient(result.values);
  return result;
}

}  // namespace

Expectation score_estimate(const Tensor& log_probs, const Tensor& rewards, const Baseline& baseline) {
  return of_trajectories("score_estimate", log_probs, rewards, baseline);
}

Tensor score_surrogate(const Tensor& log_probs, const Tensor& rewards, const Baseline& baseline) {
  return of_trajectories("score_surrogate", log_probs, rewards, baseline).value;
}

}  // namespace likely
