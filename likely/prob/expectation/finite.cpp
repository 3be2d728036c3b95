// Estimators for laws with finitely many values: all of them, or different ones.
#include <fmt/format.h>

#include <numeric>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/expectation/estimates.hpp"
#include "likely/prob/expectation/unordered_set.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"

namespace likely::detail {

namespace {

constexpr std::int64_t kMostValues = std::int64_t{1} << 20;

// All answers of a law: (answers, batch, event), each the same for the whole batch.
Tensor all_answers(const Task& task) {
  const SampledLaw& law = task.law;
  if (law.values == Values::any) task.refuse_law("Bernoulli or Categorical");
  const std::int64_t classes = law.values == Values::binary ? 2 : law.logits.shape().back();
  std::int64_t numbers = 1;
  for (int axis = law.batch.rank(); axis < law.all.rank(); ++axis) numbers *= law.all[axis];
  std::int64_t count = 1;
  for (std::int64_t i = 0; i < numbers && classes > 1; ++i) {
    count *= classes;
    if (count > kMostValues)
      refuse("expect", fmt::format("Exact goes through at most {} values, {} of {} classes have more",
                                   kMostValues, numbers, classes));
  }
  std::vector<std::int64_t> digits;
  digits.reserve(static_cast<std::size_t>(count * numbers));
  for (std::int64_t answer = 0; answer < count; ++answer) {
    std::int64_t rest = answer;
    for (std::int64_t i = 0; i < numbers; ++i) {
      digits.push_back(rest % classes);
      rest /= classes;
    }
  }
  const Tensor labels = tensor(digits);
  const Tensor answers = law.values == Values::binary ? labels.to(law.logits.dtype()) : labels;
  std::vector<std::int64_t> shape{count};
  for (int axis = 0; axis < law.all.rank(); ++axis)
    shape.push_back(axis < law.batch.rank() ? 1 : law.all[axis]);
  return contiguous(expand(reshape(answers, Shape(shape)), joined({count}, law.all)));
}

}  // namespace

Expectation exact(const Task& task) {
  const Tensor answers = all_answers(task);
  const Tensor values = task.values_at(answers);
  return {sum(exp(task.law.log_prob(answers)) * values, 0), values, {}};
}

Expectation without_replacement(const Task& task, const estimator::WithoutReplacement& options, Rng rng) {
  using Weights = estimator::WithoutReplacement::Weights;
  const SampledLaw& law = task.law;
  if (law.values != Values::labels || law.event_axes > 0) task.refuse_law("one Categorical");
  const bool needs_others =
      options.weights == Weights::with_baseline || options.weights == Weights::unordered;
  task.check_samples(options.samples, needs_others ? 2 : 1);
  if (options.weights == Weights::unordered && options.samples > kMostOfASet)
    refuse("expect",
           fmt::format(
               "WithoutReplacement goes through sets of at most {} samples, got {}; choose other weights",
               kMostOfASet, options.samples));
  const Tensor log_p = log_softmax(law.logits);
  const PerturbedSample drawn = gumbel_top_k(stop_gradient(log_p), options.samples, rng);
  // Samples first.
  std::vector<int> order(static_cast<std::size_t>(log_p.rank()));
  std::iota(order.begin() + 1, order.end(), 0);
  order.front() = log_p.rank() - 1;
  const Tensor answers = contiguous(permute(drawn.indices, order));
  const Tensor chosen = law.log_prob(answers), held = stop_gradient(chosen);
  const Tensor p = exp(held), weight = exp(held - inclusion_log_prob(held, drawn.threshold));
  const Tensor values = task.values_at(answers), v = stop_gradient(values);

  if (options.weights == Weights::unordered) {
    const Tensor is_drawn = any(one_hot(drawn.indices, log_p.shape().back(), DType::boolean), {-2});
    const Tensor rest = sum(masked_fill(exp(stop_gradient(log_p).to(DType::f64)), is_drawn, 0.0), -1);
    const SetRatios ratios = set_ratios(exp(held.to(DType::f64)), rest);
    const Tensor share = p * ratios.without_one.to(p.dtype());
    const Tensor usual = sum(unsqueeze(p * v, 0) * ratios.without_two.to(p.dtype()), 1);
    return {sum(share * values + score_term(chosen, share * (v - usual)), 0), values, {}};
  }
  if (options.weights == Weights::normalised) {
    const Tensor all = sum(weight, 0);
    const Tensor usual = sum(weight * v, 0) / all;
    const Tensor value = sum(weight * values, 0) / all;
    return {value + sum(score_term(chosen, weight * (v - usual) / (all - weight + p)), 0), values, {}};
  }
  // For each the weighted sum of all; its own part, which is drawn along with it, has its own mean instead.
  const Tensor off =
      options.weights == Weights::plain ? zeros_like(v) : sum(weight * v, 0) - (weight - p) * v;
  return {sum(weight * values + score_term(chosen, weight * (v - off)), 0), values, {}};
}

}  // namespace likely::detail
