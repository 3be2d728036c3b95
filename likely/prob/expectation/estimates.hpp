// The estimators, one function each. Internal to prob/expectation.
#pragma once

#include <cstdint>

#include "likely/prob/expectation/expectation.hpp"

namespace likely::detail {

// What estimators share: the law, f with its checks, and the name of the estimator in refusals.
class Task {
 public:
  Task(const char* estimator, const SampledLaw& of_law, const ValueFunction& f)
      : law(of_law), estimator_(estimator), f_(f) {}

  const SampledLaw& law;

  // f of what it is to see of answers.
  Tensor values_at(const Tensor& answers) const { return values_of(seen(answers)); }
  // f of what it sees, as floating numbers. Refuses another shape than the samples' and the batch's.
  Tensor values_of(const Tensor& seen_samples) const;
  Tensor seen(const Tensor& answers) const;

  void check_samples(std::int64_t samples, std::int64_t least = 1) const;
  // Refuses laws whose samples cannot lie between their values.
  void check_relaxable(double temperature) const;
  [[noreturn]] void refuse_law(const char* needs) const;

 private:
  const char* estimator_;
  const ValueFunction& f_;
};

// weight * (log_prob - the same as a constant): 0, with the gradient weight * d log_prob.
Tensor score_term(const Tensor& log_prob, const Tensor& weight);

// mean over the first axis of `values`, with the gradient of the score function estimator.
Expectation with_baseline(const char* operation, const Tensor& log_prob, const Tensor& values,
                          const Baseline& baseline);

Expectation exact(const Task& task);
Expectation score(const Task& task, const estimator::Score& options, Rng rng);
Expectation optimal_score(const Task& task, const Tensor& answers, const Tensor& values);
Expectation reparameterised(const Task& task, const estimator::Reparameterised& options, Rng rng);
Expectation straight_through(const Task& task, const estimator::StraightThrough& options, Rng rng);
Expectation gumbel_softmax(const Task& task, const estimator::GumbelSoftmax& options, Rng rng);
Expectation rebar(const Task& task, const estimator::Rebar& options, Rng rng);
Expectation without_replacement(const Task& task, const estimator::WithoutReplacement& options, Rng rng);

}  // namespace likely::detail
