#include "likely/prob/expectation/expectation.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "likely/autodiff/custom.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/expectation/estimates.hpp"

namespace likely {

namespace detail {

Tensor Task::values_of(const Tensor& seen_samples) const {
  const Shape wanted = joined({seen_samples.shape()[0]}, law.batch);
  const Tensor values = f_(seen_samples);
  if (!values.defined() || !(values.shape() == wanted))
    refuse("expect",
           fmt::format("f must give one number for each sample and each element of the batch, shape "
                       "{}, got {}",
                       wanted.string(), values.defined() ? values.shape().string() : "nothing"));
  return is_floating(values.dtype()) ? values : cast(values, law.parameters.front().dtype());
}

Tensor Task::seen(const Tensor& answers) const {
  return law.one_hot ? one_hot(answers, law.logits.shape().back(), law.logits.dtype()) : answers;
}

void Task::check_samples(std::int64_t samples, std::int64_t least) const {
  if (samples < least)
    refuse("expect", fmt::format("{} needs at least {} sample{}, got {}", estimator_, least,
                                 least == 1 ? "" : "s", samples));
}

void Task::check_relaxable(double temperature) const {
  if (law.values == Values::any) refuse_law("Bernoulli or OneHot{Categorical}");
  if (law.values == Values::labels && !law.one_hot)
    refuse("expect",
           fmt::format("{} needs samples that can lie between classes, and those of Categorical are "
                       "labels: use OneHot{{Categorical}}",
                       estimator_));
  if (!(temperature > 0.0))
    refuse("expect", fmt::format("{} needs a temperature above 0, got {}", estimator_, temperature));
}

void Task::refuse_law(const char* needs) const {
  refuse("expect", fmt::format("{} needs {}, got {}", estimator_, needs, law.name));
}

namespace {

Expectation estimate_by(const SampledLaw& law, const ValueFunction& f, const Estimator& chosen, Rng rng) {
  return std::visit(
      [&]<class Chosen>(const Chosen& e) {
        if constexpr (std::is_same_v<Chosen, estimator::Exact>) {
          return exact({"Exact", law, f});
        } else if constexpr (std::is_same_v<Chosen, estimator::Score>) {
          return score({"Score", law, f}, e, rng);
        } else if constexpr (std::is_same_v<Chosen, estimator::Reparameterised>) {
          return reparameterised({"Reparameterised", law, f}, e, rng);
        } else if constexpr (std::is_same_v<Chosen, estimator::StraightThrough>) {
          return straight_through({"StraightThrough", law, f}, e, rng);
        } else if constexpr (std::is_same_v<Chosen, estimator::GumbelSoftmax>) {
          return gumbel_softmax({"GumbelSoftmax", law, f}, e, rng);
        } else if constexpr (std::is_same_v<Chosen, estimator::Rebar>) {
          return rebar({"Rebar", law, f}, e, rng);
        } else {
          static_assert(std::is_same_v<Chosen, estimator::WithoutReplacement>);
          return without_replacement({"WithoutReplacement", law, f}, e, rng);
        }
      },
      chosen);
}

}  // namespace

Expectation estimate_of(const SampledLaw& law, const ValueFunction& f, const Estimator& estimator, Rng rng) {
  Expectation result = estimate_by(law, f, estimator, rng);
  result.values = stop_gradient(result.values);
  return result;
}

Expectation reparameterised(const Task& task, const estimator::Reparameterised& options, Rng rng) {
  task.check_samples(options.samples);
  if (!task.law.rsample || task.law.one_hot) task.refuse_law("a law with rsample");
  const Tensor values = task.values_of(task.law.rsample(rng, {options.samples}));
  return {mean(values, 0), values, {}};
}

}  // namespace detail

}  // namespace likely
